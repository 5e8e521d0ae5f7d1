// SPDX-License-Identifier: Apache-2.0
/**
 * Users of real Express applications come to a REST API behind the local gateway: let in without a second login, moved in
 * once, and out when they log out. With express-session over connect-dynamodb, and with cookie-session.
 */
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import { createSdkSessionReader } from '../../lambda/authorizer/sdk-session-reader';
import { createDynamoDbExpressStore } from '../../lambda/legacy/express-session/dynamodb-express-store';
import { createExpressSessionSource } from '../../lambda/legacy/express-session/express-session-source';
import { createCookieSessionSource } from '../../lambda/legacy/signed-cookie/cookie-session-source';
import { createSessions } from '../../lambda/session/create-sessions';
import { withSession } from '../../lambda/session/with-session';
import { DEFAULT_ATTRIBUTE_NAMES } from '../../lambda/settings';
import { startRestGateway, type TestedGateway } from '../local/support/rest-gateway';
import { restTemplate } from '../local/support/rest-template';
import { CLIENT_DEFAULTS, type EmulatedTable, startEmulatedTable } from '../session/emulated-table';
import {
  Browser,
  connectDynamoDbStore,
  cookieSessionOf,
  expressSession,
  type OldApplication,
  startOldApplication,
} from './express-app';

const NEW_COOKIE = '__Host-session';
const OLD_TABLE = 'old-sessions';
const HOURS_AHEAD = Math.floor(Date.now() / 1000) + 3_600;

let table: EmulatedTable;
let gateway: TestedGateway;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  table = await startEmulatedTable();
  const sources = [
    createExpressSessionSource({
      store: createDynamoDbExpressStore({ tableName: OLD_TABLE, package: 'connect-dynamodb', client: table.client }),
      secrets: ['new-secret', 'old-secret'],
      csrfTokenPath: '_csrf',
    }),
    ...(['sha1', 'sha256'] as const).map((algorithm) =>
      createCookieSessionSource({
        sourceName: `cookie-session-${algorithm}`,
        cookieName: algorithm,
        keys: ['k1', 'k0'],
        algorithm,
        acceptUntil: HOURS_AHEAD,
      }),
    ),
  ];
  const sessions = createSessions({ store: table.store, legacy: { sources } });
  const authorize = createAuthorizer(
    {
      reader: createSdkSessionReader({
        tableName: 'sessions',
        attributeNames: DEFAULT_ATTRIBUTE_NAMES,
        endpoint: table.emulator.endpoint,
        // Fifty requests at once on a small machine: how long they take is not what is tested here.
        client: { ...CLIENT_DEFAULTS, requestHandler: { requestTimeout: 60_000 } },
      }),
    },
    { cookieName: NEW_COOKIE, legacy: sources },
  );
  const respond = withSession(sessions, async (event, request) => {
    const { user } = request.session ?? {};
    if ((event as { httpMethod?: string }).httpMethod === 'DELETE') await request.end();
    return { statusCode: 200, body: JSON.stringify({ user: user ?? null }) };
  });
  gateway = await startRestGateway(restTemplate(), {
    authorize: async (event) => ({ result: await authorize(event) }),
    respond: async (event) => ({ result: await respond(event) }),
  });
});

afterAll(async () => {
  for (const close of closers) await close();
  await gateway.close();
  await table.close();
});

async function request(browser: Browser, method = 'GET') {
  const answer = await gateway.send(method, '/session', [['Cookie', browser.cookieHeader]]);
  const setCookies = [answer.headers['set-cookie'] ?? []].flat();
  browser.take(setCookies);
  return { status: answer.status, user: answer.status === 200 ? JSON.parse(answer.body).user : null, setCookies };
}

async function login(app: OldApplication, user: string): Promise<Browser> {
  const browser = new Browser();
  await browser.visit(`${app.url}/login?user=${user}`);
  return browser;
}

const sessionsOf = async (user: string) => (await table.store.query(`SU#${user}`, 'S#')).items.length;

describe('a user who is logged in with express-session', () => {
  let app: OldApplication;
  beforeAll(async () => {
    app = await startOldApplication(expressSession({ store: await connectDynamoDbStore(table.client, OLD_TABLE) }));
    closers.push(app.close);
  });

  it('is let in without a second login, and stays logged in there until the new cookie has come back', async () => {
    const browser = await login(app, 'alice');

    expect(await request(browser)).toMatchObject({ status: 200, user: 'alice' });
    expect([...browser.cookies.keys()]).toEqual(['connect.sid', NEW_COOKIE]);
    expect(await browser.visit(`${app.url}/me`)).toEqual({ user: 'alice' });

    const old = browser.copy();
    expect(await request(browser)).toMatchObject({ status: 200, user: 'alice' });

    expect([...browser.cookies.keys()]).toEqual([NEW_COOKIE]);
    expect(await old.visit(`${app.url}/me`)).toEqual({ user: null });
    expect(await request(browser)).toMatchObject({ status: 200, user: 'alice' });
  });

  it('moves in once under fifty first requests at the same time', async () => {
    const browser = await login(app, 'bob');

    const answers = await Promise.all(Array.from({ length: 50 }, () => request(browser.copy())));

    expect(answers.map(({ status, user }) => [status, user])).toEqual(Array(50).fill([200, 'bob']));
    expect(new Set(answers.flatMap(({ setCookies }) => setCookies.map((cookie) => cookie.split(';')[0]))).size).toBe(1);
    expect(await sessionsOf('bob')).toBe(1);
  });

  it('is out after a logout: the old cookie mints nothing, even if Express writes its session again', async () => {
    const browser = await login(app, 'carol');
    await request(browser);
    const thief = browser.copy();
    thief.cookies.delete(NEW_COOKIE);
    const oldPage = fetch(`${app.url}/login?user=carol`, { headers: { Cookie: thief.cookieHeader } });

    expect(await request(browser, 'DELETE')).toMatchObject({ status: 200 });
    await (await oldPage).text();
    // The old application's own upsert: the same id is logged in there once more.
    await fetch(`${app.url}/login?user=carol`, { headers: { Cookie: thief.cookieHeader } });

    expect([...browser.cookies.keys()]).toEqual([]);
    expect(await request(thief)).toMatchObject({ status: 403, setCookies: [] });
    expect(await request(browser)).toMatchObject({ status: 401 });
    expect(await sessionsOf('carol')).toBe(0);
  });

  it('is refused with a cookie that another secret signed, before anything is read', async () => {
    const foreign = await startOldApplication(expressSession({ secret: 'unknown-secret' }));
    closers.push(foreign.close);
    const browser = await login(foreign, 'mallory');
    table.emulator.resetCounts();

    expect(await request(browser)).toMatchObject({ status: 403 });
    expect(table.emulator.counts().requests).toBe(0);
  });
});

describe.each(['sha1', 'sha256'] as const)('a user who is logged in with cookie-session and %s', (algorithm) => {
  it.each([
    ['the first key', ['k1']],
    ['an older key', ['k0']],
  ])('and %s is let in, moves in once, and is out after a logout', async (name, keys) => {
    const app = await startOldApplication(cookieSessionOf(keys, algorithm, algorithm));
    closers.push(app.close);
    const user = `${algorithm}-${name.replaceAll(' ', '-')}`;
    const browser = await login(app, user);
    const thief = browser.copy();

    const answers = await Promise.all(Array.from({ length: 5 }, () => request(browser)));

    expect(answers.map(({ status, user }) => [status, user])).toEqual(Array(5).fill([200, user]));
    expect(await sessionsOf(user)).toBe(1);
    expect(await request(browser)).toMatchObject({ status: 200, user });
    expect([...browser.cookies.keys()]).toEqual([NEW_COOKIE]);

    await request(browser, 'DELETE');

    expect(await request(thief)).toMatchObject({ status: 403, setCookies: [] });
    expect(await sessionsOf(user)).toBe(0);
  });
});
