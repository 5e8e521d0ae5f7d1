// SPDX-License-Identifier: Apache-2.0
/** Sessions of express-session in each store: written by the real package where it can run, else as it is known to write. */
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { createDynamoDbExpressStore } from '../../lambda/legacy/express-session/dynamodb-express-store';
import {
  createExpressSessionSource,
  type ExpressSessionSourceOptions,
} from '../../lambda/legacy/express-session/express-session-source';
import type { StoredExpressSession } from '../../lambda/legacy/express-session/express-session-store';
import { signSessionId } from '../../lambda/legacy/express-session/unsign-express-cookie';
import type { LegacySession } from '../../lambda/session/legacy-source';
import { ConfigurationError } from '../../lambda/settings';
import { type Emulator, startEmulator } from '../../local/emulator/start-emulator';
import { CLIENT_DEFAULTS } from '../session/emulated-table';
import { Browser, connectDynamoDbStore, createOldTable, expressSession, startOldApplication } from './express-app';

const NOW = 1_800_000_000;
const ID = 'abcDEF-_0123456789abcDEF-_012345';
const SIGNED = encodeURIComponent(`s:${ID}.${signSessionId(ID, 's-new')}`);

let emulator: Emulator;
let client: DynamoDBClient;

beforeAll(async () => {
  emulator = await startEmulator();
  client = new DynamoDBClient({ endpoint: emulator.endpoint, ...CLIENT_DEFAULTS });
});

afterAll(async () => {
  client.destroy();
  await emulator.close();
});

function sourceOver(
  stored: StoredExpressSession | undefined,
  options: Partial<ExpressSessionSourceOptions> = {},
): ReturnType<typeof createExpressSessionSource> {
  return createExpressSessionSource({
    store: { read: async () => stored, end: async () => {} },
    secrets: ['s-new'],
    ...options,
  });
}

describe('with the real express-session and connect-dynamodb', () => {
  it('reads the session behind the cookie, and ends it', async () => {
    const store = await connectDynamoDbStore(client);
    const app = await startOldApplication(expressSession({ store }));
    const browser = new Browser();
    await browser.visit(`${app.url}/login?user=u-1`);
    const source = createExpressSessionSource({
      store: createDynamoDbExpressStore({ tableName: 'old-sessions', package: 'connect-dynamodb', client }),
      secrets: ['new-secret', 'old-secret'],
      csrfTokenPath: '_csrf',
    });
    const now = Math.floor(Date.now() / 1000);

    const id = source.verify(Object.fromEntries(browser.cookies), now) ?? '';
    const session = (await source.read(id, now)) as LegacySession;

    expect(session).toMatchObject({ user: 'u-1', createdAt: 0, csrfToken: 'csrf of u-1' });
    expect(session.expiresAt).toBeGreaterThan(now + 86_000);
    expect(session.data).toEqual({ passport: { user: 'u-1' }, _csrf: 'csrf of u-1' });
    expect(await browser.visit(`${app.url}/me`)).toEqual({ user: 'u-1' });

    await source.end(id);

    expect(await source.read(id, now)).toEqual({ refused: 'absent' });
    expect(await browser.visit(`${app.url}/me`)).toEqual({ user: null });
    await app.close();
  });
});

describe('an item in DynamoDB', () => {
  const cookie = { originalMaxAge: 86_400_000, expires: '2026-12-01T15:28:41.214Z', httpOnly: true, path: '/' };
  const json = JSON.stringify({ cookie, passport: { user: 'u-1' }, _csrf: 'c-1' });
  const map: AttributeValue = {
    M: {
      cookie: { M: { originalMaxAge: { N: '86400000' }, httpOnly: { BOOL: true }, expires: { NULL: true } } },
      passport: { M: { user: { S: 'u-1' } } },
      roles: { L: [{ S: 'editor' }] },
      updated: { N: '1800000000123' },
    },
  };
  const expires: AttributeValue = { N: String(NOW + 60) };

  it.each([
    ['connect-dynamodb', { id: { S: `sess:${ID}` }, type: { S: 'connect-session' }, sess: { S: json }, expires }],
    ['dynamodb-store', { sessionId: { S: `sess:${ID}` }, sess: map, expires }],
    ['@pwrdrvr/dynamodb-session-store', { id: { S: `session#${ID}` }, sess: map, expires }],
    ['@pwrdrvr/dynamodb-session-store', { id: { S: `session#${ID}` }, sess: { S: json }, expires }],
    ['connect-dynamodb', { id: { S: `sess:${ID}` }, sess: { S: json }, expires: { N: `${NOW + 60}.214` } }],
  ] as const)('of %s is read', async (name, item) => {
    const tableName = await tableWith(name === 'dynamodb-store' ? 'sessionId' : 'id', item);
    const source = createExpressSessionSource({
      store: createDynamoDbExpressStore({ tableName, package: name, client }),
      secrets: ['s-new'],
    });

    expect(await source.read(ID, NOW)).toMatchObject({ user: 'u-1', createdAt: 0, expiresAt: NOW + 60 });
  });

  it.each([
    ['what a touch after logout leaves', { expires }, 'absent'],
    ['no expiry', { sess: { S: json } }, 'malformed'],
    ['an expiry in text', { sess: { S: json }, expires: { S: String(NOW + 60) } }, 'malformed'],
    ['an expiry in milliseconds', { sess: { S: json }, expires: { N: `${NOW + 60}000` } }, 'malformed'],
    ['an expiry that is reached', { sess: { S: json }, expires: { N: String(NOW) } }, 'expired'],
    ['a session that is no JSON', { sess: { S: '{' }, expires }, 'malformed'],
    ['a session in binary', { sess: { B: new Uint8Array([1]) }, expires }, 'absent'],
    ['a prototype', { sess: { S: '{"passport":{"user":"u-1"},"__proto__":{}}' }, expires }, 'malformed'],
    ['no user', { sess: { S: '{"passport":{}}' }, expires }, 'anonymous'],
    ['an empty user', { sess: { S: '{"passport":{"user":""}}' }, expires }, 'malformed'],
    ['a user that is an object', { sess: { S: '{"passport":{"user":{"id":1}}}' }, expires }, 'malformed'],
    ['a user with a line break', { sess: { S: '{"passport":{"user":"a\\r\\nb"}}' }, expires }, 'malformed'],
    ['a user called 0', { sess: { S: '{"passport":{"user":0}}' }, expires }, 'malformed'],
  ] as const)('is no session with %s, and stays as it is', async (_, attributes, refused) => {
    const tableName = await tableWith('id', {
      id: { S: `sess:${ID}` },
      ...(attributes as Record<string, AttributeValue>),
    });
    const source = createExpressSessionSource({
      store: createDynamoDbExpressStore({ tableName, package: 'connect-dynamodb', client }),
      secrets: ['s-new'],
    });
    emulator.resetCounts();

    expect(await source.read(ID, NOW)).toEqual({ refused });
    expect(Object.keys(emulator.counts().operations)).toEqual(['GetItem']);
  });

  it.each([
    ['another id', { id: { S: `sess:${ID}x` } }],
    ['the id without its prefix', { id: { S: ID } }],
    ['an id of another type', { id: { B: Buffer.from(`sess:${ID}`) } }],
    ['no id', {}],
  ])('with %s than was asked for is nobody: two users were mixed up on the way', async (_, key) => {
    const item = { sess: { S: json }, expires };
    const answers = [{ Item: { ...item, id: { S: `sess:${ID}` } } }, { Item: { ...item, ...key } }];
    const send = jest.spyOn(client, 'send').mockImplementation(async () => answers.shift());
    const source = createExpressSessionSource({
      store: createDynamoDbExpressStore({ tableName: 'old', package: 'connect-dynamodb', client }),
      secrets: ['s-new'],
    });

    expect(await source.read(ID, NOW)).toMatchObject({ user: 'u-1' });
    expect(await source.read(ID, NOW)).toEqual({ refused: 'absent' });
    send.mockRestore();
  });

  let tables = 0;
  async function tableWith(hashKey: string, item: Record<string, AttributeValue>): Promise<string> {
    const tableName = `old-${++tables}`;
    await createOldTable(client, tableName, hashKey);
    await client.send(new PutItemCommand({ TableName: tableName, Item: item }));
    return tableName;
  }
});

describe('the login in a session', () => {
  const read = (session: object, options: Partial<ExpressSessionSourceOptions>) =>
    sourceOver({ session, expiresAt: NOW + 60 }, options).read(ID, NOW);

  it.each([
    ['userId', { userId: 42 }, '42'],
    ['auth.account.id', { auth: { account: { id: '5f43' } } }, '5f43'],
    [['user.id'], { 'user.id': 'u-1' }, 'u-1'],
  ] as const)('is found at %j', async (userPath, session, user) => {
    expect(await read(session, { userPath })).toMatchObject({ user });
  });

  it.each([
    ['ISO 8601', new Date((NOW - 100) * 1000).toISOString(), NOW - 100],
    ['milliseconds', (NOW - 100) * 1000 + 999, NOW - 100],
    ['seconds', NOW - 100, NOW - 100],
    ['a clock a little ahead', NOW + 30, NOW],
  ])('began when the data says in %s', async (_, loginAt, createdAt) => {
    const session = { passport: { user: 'u-1' }, loginAt };

    expect(await read(session, { createdAtPath: 'loginAt' })).toMatchObject({ createdAt });
  });

  it.each([
    ['lies ahead', NOW + 61],
    ['is no time', 'yesterday'],
    ['is a date without a time zone', '2026-11-30T10:00:00'],
    ['is negative', -1],
    ['is null', null],
  ])('is refused if its beginning %s', async (_, loginAt) => {
    expect(await read({ passport: { user: 'u-1' }, loginAt }, { createdAtPath: 'loginAt' })).toEqual({
      refused: 'malformed',
    });
  });

  it('began at an unknown time where the data does not say', async () => {
    expect(await read({ passport: { user: 'u-1' } }, { createdAtPath: 'loginAt' })).toMatchObject({ createdAt: 0 });
  });
});

describe('the cookie', () => {
  it('is accepted until the cut-off date', () => {
    const source = sourceOver(undefined, { acceptUntil: NOW });

    expect(source.verify({ 'connect.sid': SIGNED }, NOW - 1)).toBe(ID);
    expect(source.verify({ 'connect.sid': SIGNED }, NOW)).toBeUndefined();
  });

  it('must be there and signed', () => {
    expect(sourceOver(undefined).verify({}, NOW)).toBeUndefined();
    expect(sourceOver(undefined).verify({ 'connect.sid': ID }, NOW)).toBeUndefined();
    expect(sourceOver(undefined, { secrets: ['s-other'] }).verify({ 'connect.sid': SIGNED }, NOW)).toBeUndefined();
  });

  it('is cleared as it was set', () => {
    const source = sourceOver(undefined, { cookieName: 'sid', cookiePath: '/app', cookieDomain: 'example.com' });

    expect(source.clearCookies).toEqual([
      'sid=; Path=/app; Domain=example.com; HttpOnly; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    ]);
  });
});

describe('an option', () => {
  it.each([
    ['secrets', { secrets: [] }],
    ['secrets', { secrets: [''] }],
    ['store', { store: {} as never }],
    ['cookieName', { cookieName: 'a;b' }],
    ['sourceName', { sourceName: 'Express' }],
    ['acceptUntil', { acceptUntil: 1.5 }],
    ['acceptUntil', { acceptUntil: NOW * 1000 }],
    ['cookiePath', { cookiePath: '/a;Domain=x' }],
    ['cookieDomain', { cookieDomain: 'x; Secure' }],
  ])('%s that cannot work is refused at the start', (option, options) => {
    expect(() => sourceOver(undefined, options)).toThrow(ConfigurationError);
    expect(() => sourceOver(undefined, options)).toThrow(new RegExp(`^${option} must`));
  });

  it.each(['text', undefined, {}, { prepare: async () => {} }])('secrets cannot be %j: a list is wanted', (secrets) => {
    const message = "secrets must be a list of secrets, such as ['the secret'], or what createSecrets returns";

    expect(() => sourceOver(undefined, { secrets: secrets as never })).toThrow(new ConfigurationError(message));
  });

  it.each([
    ['tableName', { tableName: '', package: 'connect-dynamodb' as const }],
    ['package', { tableName: 'old', package: 'express' as never }],
  ])('%s of the table that cannot work is refused at the start', (option, options) => {
    expect(() => createDynamoDbExpressStore(options)).toThrow(new RegExp(`^${option} must`));
  });
});
