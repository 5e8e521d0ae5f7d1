// SPDX-License-Identifier: Apache-2.0
/** `regenerate` is a login. Where the application checked no credentials for it, it rests on the session that it replaces. */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { SessiongateStoreOptions } from '../../lambda/express';
import { DAY_SECONDS } from '../session/fixtures';
import type { Routes } from './application';
import { tokenOf, world } from './world';

/** How a handler may give the user of its session a fresh one. */
const WAYS: Readonly<Record<string, (request: Request, fresh: () => void, next: NextFunction) => void>> = {
  regenerate: (request, fresh, next) => request.session.regenerate((failure) => (failure ? next(failure) : fresh())),
  'destroy, then a new one': (request, fresh, next) =>
    request.session.destroy((failure) => {
      if (failure) return next(failure);
      request.sessionStore.generate(request);
      fresh();
    }),
  'regenerate, with an anonymous session in between': (request, fresh, next) =>
    request.session.regenerate(() => {
      request.session.note = 'nobody’s';
      request.session.save((failure) => {
        if (failure) return next(failure);
        request.session.regenerate(fresh);
      });
    }),
};

describe.each(Object.keys(WAYS))('%s', (way) => {
  /** Alice is logged in; `/refresh` gives her a fresh session, and `meanwhile` runs while it is held up. */
  async function atWork() {
    let meanwhile = async (_response: Response): Promise<unknown> => undefined;
    const refresh: RequestHandler = async (request, response, next) => {
      const user = String(request.query.as ?? request.session.userId);
      await meanwhile(response);
      const fresh = (): void => {
        request.session.userId = user;
        request.session.save((failure) => (failure ? next(failure) : response.json({ user })));
      };
      WAYS[way]?.(request, fresh, next);
    };
    const routes: Routes = (app) => app.get('/refresh', refresh);
    const login: SessiongateStoreOptions['login'] = (_data, { res }) => ({
      authentication: res?.locals.authentication,
    });
    const parts = await world({ absoluteTimeoutSeconds: DAY_SECONDS }, {}, { login }, routes);
    await parts.browser.get('/login?user=alice');
    return {
      ...parts,
      refreshWhile: (work: typeof meanwhile, as = 'alice') => {
        meanwhile = work;
        return parts.browser.get(`/refresh?as=${as}`);
      },
    };
  }

  test('loses to a log-out-everywhere while the request was under way', async () => {
    const { refreshWhile, browser, sessions, application } = await atWork();

    const answer = await refreshWhile(() => sessions.revokeAll('alice'));

    expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_SESSION_AUTHENTICATION_SUPERSEDED' } });
    expect(answer.setCookies).toEqual([sessions.clearCookie]);
    expect(application.failures).toHaveLength(1);
    expect(await sessions.list('alice')).toEqual([]);
    expect((await browser.get('/me')).body).toMatchObject({ user: null });
    expect((await browser.get('/login?user=alice')).status).toBe(200);
  });

  test('wins where the application checked credentials after that', async () => {
    const { refreshWhile, browser, sessions } = await atWork();

    const answer = await refreshWhile(async (response) => {
      await sessions.revokeAll('alice');
      response.locals.authentication = await sessions.beginAuthentication('alice');
    });

    expect(answer.status).toBe(200);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });

  test('of another user has nothing to do with it', async () => {
    const { refreshWhile, browser, sessions } = await atWork();

    await sessions.revokeAll('bob');
    await refreshWhile(() => sessions.revokeAll('alice'), 'bob');

    expect((await browser.get('/me')).body).toMatchObject({ user: 'bob' });
  });

  test('in a browser whose session is over is a login as any other', async () => {
    const { refreshWhile, browser, sessions } = await atWork();
    await sessions.revokeAll('alice');

    expect((await refreshWhile(async () => {})).status).toBe(200);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });

  test('begins a new absolute timeout', async () => {
    const { refreshWhile, browser, sessions, clock } = await atWork();
    const before = tokenOf(browser);
    clock.advance(DAY_SECONDS - 1);

    await refreshWhile(async () => {});
    clock.advance(DAY_SECONDS - 1);

    expect(tokenOf(browser)).not.toBe(before);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
    expect(await sessions.list('alice')).toMatchObject([{ createdAt: clock.seconds - DAY_SECONDS + 1 }]);
  });
});

test('a session that the same request started is one that the next rests on', async () => {
  const { browser, sessions } = await world({}, {}, {}, (app) =>
    app.get('/twice', (request, response, next) => {
      request.session.regenerate(() => {
        request.session.userId = 'alice';
        request.session.save(async () => {
          await sessions.revokeAll('alice');
          request.session.regenerate(() => {
            request.session.userId = 'alice';
            request.session.save((failure) => (failure ? next(failure) : response.json({})));
          });
        });
      });
    }),
  );

  expect((await browser.get('/twice')).body).toEqual({ code: 'ERR_SESSION_AUTHENTICATION_SUPERSEDED' });
  expect(await sessions.list('alice')).toEqual([]);
});
