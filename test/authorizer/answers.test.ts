// SPDX-License-Identifier: Apache-2.0
/** What the authorizer answers to each kind of API, and that a refusal says nothing. */
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import {
  ALLOW,
  authorizerOver,
  COOKIE_NAME,
  DENY,
  recordedEvent,
  restEvent,
  sessionItem,
  TOKEN,
  TOKEN_HASH,
  UNKNOWN_TOKEN,
} from './set-up';

const CONTEXT = {
  user: 'alice',
  sessionId: TOKEN_HASH.slice(0, 16),
  createdAt: '1799999000',
  authenticatedAt: '1799999000',
  expiresAt: '1800003600',
};

function anonymousItem(): object {
  const { user: _, ...item } = sessionItem();
  return item;
}

describe('a live session', () => {
  it.each([
    ['rest', 'abcdef1234/prod/*'],
    ['rest-delete', 'abcdef1234/prod/*'],
    ['rest-lower-case-cookie', 'abcdef1234/prod/*'],
    ['rest-test-invoke', 'abcdef1234/ESTestInvoke-stage/*'],
    ['http-1.0', 'abcdef1234/$default/*'],
    ['http-2.0', 'abcdef1234/$default/*'],
    ['http-2.0-cookie-header', 'abcdef1234/$default/*'],
    ['web-socket-connect', 'wsabcd1234/live/*'],
  ])('is admitted to the whole stage, with the user as principal (%s)', async (name, stage) => {
    const { authorize, calls } = authorizerOver({ item: sessionItem() });

    const result = await authorize(recordedEvent(name));

    expect(result).toEqual({
      principalId: 'alice',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: 'execute-api:Invoke',
            Resource: `arn:aws:execute-api:eu-west-1:123456789012:${stage}`,
          },
        ],
      },
      context: CONTEXT,
    });
    expect(calls.reads).toEqual([`S#${TOKEN_HASH}`]);
    expect(calls.reports).toEqual([]);
  });

  it('is admitted by a boolean where the HTTP API wants simple responses', async () => {
    const { authorize } = authorizerOver({ item: sessionItem() }, { response: 'simple' });

    expect(await authorize(recordedEvent('http-2.0'))).toEqual({ isAuthorized: true, context: CONTEXT });
  });

  it.each(['rest', 'http-1.0', 'web-socket-connect'])(
    'is admitted by a policy where simple is unknown (%s)',
    async (name) => {
      const { authorize } = authorizerOver({ item: sessionItem() }, { response: 'simple' });

      expect(await authorize(recordedEvent(name))).toMatchObject(ALLOW);
    },
  );

  it('hands its claims on as strings', async () => {
    const claims = { M: { role: { S: 'admin' }, plan: { N: '3' }, beta: { BOOL: false } } };
    const { authorize } = authorizerOver({ item: sessionItem({ claims }) });

    expect(await authorize(restEvent())).toMatchObject({
      context: { ...CONTEXT, role: 'admin', plan: '3', beta: 'false' },
    });
  });

  it.each(['user', 'sessionId', 'createdAt', 'authenticatedAt', 'expiresAt', 'principalId', 'integrationLatency'])(
    'is refused if a claim is named %s',
    async (name) => {
      const { authorize } = authorizerOver({ item: sessionItem({ claims: { M: { [name]: { S: 'x' } } } }) });

      expect(await authorize(restEvent())).toMatchObject(DENY);
    },
  );

  it('is found under the epoch of the settings', async () => {
    const { authorize, calls } = authorizerOver({ item: sessionItem() }, { epoch: 'after-restore' });

    expect(await authorize(restEvent())).toMatchObject(DENY);
    expect(calls.reads).toEqual([`S#after-restore#${TOKEN_HASH}`]);
  });

  it('is found under key names of your own', async () => {
    const { PK, SK, expires_at, ...rest } = sessionItem();
    const attributeNames = { partitionKey: 'pk', sortKey: 'sk', expiresAt: 'ttl' };
    const { authorize } = authorizerOver({ item: { ...rest, pk: PK, sk: SK, ttl: expires_at } }, { attributeNames });

    expect(await authorize(restEvent())).toMatchObject(ALLOW);
  });
});

describe('a refusal', () => {
  const refused: [string, unknown, string][] = [
    ['no cookie', undefined, 'theme=dark'],
    ['a malformed token', undefined, `${COOKIE_NAME}=abc`],
    ['two cookies', undefined, `${COOKIE_NAME}=${TOKEN}; ${COOKIE_NAME}=${UNKNOWN_TOKEN}`],
    ['an unknown session', undefined, `${COOKIE_NAME}=${TOKEN}`],
    ['an expired session', sessionItem({ expires_at: { N: '1800000000' } }), `${COOKIE_NAME}=${TOKEN}`],
    ['a revoked session', sessionItem({ revoked: { N: '1' } }), `${COOKIE_NAME}=${TOKEN}`],
    ['an item of another type', sessionItem({ type: { S: 'reset' } }), `${COOKIE_NAME}=${TOKEN}`],
    ['an anonymous session', anonymousItem(), `${COOKIE_NAME}=${TOKEN}`],
    ['an item of another key', sessionItem({ PK: { S: 'S#00' } }), `${COOKIE_NAME}=${TOKEN}`],
  ];

  async function answers(options: Parameters<typeof authorizerOver>[1], event: (cookie: string) => unknown) {
    return Promise.all(
      refused.map(async ([, item, cookie]) =>
        JSON.stringify(await authorizerOver({ item }, options).authorize(event(cookie))),
      ),
    );
  }

  it('is the same to the byte for every reason', async () => {
    const different = new Set(await answers({}, (cookie) => restEvent({ cookie })));

    expect([...different]).toEqual([
      '{"principalId":"denied","policyDocument":{"Version":"2012-10-17","Statement":[{"Effect":"Deny",' +
        '"Action":"execute-api:Invoke","Resource":"arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/*"}]}}',
    ]);
  });

  it('is a bare false where the HTTP API wants simple responses', async () => {
    const event = recordedEvent('http-2.0');
    const different = new Set(await answers({ response: 'simple' }, (cookie) => ({ ...event, cookies: [cookie] })));

    expect([...different]).toEqual(['{"isAuthorized":false}']);
  });

  it.each(refused)("throws exactly Unauthorized with deny: 'throw' (%s)", async (_, item, cookie) => {
    const { authorize } = authorizerOver({ item }, { deny: 'throw' });

    const error: Error = await authorize(restEvent({ cookie })).then(
      () => new Error('admitted'),
      (thrown) => thrown,
    );

    expect(error.message).toBe('Unauthorized');
    expect(Object.keys(error)).toEqual([]);
  });

  it('is reported by its reason, once', async () => {
    const reports = await Promise.all(
      refused.map(async ([, item, cookie]) => {
        const { authorize, calls } = authorizerOver({ item });
        await authorize(restEvent({ cookie }));
        return calls.reports;
      }),
    );

    expect(reports).toEqual(
      [
        'cookieMissing',
        'cookieMalformed',
        'cookieDuplicate',
        'sessionAbsent',
        'sessionExpired',
        'sessionRevoked',
        'sessionWrongType',
        'sessionAnonymous',
        'sessionWrongKey',
      ].map((reason) => [{ kind: 'denied', reason }]),
    );
  });
});

describe('a fault', () => {
  it.each([
    ['null', null],
    ['an array', []],
    ['a text', 'item'],
    ['true', true],
  ])('is what a reader commits that answers with %s', async (_, item) => {
    const { authorize, calls } = authorizerOver({ item });

    await expect(authorize(restEvent())).rejects.toMatchObject({ code: 'ERR_SESSION_STORE' });
    expect(calls.reports).toEqual([{ kind: 'storeFault', code: 'ERR_SESSION_STORE' }]);
  });

  it.each([[Number.NaN], [undefined], ['soon']])(
    'is a clock that says %s: nothing would ever expire',
    async (clock) => {
      const reader = { readSession: async () => sessionItem() };
      const authorize = createAuthorizer({ reader, now: () => clock as number }, { cookieName: COOKIE_NAME });

      await expect(authorize(restEvent())).rejects.toThrow('now must return Unix seconds');
    },
  );

  it('is no Unauthorized, even with deny: throw', async () => {
    const { authorize } = authorizerOver({ item: null }, { deny: 'throw' });

    await expect(authorize(restEvent())).rejects.not.toThrow(/^Unauthorized$/);
  });
});
