// SPDX-License-Identifier: Apache-2.0
/** A request has one session: our middleware may be mounted twice, but does not step aside for anybody else's. */
import cookieSession from 'cookie-session';
import type { RequestHandler } from 'express';
import session from 'express-session';
import { SessiongateStore } from '../../lambda/express';
import { fixture } from '../session/fixtures';
import { Browser } from './browser';
import { start, world } from './world';

const HOW = { secret: 'a secret', resave: false, saveUninitialized: false };

function ours({ sessions } = fixture()): SessiongateStore {
  return new SessiongateStore({ sessions, user: (data) => data.userId });
}

describe('mounted after another session middleware', () => {
  const OTHERS: [string, RequestHandler, string][] = [
    ['express-session', session(HOW), 'session(…) of express-session'],
    ['express-session with our store', session({ ...HOW, store: ours() }), 'session(…) of express-session'],
    ['our middleware with other sessions', ours().middleware(), 'the middleware of another SessiongateStore'],
    ['cookie-session', cookieSession({ keys: ['a key'] }), 'cookieSession(…) of cookie-session'],
  ];

  test.each(OTHERS)('it is an error that names %s', async (_, other, name) => {
    const { sessions, calls } = fixture();
    const middleware = ours({ ...fixture(), sessions }).middleware();
    const application = await start((request, response, next) =>
      other(request, response, (failure) => (failure ? next(failure) : middleware(request, response, next))),
    );
    const browser = new Browser(application);

    const answer = await browser.get('/login?user=alice');

    expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_SESSION_CONFIGURATION' }, setCookies: [] });
    expect(application.failures[0]?.message).toContain('store.middleware() must be the only session middleware');
    expect(application.failures[0]?.message).toContain(`${name}, which is mounted before it`);
    expect(calls.count()).toBe(0);
  });
});

describe('mounted twice', () => {
  test.each<[string, 'same' | 'another']>([
    ['the same', 'same'],
    ['another of the same store', 'another'],
  ])('%s goes on working', async (_, which) => {
    const { sessions, calls } = fixture();
    const store = ours({ ...fixture(), sessions });
    const middleware = store.middleware();
    const second = which === 'same' ? middleware : store.middleware();
    const browser = new Browser(await start(middleware, (app) => app.use(second)));

    expect((await browser.get('/login?user=alice')).setCookies).toHaveLength(1);
    calls.reset();
    expect((await browser.get('/visit')).body).toEqual({ visits: 1 });

    expect(calls.counts()).toEqual({ get: 1, update: 1 });
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice', visits: 1 });
    expect((await browser.get('/logout')).setCookies).toEqual([sessions.clearCookie]);
  });

  test('also once the first one’s session is put aside', async () => {
    const { expressStore } = await world();
    const middleware = expressStore.middleware();
    const application = await start((request, response, next) =>
      middleware(request, response, () => {
        (request as { session: unknown }).session = null;
        middleware(request, response, next);
      }),
    );

    expect((await new Browser(application).get('/put-aside')).status).toBe(200);
  });
});
