// SPDX-License-Identifier: Apache-2.0
/**
 * Users of real Express applications come to a REST API behind the local gateway: let in without a second login, moved in
 * once, and out when they log out. With express-session over connect-dynamodb, and with cookie-session.
 */
import { createDynamoDbExpressStore } from '../../lambda/legacy/express-session/dynamodb-express-store';
import { createExpressSessionSource } from '../../lambda/legacy/express-session/express-session-source';
import { createCookieSessionSource } from '../../lambda/legacy/signed-cookie/cookie-session-source';
import {
  Browser,
  connectDynamoDbStore,
  cookieSessionOf,
  expressSession,
  type OldApplication,
  startOldApplication,
} from './express-app';
import { NEW_COOKIE, type OldUsersGateway, startOldUsersGateway } from './old-users-gateway';

const OLD_TABLE = 'old-sessions';
const HOURS_AHEAD = Math.floor(Date.now() / 1000) + 3_600;

let gateway: OldUsersGateway;
let request: OldUsersGateway['request'];
let sessionsOf: OldUsersGateway['sessionsOf'];
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  gateway = await startOldUsersGateway(({ client }) => [
    createExpressSessionSource({
      store: createDynamoDbExpressStore({ tableName: OLD_TABLE, package: 'connect-dynamodb', client }),
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
  ]);
  ({ request, sessionsOf } = gateway);
});

afterAll(async () => {
  for (const close of closers) await close();
  await gateway.close();
});

async function login(app: OldApplication, user: string): Promise<Browser> {
  const browser = new Browser();
  await browser.visit(`${app.url}/login?user=${user}`);
  return browser;
}

describe('a user who is logged in with express-session', () => {
  let app: OldApplication;
  beforeAll(async () => {
    app = await startOldApplication(
      expressSession({ store: await connectDynamoDbStore(gateway.table.client, OLD_TABLE) }),
    );
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
    gateway.table.emulator.resetCounts();

    expect(await request(browser)).toMatchObject({ status: 403 });
    expect(gateway.table.emulator.counts().requests).toBe(0);
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
