// SPDX-License-Identifier: Apache-2.0
/** Logging in with Express, over HTTP. */
import { hashSessionToken, parseSessionToken } from '../../lambda/session/token';
import { COOKIE, tokenOf, world } from './world';

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
    const { browser, sessions } = await world({}, {}, { login: () => ({ authentication }) });
    await sessions.revokeAll('alice');

    expect((await browser.get('/login?user=alice')).body).toEqual({ code: 'ERR_SESSION_AUTHENTICATION_SUPERSEDED' });
    expect((await browser.get('/me')).body).toMatchObject({ user: null });
  });

  test('gives the session its claims', async () => {
    const { browser, sessions } = await world({}, {}, { login: (data) => ({ claims: { name: `${data.userId}` } }) });
    await browser.get('/login?user=alice');

    const found = await sessions.read(browser.cookieHeader);

    expect(found).toMatchObject({ user: 'alice', claims: { name: 'alice' } });
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

  test('a planted inner cookie does not get in the way of the session’s own', async () => {
    const { application, browser } = await world();
    await browser.get('/login?user=alice');

    const Cookie = `sessiongate.sid=s%3A${'A'.repeat(43)}.x; ${browser.cookieHeader}`;
    const response = await fetch(`${application.url}/me`, { headers: { Cookie } });

    expect(await response.json()).toMatchObject({ user: 'alice' });
  });

  test('two session cookies are none', async () => {
    const { application, browser } = await world();
    await browser.get('/login?user=alice');

    const Cookie = `${browser.cookieHeader}; ${COOKIE}=${'A'.repeat(43)}`;
    const response = await fetch(`${application.url}/me`, { headers: { Cookie } });

    expect(await response.json()).toMatchObject({ user: null });
  });
});
