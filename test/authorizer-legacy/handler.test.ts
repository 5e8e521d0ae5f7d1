// SPDX-License-Identifier: Apache-2.0
/** The second asset's handler, set up from its environment for each kind of older system, on emulated tables. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { AuthorizerResult } from '../../lambda/authorizer/answer-requests';
import type { LegacySourceConfiguration } from '../../lambda/authorizer-legacy/legacy-sources';
import { signSessionId } from '../../lambda/legacy/express-session/unsign-express-cookie';
import { signCookie } from '../../lambda/legacy/signed-cookie/cookie-signature';
import { claimIdOf, claimKey } from '../../lambda/session/migration/claim-item';
import { resolveSettings } from '../../lambda/settings';
import { restEvent } from '../authorizer/set-up';
import { createOldTable } from '../legacy/express-app';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

const NOW = Math.floor(Date.now() / 1000);
const END = NOW + 86_400;
const EXPRESS_ID = 'abcDEF-_0123456789abcDEF-_012345';
const PHP_ID = 'abcdefghijklmnopqrstuv';
const COOKIE_VALUE = Buffer.from('{"passport":{"user":"carol"}}').toString('base64');
const SECRETS = ['new-secret', 'old-secret'];

/** Each kind: what the constructs write, the cookie of a logged-in browser, its user, and its id in the older system. */
const KINDS: readonly {
  readonly configuration: LegacySourceConfiguration;
  readonly name: string;
  readonly cookie: string;
  readonly user: string;
  readonly id: string;
}[] = [
  {
    configuration: {
      kind: 'expressSession',
      package: 'dynamodb-store',
      tableName: 'express',
      prefix: 'app:',
      secrets: SECRETS,
    },
    name: 'express-session',
    cookie: `connect.sid=${encodeURIComponent(`s:${EXPRESS_ID}.${signSessionId(EXPRESS_ID, 'old-secret')}`)}`,
    user: 'alice',
    id: EXPRESS_ID,
  },
  {
    configuration: { kind: 'php', tableName: 'php', userPath: 'user_id', attributeNames: undefined },
    name: 'php',
    cookie: `PHPSESSID=${PHP_ID}`,
    user: '42',
    id: PHP_ID,
  },
  {
    configuration: { kind: 'cookieSession', algorithm: 'sha256', acceptUntil: END, secrets: SECRETS },
    name: 'cookie-session',
    cookie: `session=${COOKIE_VALUE}; session.sig=${signCookie('session', COOKIE_VALUE, 'old-secret', 'sha256')}`,
    user: 'carol',
    id: COOKIE_VALUE,
  },
];

let table: EmulatedTable;
const before = process.env;

beforeAll(async () => {
  table = await startEmulatedTable();
  await createOldTable(table.client, 'express', 'sessionId');
  await createOldTable(table.client, 'php', 'id');
  const expires = { N: String(END) };
  await table.client.send(
    new PutItemCommand({
      TableName: 'express',
      Item: {
        sessionId: { S: `app:${EXPRESS_ID}` },
        expires,
        sess: { M: { cookie: { M: {} }, passport: { M: { user: { S: 'alice' } } } } },
      },
    }),
  );
  await table.client.send(
    new PutItemCommand({
      TableName: 'php',
      Item: { id: { S: `PHPSESSID_${PHP_ID}` }, expires, data: { S: 'user_id|i:42;' } },
    }),
  );
});
afterAll(async () => {
  process.env = before;
  await table.close();
});

/** A function that just started with these sources. */
function start(sources: unknown, more: object = {}): (event: unknown) => Promise<AuthorizerResult> {
  process.env = {
    PATH: before.PATH,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    SESSIONGATE_TABLE_NAME: 'sessions',
    SESSIONGATE_SETTINGS: JSON.stringify(resolveSettings()),
    SESSIONGATE_ENDPOINT: table.emulator.endpoint,
    ...(sources === undefined
      ? {}
      : { SESSIONGATE_LEGACY: JSON.stringify(Array.isArray(sources) ? { sources, ...more } : sources) }),
  };
  jest.resetModules();
  return jest.requireActual('../../lambda/authorizer-legacy/handler').handler;
}

beforeEach(() => {
  jest.spyOn(console, 'log').mockImplementation(() => {});
  jest.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => jest.restoreAllMocks());

describe.each(KINDS)('a session of $name', ({ configuration, name, cookie, user, id }) => {
  it('is admitted', async () => {
    expect(await start([configuration])(restEvent({ cookie }))).toMatchObject({ principalId: user });
  });

  it('is refused once its claim is settled, and the claim is found under the name of its source', async () => {
    const { partitionKey, sortKey } = claimKey(claimIdOf({ name: 'renamed' } as never, id));
    await table.store.put({ PK: { S: partitionKey }, SK: { S: sortKey }, settled_at: { N: String(NOW) } });

    expect(await start([configuration])(restEvent({ cookie }))).toMatchObject({ principalId: user });
    expect(await start([{ ...configuration, name: 'renamed' }])(restEvent({ cookie }))).toMatchObject({
      principalId: 'denied',
    });
  });

  it('is refused with a cookie of other systems only', async () => {
    const others = KINDS.filter((kind) => kind.name !== name).map((kind) => kind.configuration);

    expect(await start(others)(restEvent({ cookie }))).toMatchObject({ principalId: 'denied' });
  });
});

it('a signed session is admitted by its cookie alone', async () => {
  const value = Buffer.from(JSON.stringify({ user: 'dave', iat: NOW - 1, exp: END })).toString('base64');
  const cookie = `__Host-signed=${value}; __Host-signed.sig=${signCookie('__Host-signed', value, 'old-secret', 'sha256')}`;
  table.emulator.resetCounts();

  expect(await start([{ kind: 'signedSession', secrets: SECRETS }])(restEvent({ cookie }))).toMatchObject({
    principalId: 'dave',
  });
  expect(await start([{ kind: 'signedSession', secrets: ['other'] }])(restEvent({ cookie }))).toMatchObject({
    principalId: 'denied',
  });
  expect(table.emulator.counts().requests).toBe(0);
});

it('what began by a line for all is refused', async () => {
  const [kind] = KINDS;
  const handler = start([kind?.configuration], { startedAfter: NOW });

  // It does not tell its beginning.
  expect(await handler(restEvent({ cookie: kind?.cookie ?? '' }))).toMatchObject({ principalId: 'denied' });
});

it('several older systems live beside each other', async () => {
  const handler = start(KINDS.map(({ configuration }) => configuration));

  for (const { cookie, user } of KINDS)
    expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: user });
});

it.each<[string, unknown, string]>([
  ['no sources', undefined, 'SESSIONGATE_LEGACY'],
  ['an empty list', [], 'SESSIONGATE_LEGACY must hold at least one source'],
  ['an object', {}, 'SESSIONGATE_LEGACY must hold at least one source'],
  ['an unknown kind', [{ kind: 'ruby' }], 'of the kinds expressSession, cookieSession, signedSession and php'],
  ['an empty secret', [{ ...KINDS[0]?.configuration, secrets: [''] }], 'secrets must hold non-empty strings only'],
  ['keys from nowhere', [{ ...KINDS[2]?.configuration, secrets: undefined }], 'secretId, parameterName or load'],
])('fails every request with its reason with %s', async (_, sources, message) => {
  const handler = start(sources);

  for (const _ of [1, 2]) await expect(handler(restEvent())).rejects.toThrow(message);
});
