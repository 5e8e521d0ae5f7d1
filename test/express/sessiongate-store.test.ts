// SPDX-License-Identifier: Apache-2.0
/** The express-session store under the real Express and express-session, over HTTP. */
import session from 'express-session';
import { SessiongateStore, type SessiongateStoreOptions } from '../../lambda/express';
import type { CreateSessionsOptions } from '../../lambda/session/create-sessions';
import { hashSessionToken, parseSessionToken } from '../../lambda/session/token';
import { type Fixture, fixture } from '../session/fixtures';
import { type Application, startApplication } from './application';
import { Browser } from './browser';

const COOKIE = '__Host-session';
const applications: Application[] = [];
afterEach(async () => {
  for (const application of applications.splice(0)) await application.close();
});

interface World extends Fixture<Record<string, unknown>> {
  readonly store: Fixture<Record<string, unknown>>['store'];
  readonly expressStore: SessiongateStore;
  readonly application: Application;
  readonly browser: Browser;
}

async function world(
  options: CreateSessionsOptions = {},
  middleware: Parameters<SessiongateStore['middleware']>[0] = {},
  login?: SessiongateStoreOptions['login'],
): Promise<World> {
  const parts = fixture(options);
  const expressStore = new SessiongateStore({
    sessions: parts.sessions,
    user: (data) => data.userId,
    ...(login === undefined ? {} : { login }),
  });
  const application = await startApplication(expressStore.middleware(middleware));
  applications.push(application);
  return { ...parts, expressStore, application, browser: new Browser(application) };
}

function tokenOf(browser: Browser): string {
  return browser.cookies.get(COOKIE) ?? '';
}

describe('login', () => {
  test('starts a session of the user, in the session cookie and in no other', async () => {
    const { browser, sessions, store } = await world();

    const answer = await browser.get('/login?user=alice');

    expect(answer.status).toBe(200);
    expect(answer.cacheControl).toBe('no-store');
    expect(answer.setCookies).toEqual([
      `${COOKIE}=${tokenOf(browser)}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=2592000`,
    ]);
    expect(parseSessionToken(tokenOf(browser))).not.toBeNull();
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
    expect((await sessions.list('alice')).map(({ id }) => id)).toEqual([hashSessionToken(tokenOf(browser))]);
    expect(JSON.stringify(store.items())).not.toContain(tokenOf(browser));
  });

  test('keeps the browser’s cookie for cookie.maxAge where one is given', async () => {
    const { browser } = await world({}, { cookie: { maxAge: 3_600_000 } });

    expect((await browser.get('/login?user=alice')).setCookies[0]).toMatch(/; Max-Age=3600$/);
  });

  test('over an anonymous session ends that one: a planted session is not logged in', async () => {
    const { browser, application } = await world();
    await browser.get('/visit');
    const attacker = browser.copy();

    await browser.get('/login?user=alice');

    expect(tokenOf(browser)).not.toBe(tokenOf(attacker));
    expect((await attacker.get('/me')).body).toMatchObject({ user: null, visits: 0 });
    expect(application.failures).toEqual([]);
  });

  test('into a session that was there before is refused with a word about regenerate', async () => {
    const { browser, application, sessions } = await world();
    await browser.get('/visit');

    const answer = await browser.get('/login-in-place?user=alice');

    expect(answer.status).toBe(500);
    expect(application.failures[0]?.message).toMatch(/request\.session\.regenerate/);
    expect(await sessions.list('alice')).toEqual([]);
    expect((await browser.get('/me')).body).toMatchObject({ user: null, visits: 1 });
  });

  test('of another user without regenerate is refused', async () => {
    const { browser, application } = await world();
    await browser.get('/login?user=alice');

    expect((await browser.get('/login-in-place?user=bob')).body).toEqual({ code: 'ERR_SESSION_INVALID_INPUT' });
    expect(application.failures[0]?.message).not.toContain(tokenOf(browser));
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });

  test('loses to a log-out-everywhere that came after its credentials were checked', async () => {
    const authentication = { user: 'alice', generation: 0 };
    const { browser, sessions } = await world({}, {}, () => ({ authentication }));
    await sessions.revokeAll('alice');

    expect((await browser.get('/login?user=alice')).body).toEqual({ code: 'ERR_SESSION_AUTHENTICATION_SUPERSEDED' });
    expect((await browser.get('/me')).body).toMatchObject({ user: null });
  });

  test('gives the session its claims', async () => {
    const { browser, sessions } = await world({}, {}, (data) => ({ claims: { name: `${data.userId}` } }));
    await browser.get('/login?user=alice');

    const found = await sessions.read(browser.cookieHeader);

    expect(found).toMatchObject({ user: 'alice', claims: { name: 'alice' } });
  });

  test('of a disabled user is refused', async () => {
    const { browser, sessions } = await world();
    await sessions.disable('alice');

    expect((await browser.get('/login?user=alice')).body).toEqual({ code: 'ERR_SESSION_USER_DISABLED' });
  });
});

describe('no session comes from an unknown id', () => {
  test.each([
    ['a well-formed token', `${COOKIE}=${'A'.repeat(43)}`],
    ['an old express-session cookie', 'connect.sid=s%3Aabc.def'],
    ['the inner cookie', `sessiongate.sid=s%3A${'A'.repeat(43)}.x`],
    ['the inner cookie, unsigned', `sessiongate.sid=${'A'.repeat(43)}`],
  ])('%s', async (_name, cookie) => {
    const { application, store } = await world();

    const response = await fetch(`${application.url}/visit`, { headers: { Cookie: cookie } });

    const [token] = /[\w-]{43}/.exec(response.headers.getSetCookie()[0] ?? '') ?? [];
    expect(token).not.toBe('A'.repeat(43));
    expect(store.items()).toHaveLength(1);
  });

  test('two session cookies are none', async () => {
    const { application, browser } = await world();
    await browser.get('/login?user=alice');

    const Cookie = `${browser.cookieHeader}; ${COOKIE}=${'A'.repeat(43)}`;
    const response = await fetch(`${application.url}/me`, { headers: { Cookie } });

    expect(await response.json()).toMatchObject({ user: null });
  });
});

describe('logout', () => {
  test('ends the session and clears the cookie', async () => {
    const { browser, sessions } = await world();
    await browser.get('/login?user=alice');
    const thief = browser.copy();

    const answer = await browser.get('/logout');

    expect(answer.setCookies).toEqual([sessions.clearCookie]);
    expect(answer.cacheControl).toBe('no-store');
    expect(browser.cookies.size).toBe(0);
    expect((await thief.get('/me')).body).toMatchObject({ user: null });
  });

  test('is not what a request that puts its session aside asks for', async () => {
    const { browser } = await world();
    await browser.get('/login?user=alice');

    expect((await browser.get('/put-aside')).setCookies).toEqual([]);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });

  test('by taking the user out of the data, as Passport does, ends the session', async () => {
    const { browser, sessions, application } = await world();
    await browser.get('/login?user=alice');
    const thief = browser.copy();

    expect((await browser.get('/passport-logout')).status).toBe(200);

    expect(await sessions.read(thief.cookieHeader)).toBeNull();
    expect(await sessions.list('alice')).toEqual([]);
    expect(application.failures).toEqual([]);
  });

  test('with a request in flight: its save does nothing', async () => {
    const { browser, application, store } = await world();
    await browser.get('/login?user=alice');
    const inFlight = browser.copy().get('/held?note=late');
    await application.held(1);

    await browser.copy().get('/logout');
    const atLogout = JSON.stringify(store.items());
    application.release();

    expect((await inFlight).status).toBe(200);
    expect(JSON.stringify(store.items())).toBe(atLogout);
    expect((await browser.get('/me')).body).toMatchObject({ user: null, note: null });
    expect(application.failures).toEqual([]);
  });

  test('with a request in flight: its touch does nothing, even where a slide is due', async () => {
    const { browser, application, store, clock } = await world({ idleTimeoutSeconds: 1000 });
    await browser.get('/login?user=alice');
    clock.advance(500);
    const inFlight = browser.copy().get('/held-touch');
    await application.held(1);

    await browser.copy().get('/logout');
    const atLogout = JSON.stringify(store.items());
    application.release();
    await inFlight;

    expect(JSON.stringify(store.items())).toBe(atLogout);
    expect((await browser.get('/me')).body).toMatchObject({ user: null });
  });

  test('everywhere logs the user out of Express on the next request', async () => {
    const { browser, application, sessions } = await world();
    const phone = new Browser(application);
    await browser.get('/login?user=alice');
    await phone.get('/login?user=alice');

    await sessions.revokeAll('alice');

    expect((await browser.get('/me')).body).toMatchObject({ user: null });
    expect((await phone.get('/me')).body).toMatchObject({ user: null });
  });
});

describe('saving', () => {
  test('of two at the same time the second is told, and nothing of the first is lost', async () => {
    const { browser, application } = await world();
    await browser.get('/login?user=alice');
    const both = [browser.copy().get('/held?note=one'), browser.copy().get('/held?note=two')];
    await application.held(2);
    application.release();

    const statuses = (await Promise.all(both)).map(({ status }) => status);

    expect([...statuses].sort()).toEqual([200, 409]);
    expect((await browser.get('/me')).body.note).toBe(statuses[0] === 200 ? 'one' : 'two');
  });

  test('an unchanged session costs one read and no write', async () => {
    const { browser, calls } = await world({}, { resave: true, cookie: { maxAge: 86_400_000 } });
    await browser.get('/login?user=alice');
    calls.reset();

    await browser.get('/me');

    expect(calls.counts()).toEqual({ get: 1 });
  });

  test('slides the idle timeout once per renewal interval', async () => {
    const { browser, calls, clock } = await world({ idleTimeoutSeconds: 1000 });
    await browser.get('/login?user=alice');
    calls.reset();

    clock.advance(99);
    await browser.get('/me');
    expect(calls.counts()).toEqual({ get: 1 });
    clock.advance(1);
    await browser.get('/me');
    await browser.get('/me');
    expect(calls.counts()).toEqual({ get: 3, update: 1 });
    clock.advance(1000);
    expect((await browser.get('/me')).body).toMatchObject({ user: null });
  });

  test('keeps what was saved', async () => {
    const { browser } = await world();
    await browser.get('/visit');
    await browser.get('/visit');

    expect((await browser.get('/me')).body).toMatchObject({ visits: 2 });
  });

  test('twice in a row, without waiting, is no conflict with oneself', async () => {
    const { expressStore } = await world();
    const request = { sessionID: '' } as never as Parameters<SessiongateStore['createSession']>[0];
    request.sessionID = expressStore.genid(request);
    const made = expressStore.createSession(request, { cookie: {} } as session.SessionData);

    const failures = await Promise.all(
      [1, 2, 3].map((visits) => {
        made.visits = visits;
        return new Promise((resolve) => {
          expressStore.set(request.sessionID, made, resolve);
        });
      }),
    );

    expect(failures).toEqual([null, null, null]);
    expect(expressStore.sessionOf(made)).toMatchObject({ id: hashSessionToken(request.sessionID), version: 2 });
    const found = await new Promise<session.SessionData | null | undefined>((resolve) => {
      expressStore.get(request.sessionID, (_failure, data) => resolve(data));
    });
    expect(found?.visits).toBe(3);
  });

  test('under an id that this store did not draw is refused, and writes nothing', async () => {
    const { expressStore, calls } = await world();

    const failure = await new Promise<unknown>((resolve) => {
      expressStore.set('A'.repeat(43), { cookie: {} } as session.SessionData, resolve);
    });

    expect(failure).toMatchObject({ code: 'ERR_SESSION_INVALID_INPUT' });
    expect(calls.count()).toBe(0);
  });

  test('without genid is refused with a word about it', async () => {
    const { sessions } = fixture();
    const store = new SessiongateStore({ sessions, user: (data) => data.userId });
    const application = await startApplication(
      session({ store, secret: 'a secret', resave: false, saveUninitialized: false }),
    );
    applications.push(application);

    await new Browser(application).get('/login?user=alice');

    expect(application.failures[0]?.message).toMatch(/genid: store\.genid/);
  });

  test('a store that fails is an error, not a logout', async () => {
    const { browser, calls } = await world();
    await browser.get('/login?user=alice');
    calls.beforeNext('get', () => {
      throw Object.assign(new Error('the table is out of reach'), { code: 'ERR_TABLE' });
    });

    expect(await browser.get('/me')).toMatchObject({ status: 500, body: { code: 'ERR_TABLE' }, setCookies: [] });
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });
});

test('a route in front of the middleware leaves the cookie alone', async () => {
  const { browser } = await world();
  await browser.get('/login?user=alice');

  expect((await browser.get('/public')).setCookies).toEqual([]);
  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
});
