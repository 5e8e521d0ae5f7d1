// SPDX-License-Identifier: Apache-2.0
/** The real Passport, before and after its application changed the store: nothing of it is written otherwise. */
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import session, { MemoryStore } from 'express-session';
import passport from 'passport';
import { SessiongateStore } from '../../lambda/express';
import { createExpressSessionSource } from '../../lambda/legacy';
import { fixture } from '../session/fixtures';
import { Browser } from './browser';

interface Account {
  readonly id: string;
  readonly name: string;
}

declare global {
  namespace Express {
    interface User extends Account {}
  }
}

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

/** `GET /login?user=…`, `GET /me` by `isAuthenticated` and `req.user`, `GET /logout`. */
async function startPassport(middleware: RequestHandler): Promise<Browser> {
  const authenticator = new passport.Passport();
  authenticator.serializeUser((user, done) => done(null, (user as Account).id));
  authenticator.deserializeUser((id: string, done) => done(null, { id, name: `name of ${id}` }));
  const app = express();
  app.use(middleware, authenticator.session());
  app.get('/login', (request, response, next) => {
    const id = String(request.query.user);
    request.login({ id, name: '' }, (failure) => (failure ? next(failure) : response.json({})));
  });
  app.get('/me', (request, response) => {
    response.json({ isAuthenticated: request.isAuthenticated(), name: request.user?.name ?? null });
  });
  app.get('/logout', (request, response, next) => {
    request.logout((failure) => (failure ? next(failure) : response.json({})));
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Browser({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** The old application on a store of its own, and the new one on this package's, in which the old sessions move in. */
async function world() {
  const oldStore = new MemoryStore();
  const options = { secret: 'old-secret', resave: false, saveUninitialized: false, cookie: { maxAge: 86_400_000 } };
  const before = await startPassport(session({ ...options, store: oldStore }));
  const source = createExpressSessionSource({
    secrets: ['old-secret'],
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
  const { sessions } = fixture({
    now: () => Math.floor(Date.now() / 1000),
    legacy: { sources: [source], report: () => {} },
  });
  const store = new SessiongateStore({
    sessions,
    user: (data) => data.passport?.user,
    setUser: (data, user) => {
      data.passport = { user };
    },
  });
  const after = await startPassport(store.middleware());
  const withCookiesOf = (old: Browser): Browser => {
    after.take([...old.cookies].map(([name, value]) => `${name}=${value}`));
    return after;
  };
  return { before, after, withCookiesOf, sessions, oldStore };
}

test('a user who logged in before is authenticated afterwards, and so with every request', async () => {
  const { before, withCookiesOf, sessions } = await world();
  await before.get('/login?user=alice');
  const browser = withCookiesOf(before);

  for (const _ of [1, 2, 3])
    expect((await browser.get('/me')).body).toEqual({ isAuthenticated: true, name: 'name of alice' });

  expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
  expect(await sessions.read(browser.cookieHeader)).toMatchObject({ user: 'alice' });
});

test('a logout of hers ends the session, and the old one', async () => {
  const { before, withCookiesOf, sessions } = await world();
  await before.get('/login?user=alice');
  const browser = withCookiesOf(before);
  await browser.get('/me');

  await browser.get('/logout');

  expect((await browser.get('/me')).body).toEqual({ isAuthenticated: false, name: null });
  expect(await sessions.list('alice')).toEqual([]);
  expect((await before.get('/me')).body).toEqual({ isAuthenticated: false, name: null });
});

test('a login is one for the API, too', async () => {
  const { after, sessions } = await world();

  await after.get('/login?user=bob');

  expect((await after.get('/me')).body).toEqual({ isAuthenticated: true, name: 'name of bob' });
  expect(await sessions.read(after.cookieHeader)).toMatchObject({ user: 'bob' });
});
