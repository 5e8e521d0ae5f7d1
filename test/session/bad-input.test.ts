// SPDX-License-Identifier: Apache-2.0
/** Wrong use: each gives one clear sentence that names the option, and nothing is written. */
import { ENVIRONMENT } from '../../lambda/environment';
import { createSessions } from '../../lambda/session/create-sessions';
import { DynamoDbSessionStore } from '../../lambda/session/dynamodb-session-store';
import { ConfigurationError, InvalidInputError } from '../../lambda/session/errors';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import { withSession } from '../../lambda/session/with-session';
import { resolveSettings, type SessionSettingsInput } from '../../lambda/settings';
import { fixture } from './fixtures';

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

describe('create refuses, before the first write', () => {
  test.each([
    ['a user with a space', { user: 'alice smith' }, /^user must be 1 to 128 visible ASCII/],
    ['a user beyond ASCII', { user: 'jürgen' }, /^user must/],
    ['a user that would end a header', { user: 'a\r\nX: 1' }, /^user must/],
    ['an empty user', { user: '' }, /^user must/],
    ['a user of 129 characters', { user: 'a'.repeat(129) }, /^user must/],
    ['a user that is no string', { user: 7 as never }, /^user must/],
    [
      'an authentication of another user',
      { user: 'alice', authentication: { user: 'bob', generation: 0 } },
      /^authentication must/,
    ],
    ['an authentication without a user', { authentication: { user: 'bob', generation: 0 } }, /^authentication must/],
    [
      'a forged authentication',
      { user: 'alice', authentication: { user: 'alice', generation: Number.NaN } },
      /^authentication must/,
    ],
    ['a date in the data', { data: { at: new Date(0) } }, /^data\.at must be JSON .* got Date$/],
    ['a map in the data', { data: { list: [1, new Map()] } }, /^data\.list\[1\] must be JSON .* got Map$/],
    ['a function in the data', { data: { run: () => {} } }, /^data\.run must be JSON .* got function$/],
    ['a bigint in the data', { data: { big: 1n } }, /^data\.big must be JSON .* got bigint$/],
    ['not-a-number in the data', { data: { n: Number.NaN } }, /^data\.n must be JSON .* got number$/],
    ['data that holds itself', { data: cyclic }, /^data must not nest deeper than 64 levels, or hold itself$/],
    [
      'a prototype in the data',
      { data: JSON.parse('{"__proto__":{"admin":true}}') },
      /^data must not have a property named __proto__$/,
    ],
    [
      'more data than the cap',
      { data: { text: 'x'.repeat(4096) } },
      /^data, claims and device make the session item \d+ bytes; maxItemBytes allows 4096$/,
    ],
    ['a reserved claim', { claims: { principalId: 'x' } }, /^claims\.principalId is a reserved name/],
    ['a claim with a strange name', { claims: { 'a-b': 'x' } }, /^names of claims must/],
    ['a nested claim', { claims: { roles: ['a'] } as never }, /^claims\.roles must be a boolean/],
    ['a claim with a line break', { claims: { role: 'a\nb' } }, /^claims\.role must/],
    ['an infinite claim', { claims: { level: Number.POSITIVE_INFINITY } }, /^claims\.level must/],
    ['claims that are no object', { claims: 'admin' as never }, /^claims must be a flat object/],
    ['a device part that is no string', { device: { label: 7 as never } }, /^device\.label must be a string$/],
    ['a login in the future', { createdAt: 1_800_000_001 }, /^createdAt must be a time in the past/],
    [
      'a login longer ago than the absolute timeout',
      { createdAt: 1_700_000_000 },
      /^createdAt must not lie further back/,
    ],
  ])('%s', async (_name, input, message) => {
    const { sessions, store } = fixture<unknown>();
    const attempt = sessions.create(input);
    await expect(attempt).rejects.toThrow(InvalidInputError);
    await expect(attempt).rejects.toThrow(message);
    expect(store.items()).toEqual([]);
  });

  test('a missing user record key where the settings name a user record', async () => {
    const { sessions } = fixture({ userRecordAttribute: 'sessions_valid_after' });
    await expect(sessions.create({ user: 'alice' })).rejects.toThrow('userRecordKey must name the user record');
  });

  test('long device descriptions are cut, because clients choose them', async () => {
    const { sessions } = fixture();
    const { session } = await sessions.create({ user: 'alice', device: { userAgent: `${'x'.repeat(10_000)}\ud800` } });
    expect(session.device?.userAgent).toHaveLength(256);
  });
});

describe('save refuses, before the write', () => {
  test.each([
    ['data that is no JSON', () => ({ at: new Date(0) }), /^data\.at must be JSON/],
    ['more data than the cap', () => ({ text: 'x'.repeat(5000) }), /maxItemBytes allows 4096$/],
  ])('%s, and the stored data stays', async (_name, makeData, message) => {
    const { sessions, calls, cookie } = fixture<unknown>();
    const { token, session } = await sessions.create({ user: 'alice', data: { a: 1 } });
    calls.reset();
    session.data = makeData();
    await expect(sessions.save(session)).rejects.toThrow(message);
    expect(calls.counts()).toEqual({});
    expect(await sessions.read(cookie(token))).toMatchObject({ data: { a: 1 } });
  });

  test('a copy of a session', async () => {
    const { sessions } = fixture();
    const { session } = await sessions.create({ user: 'alice' });
    await expect(sessions.save({ ...session })).rejects.toThrow(
      /^session must be an object that read, create or rotate returned/,
    );
    await expect(sessions.destroy({ ...session })).rejects.toThrow(ConfigurationError);
  });

  test('a session near the cap still fits after everything the lifecycle adds', async () => {
    const { sessions, store } = fixture({ idleTimeoutSeconds: 3600 });
    const { session } = await sessions.create({ user: 'alice', data: { text: '' } });
    const fits = async (length: number): Promise<boolean> => {
      session.data = { text: 'x'.repeat(length) };
      return sessions.save(session).then(
        () => true,
        () => false,
      );
    };
    let [low, high] = [0, 4096];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (await fits(middle)) low = middle;
      else high = middle;
    }
    expect(await sessions.rotate(session)).not.toBeNull();
    const largest = Math.max(...store.items().map((item) => Buffer.byteLength(JSON.stringify(item))));
    expect(largest).toBeLessThan(4096 + 700);
  });
});

describe('settings refuse', () => {
  test.each<[string, SessionSettingsInput, RegExp]>([
    ['an unknown option', { idleTimeout: 5 } as never, /^idleTimeout is not a session setting; the settings are /],
    [
      'a timeout of zero',
      { absoluteTimeoutSeconds: 0 },
      /^absoluteTimeoutSeconds must be a whole number from 1 to 400 days, got 0$/,
    ],
    ['a negative timeout', { absoluteTimeoutSeconds: -1 }, /^absoluteTimeoutSeconds must/],
    ['over 400 days', { absoluteTimeoutSeconds: 400 * 86_400 + 1 }, /^absoluteTimeoutSeconds must/],
    ['milliseconds', { absoluteTimeoutSeconds: 30 * 86_400_000 }, /^absoluteTimeoutSeconds must/],
    ['a fraction', { absoluteTimeoutSeconds: 1.5 }, /^absoluteTimeoutSeconds must/],
    [
      'an idle timeout above the absolute one',
      { absoluteTimeoutSeconds: 60, idleTimeoutSeconds: 61 },
      /^idleTimeoutSeconds must/,
    ],
    [
      'a renewal interval without an idle timeout',
      { renewalIntervalSeconds: 5 },
      /^renewalIntervalSeconds must come with idleTimeoutSeconds$/,
    ],
    [
      'a renewal interval above the idle timeout',
      { idleTimeoutSeconds: 5, renewalIntervalSeconds: 6 },
      /^renewalIntervalSeconds must/,
    ],
    ['a wildcard origin', { allowedOrigins: ['*'] }, /^allowedOrigins must name each origin in full, no wildcard$/],
    [
      'an origin with a path',
      { allowedOrigins: ['https://a.example/'] },
      /^allowedOrigins must hold origins as browsers send them/,
    ],
    ['an origin with its default port', { allowedOrigins: ['https://a.example:443'] }, /^allowedOrigins must/],
    ['an upper-case origin', { allowedOrigins: ['https://A.example'] }, /^allowedOrigins must/],
    ['another scheme', { allowedOrigins: ['file://a'] }, /^allowedOrigins must/],
    ['a csrf profile that is none', { csrf: 'on' as never }, /^csrf must be compatible, strict or off$/],
    ['a cookie name with an attribute', { cookieName: 'a; Domain=b' }, /^cookieName must/],
    ['a misspelt prefix', { cookieName: '__host-session' }, /^cookieName must spell its prefix __Host- or __Secure-/],
    ['a bare prefix', { cookieName: '__Host-' }, /^cookieName must/],
    [
      'a __Host- name without Secure',
      { insecureLocalhost: true },
      /^cookieName must have no __Host- or __Secure- prefix with insecureLocalhost/,
    ],
    ['an epoch with a separator', { epoch: 'a#b' }, /^epoch must/],
    [
      'two equal attribute names',
      { attributeNames: { partitionKey: 'a', sortKey: 'a' } },
      /^attributeNames must be three different names$/,
    ],
    [
      'the name of a session attribute',
      { attributeNames: { expiresAt: 'data' } },
      /^attributeNames\.expiresAt must not be the name of a session attribute$/,
    ],
    ['no session at all', { maxSessionsPerUser: 0 }, /^maxSessionsPerUser must/],
    ['an item beyond DynamoDB', { maxItemBytes: 500_000 }, /^maxItemBytes must/],
  ])('%s', (_name, input, message) => {
    expect(() => resolveSettings(input)).toThrow(ConfigurationError);
    expect(() => resolveSettings(input)).toThrow(message);
  });
});

describe('createSessions', () => {
  const original = { ...process.env };
  afterEach(() => {
    process.env = { ...original };
  });

  test('works without arguments in a connected function', () => {
    process.env[ENVIRONMENT.tableName] = 'sessions';
    process.env[ENVIRONMENT.settings] = JSON.stringify({ cookieName: '__Host-app', idleTimeoutSeconds: 60 });
    expect(createSessions().settings).toMatchObject({ cookieName: '__Host-app', idleTimeoutSeconds: 60 });
  });

  test.each([
    [{}, /SESSIONGATE_TABLE_NAME must be set/],
    [{ [ENVIRONMENT.tableName]: 't' }, /SESSIONGATE_SETTINGS must be set/],
    [{ [ENVIRONMENT.tableName]: 't', [ENVIRONMENT.settings]: '{' }, /SESSIONGATE_SETTINGS must hold a JSON object/],
    [{ [ENVIRONMENT.tableName]: 't', [ENVIRONMENT.settings]: '7' }, /SESSIONGATE_SETTINGS must hold a JSON object/],
    [{ [ENVIRONMENT.tableName]: 't', [ENVIRONMENT.settings]: '{"csrf":"x"}' }, /csrf must be/],
  ])('names the environment variable that is missing or wrong: %j', (variables, message) => {
    delete process.env[ENVIRONMENT.tableName];
    delete process.env[ENVIRONMENT.settings];
    Object.assign(process.env, variables);
    expect(() => createSessions()).toThrow(ConfigurationError);
    expect(() => createSessions()).toThrow(message);
  });

  test('wants to be told of older systems in a function that is connected to them, be it that it knows none', () => {
    Object.assign(process.env, {
      [ENVIRONMENT.tableName]: 't',
      [ENVIRONMENT.settings]: '{}',
      [ENVIRONMENT.legacy]: '{"sources":[]}',
    });
    try {
      expect(() => createSessions()).toThrow(/^legacy must be given, as this function is connected to older systems/);
      expect(() => createSessions({ legacy: undefined })).not.toThrow();
      expect(() => createSessions({ store: new MemorySessionStore() })).not.toThrow();
    } finally {
      delete process.env[ENVIRONMENT.legacy];
    }
  });

  test.each<[string, unknown[], RegExp]>([
    [
      'a misspelt option',
      [undefined, async () => {}, { csrfheader: 'x-csrf-token' }],
      /^csrfheader must be one of the options/,
    ],
    ['an empty header', [undefined, async () => {}, { csrfHeader: '' }], /^csrfHeader must be the name of a header/],
    ['no handler', [undefined, undefined], /^handler must be a function/],
    ['swapped arguments', [async () => {}, {}], /^sessions must be what createSessions returned/],
  ])(
    'withSession refuses %s',
    (_, [sessions = createSessions({ store: new MemorySessionStore() }), handler, options], message) => {
      expect(() => withSession(sessions as never, handler as never, options as never)).toThrow(message);
    },
  );

  test('refuses settings beside those of the environment', () => {
    expect(() => createSessions({ epoch: '2' })).toThrow(
      /^epoch must be given to SessionTable, or together with a store$/,
    );
  });

  test('refuses insecureLocalhost in a deployed function', () => {
    process.env.AWS_LAMBDA_FUNCTION_NAME = 'login';
    expect(() =>
      createSessions({ store: new MemorySessionStore(), cookieName: 'session', insecureLocalhost: true }),
    ).toThrow(/^insecureLocalhost must not be set in a deployed function$/);
  });

  test('refuses a table without a name', () => {
    expect(() => new DynamoDbSessionStore({ tableName: '' })).toThrow(/^tableName must be/);
  });

  test.each([[Number.NaN], [undefined]])('refuses a clock that says %p, before anything is written', async (now) => {
    const { sessions, store } = fixture({ now: () => now as never });

    await expect(sessions.create({ user: 'alice' })).rejects.toThrow(/^now must return Unix seconds$/);
    expect(store.items()).toEqual([]);
  });

  test('takes whole seconds from a clock with fractions', async () => {
    const { sessions } = fixture({ now: () => 1_800_000_000.7 });

    expect((await sessions.create({ user: 'alice' })).session.createdAt).toBe(1_800_000_000);
  });
});
