// SPDX-License-Identifier: Apache-2.0
/** Properties that hold for any event: nothing random is admitted, nothing of the path or the item leaks into the answer. */
import fc from 'fast-check';
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import {
  ALLOW,
  ALLOWED_ORIGIN,
  authorizerOver,
  COOKIE_NAME,
  type Event,
  recordedEvent,
  restEvent,
  sessionItem,
  TOKEN,
  TOKEN_HASH,
} from './set-up';

const EVENTS = ['rest', 'rest-delete', 'http-1.0', 'http-2.0', 'http-2.0-cookie-header', 'web-socket-connect'];

/** A table that holds one session and answers as a table does: by key. */
function authorizerOverOneSession() {
  let reads = 0;
  const item = sessionItem();
  const authorize = createAuthorizer(
    {
      reader: {
        async readSession(key) {
          reads++;
          return key === `S#${TOKEN_HASH}` ? item : undefined;
        },
      },
      now: () => 1_800_000_000,
    },
    { cookieName: COOKIE_NAME, allowedOrigins: [ALLOWED_ORIGIN] },
  );
  return { authorize, reads: () => reads };
}

function isAdmitted(result: unknown): boolean {
  return JSON.stringify(result).includes('"Effect":"Allow"') || JSON.stringify(result).includes('"isAuthorized":true');
}

const anyJson = fc.jsonValue();

/** A recorded event with some fields, at any depth, replaced by anything. */
const mutatedEvent = fc
  .tuple(
    fc.constantFrom(...EVENTS),
    fc.array(fc.tuple(fc.array(fc.nat(30), { maxLength: 3 }), anyJson), { maxLength: 4 }),
  )
  .map(([name, mutations]) => {
    const event = recordedEvent(name);
    for (const [path, value] of mutations) mutate(event, path, value);
    return event;
  });

function mutate(target: Event, path: number[], value: unknown): void {
  const [step = 0, ...rest] = path;
  if (typeof target !== 'object' || target === null) return;
  const keys = Object.keys(target);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return;
  if (rest.length === 0) target[key] = value;
  else mutate(target[key], rest, value);
}

it('never admits anything random, and throws only at what is no event', async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), async (event) => {
      const { authorize, reads } = authorizerOverOneSession();
      const outcome = await authorize(event).catch((error: unknown) => error);
      expect(outcome instanceof TypeError || !isAdmitted(outcome)).toBe(true);
      expect(reads()).toBe(0);
    }),
    { numRuns: 1000 },
  );
});

it('admits a mutated event only while it carries the one cookie, and never throws but for its ARN or kind', async () => {
  await fc.assert(
    fc.asyncProperty(mutatedEvent, async (event) => {
      const { authorize, reads } = authorizerOverOneSession();
      const outcome = await authorize(event).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(TypeError);
      else if (isAdmitted(outcome)) expect(JSON.stringify(event)).toContain(`${COOKIE_NAME}=${TOKEN}`);
      expect(reads()).toBeLessThanOrEqual(1);
    }),
    { numRuns: 1500 },
  );
});

it('names the same resource whatever the path is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (path) => {
      const { authorize } = authorizerOver({ item: sessionItem() });
      const event = {
        ...restEvent(),
        methodArn: `arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/GET/${path}`,
      };
      fc.pre(!event.methodArn.endsWith('/$connect'));
      expect(await authorize(event)).toMatchObject({
        policyDocument: {
          Statement: [{ Resource: 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/*' }],
        },
      });
    }),
    { numRuns: 1000 },
  );
});

it('writes visible ASCII into the context, whatever the item holds', async () => {
  const attribute = fc.oneof(
    fc.record({ S: fc.string({ unit: 'binary', maxLength: 40 }) }),
    fc.record({ N: fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String)) }),
    fc.record({ M: fc.dictionary(fc.string(), fc.record({ S: fc.string({ unit: 'binary' }) }), { maxKeys: 3 }) }),
    anyJson,
  );
  const names = ['user', 'claims', 'created_at', 'authenticated_at', 'issued_at', 'renewed_at', 'version', 'other'];
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), attribute, { maxKeys: 3 }), async (changes) => {
      const { authorize } = authorizerOver({ item: sessionItem(changes) });
      const result = await authorize(restEvent());
      if (!('context' in result) || result.context === undefined) return;
      for (const [name, value] of Object.entries(result.context)) {
        expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/);
        expect(value).toMatch(/^[\x20-\x7e]*$/);
      }
    }),
    { numRuns: 1500 },
  );
});

it('admits a session as long as it lives and not a second longer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: -5, max: 5 }), async (left) => {
      const { authorize } = authorizerOver({ item: sessionItem({ expires_at: { N: String(1_800_000_000 + left) } }) });
      const result = await authorize(restEvent());
      if (left > 0) expect(result).toMatchObject(ALLOW);
      else expect(isAdmitted(result)).toBe(false);
    }),
  );
});
