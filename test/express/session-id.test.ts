// SPDX-License-Identifier: Apache-2.0
/** What Express calls a session, and what of it may be seen. */
import session from 'express-session';
import { SessiongateStore } from '../../lambda/express';
import { hashSessionToken } from '../../lambda/session/token';
import { fixture } from '../session/fixtures';
import { Browser } from './browser';
import { COOKIE, start, tokenOf, world } from './world';

test('the session ID is the id in lists, which is no credential', async () => {
  const { browser, application, sessions } = await world();
  await browser.get('/login?user=alice');
  const id = hashSessionToken(tokenOf(browser));

  expect((await browser.get('/me')).body.id).toBe(id);
  expect(await sessions.list('alice')).toMatchObject([{ id }]);

  const guesser = new Browser(application);
  for (const cookie of [COOKIE, 'connect.sid', 'sessiongate.sid', 'sessiongate'])
    guesser.cookies.set(cookie, id).set(`${cookie}.signed`, `s:${id}.x`);
  expect((await guesser.get('/me')).body.user).toBeNull();
});

test('the anti-CSRF token of a request is that of its session, for every handler', async () => {
  const { expressStore, sessions } = await world();
  const seen: { token: string | null; own: boolean; other: boolean }[] = [];
  const middleware = expressStore.middleware();
  const application = await start((request, response, next) =>
    middleware(request, response, () => {
      seen.push({
        token: expressStore.csrfToken(request),
        own: expressStore.verifyCsrf(request, expressStore.csrfToken(request)),
        other: expressStore.verifyCsrf(request, 'A'.repeat(43)),
      });
      next();
    }),
  );
  const browser = new Browser(application);
  await browser.get('/login?user=alice');
  await browser.get('/me');

  expect(seen).toHaveLength(2);
  expect(seen[1]).toEqual({ token: sessions.csrfToken(tokenOf(browser)), own: true, other: false });
  expect(seen[0]?.token).not.toBe(seen[1]?.token);
  expect(expressStore.csrfToken({} as never)).toBeNull();
  expect(expressStore.verifyCsrf({} as never, null)).toBe(false);
});

describe('express-session set up by hand', () => {
  it.each([
    ['as it is', {}],
    ['with an own genid', { genid: () => 'made-by-the-application' }],
  ])('%s keeps its signed cookie, and no id of a session in the table', async (_, options) => {
    const { sessions, store: table } = fixture();
    const store = new SessiongateStore({ sessions, user: (data) => data.userId });
    const secret = 'a secret';
    const application = await start(session({ store, secret, resave: false, saveUninitialized: false, ...options }));
    const browser = new Browser(application);
    await browser.get('/login?user=alice');
    await browser.get('/visit');

    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice', visits: 1 });
    expect([...browser.cookies.keys()]).toEqual(['connect.sid']);
    const [, token = ''] = /^s:([\w-]{43})\./.exec(decodeURIComponent(browser.cookies.get('connect.sid') ?? '')) ?? [];
    expect(JSON.stringify(table.items())).not.toContain(token);
    expect(await sessions.list('alice')).toMatchObject([{ id: hashSessionToken(token) }]);

    const thief = browser.copy();
    await browser.get('/logout');
    expect((await thief.get('/me')).body.user).toBeNull();
  });

  it('does not know a session by its hash', async () => {
    const { sessions } = fixture();
    const store = new SessiongateStore({ sessions, user: (data) => data.userId });
    const { session: alice } = await sessions.create({ user: 'alice', data: { userId: 'alice' } });

    const found = await new Promise((resolve) => {
      store.get(alice.id, (_failure, data) => resolve(data));
    });

    expect(found).toBeNull();
  });
});
