// SPDX-License-Identifier: Apache-2.0
/** An Express application changes its store: whoever was logged in stays so. */
import session, { MemoryStore } from 'express-session';
import { SessiongateStore } from '../../lambda/express';
import { createExpressSessionSource } from '../../lambda/legacy';
import { fixture } from '../session/fixtures';
import { Browser } from './browser';
import { start } from './world';

/** A browser that is logged in to the old application, now at the new one. */
async function movedBrowser() {
  const oldStore = new MemoryStore();
  const options = { secret: 'old-secret', resave: false, saveUninitialized: false, cookie: { maxAge: 864e8 } };
  const browser = new Browser(await start(session({ ...options, store: oldStore })));
  await browser.get('/login?user=alice');

  const source = createExpressSessionSource({
    secrets: ['old-secret'],
    userPath: ['userId'],
    store: {
      read: (id) =>
        new Promise((resolve, reject) => {
          oldStore.get(id, (failure, data) =>
            failure ? reject(failure) : resolve(data ? { session: data } : undefined),
          );
        }),
      end: (id) => new Promise((resolve) => oldStore.destroy(id, () => resolve())),
    },
  });
  const parts = fixture({
    now: () => Math.floor(Date.now() / 1000),
    legacy: { sources: [source], asSession: ({ user }) => ({ data: { userId: user } }), report: () => {} },
  });
  const store = new SessiongateStore({ sessions: parts.sessions, user: (data) => data.userId });
  const moved = new Browser(await start(store.middleware()));
  moved.cookies.set('connect.sid', browser.cookies.get('connect.sid') ?? '');
  return { ...parts, oldStore, browser: moved };
}

function idsIn(store: MemoryStore): Promise<string[]> {
  return new Promise((resolve) => store.all((_failure, all) => resolve(Object.keys(all ?? {}))));
}

test('the old session moves in with the first request, and is ended with the second', async () => {
  const { browser, oldStore, sessions } = await movedBrowser();

  const first = await browser.get('/me');
  expect(first).toMatchObject({ body: { user: 'alice' }, cacheControl: 'no-store' });
  expect(first.setCookies).toHaveLength(1);
  expect(await idsIn(oldStore)).toHaveLength(1);

  expect((await browser.get('/visit')).body).toEqual({ visits: 1 });
  expect(await idsIn(oldStore)).toEqual([]);
  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice', visits: 1 });
  expect(await sessions.list('alice')).toHaveLength(1);
});

test('after the logout the old cookie mints nothing', async () => {
  const { browser } = await movedBrowser();
  const thief = browser.copy();
  await browser.get('/me');

  const answer = await browser.get('/logout');

  expect(answer.setCookies.some((setCookie) => setCookie.startsWith('__Host-session=;'))).toBe(true);
  expect((await thief.get('/me')).body).toMatchObject({ user: null });
});

test('a request that was sent with the old cookie alone is asked to come again with the new one', async () => {
  const { browser } = await movedBrowser();
  const late = browser.copy();
  await browser.get('/me');
  await browser.get('/me');

  const ask = (path: string) =>
    fetch(browser.application.url + path, { headers: { Cookie: late.cookieHeader }, redirect: 'manual' });
  const answer = await ask('/visit?again=1');

  expect(answer.status).toBe(307);
  expect(answer.headers.get('Location')).toBe('/visit?again=1');
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect((await ask('//other.example/')).headers.get('Location')).toBeNull();
  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
});

test('a login with the very request that moved a session in hands out one cookie', async () => {
  const { browser, sessions } = await movedBrowser();

  const { setCookies } = await browser.get('/login?user=bob');

  expect(setCookies.filter((setCookie) => setCookie.startsWith('__Host-session='))).toHaveLength(1);
  expect((await browser.get('/me')).body).toMatchObject({ user: 'bob' });
  expect(await sessions.list('alice')).toEqual([]);
});
