// SPDX-License-Identifier: Apache-2.0
/** A store that fails to end a session: the browser keeps its cookie for another try. */
import { COOKIE, tokenOf, type World, world } from './world';

async function withFailing(request: (parts: World) => Promise<unknown>): Promise<World> {
  const parts = await world();
  await parts.browser.get('/login?user=alice');
  parts.calls.interceptor = {
    before: ({ operation }) => {
      if (operation === 'update') throw Object.assign(new Error('the table is out of reach'), { code: 'ERR_TABLE' });
    },
  };
  await request(parts);
  parts.calls.interceptor = {};
  return parts;
}

test.each(['/logout', '/login?user=bob', '/passport-logout'])(
  '%s is an error, and may be tried again',
  async (path) => {
    const { browser, sessions } = await withFailing(async ({ browser }) => {
      const token = tokenOf(browser);
      expect(await browser.get(path)).toMatchObject({ status: 500, body: { code: 'ERR_TABLE' }, setCookies: [] });
      expect(tokenOf(browser)).toBe(token);
    });

    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
    expect((await browser.get(path)).status).toBe(200);
    expect(await sessions.list('alice')).toEqual([]);
  },
);

test('a fresh session that is replaced does not hide that the old one lives', async () => {
  const { browser, calls } = await world({}, {}, {}, (app) =>
    app.get('/fresh-twice', (request, response) => {
      request.session.regenerate(() => request.session.regenerate(() => response.json({})));
    }),
  );
  await browser.get('/login?user=alice');
  calls.beforeNext('update', () => {
    throw new Error('the table is out of reach');
  });

  expect((await browser.get('/fresh-twice')).setCookies).toEqual([]);
  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
});

test('a second try of the same request clears the cookie', async () => {
  const { browser, calls } = await world({}, {}, {}, (app) =>
    app.get('/logout-twice', (request, response, next) => {
      request.session.destroy(() =>
        request.sessionStore.destroy(request.sessionID, (failure) => (failure ? next(failure) : response.json({}))),
      );
    }),
  );
  await browser.get('/login?user=alice');
  calls.beforeNext('update', () => {
    throw new Error('the table is out of reach');
  });

  expect((await browser.get('/logout-twice')).status).toBe(200);
  expect(browser.cookies.has(COOKIE)).toBe(false);
});

test('a logout whose end is not waited for clears the cookie', async () => {
  const { browser, sessions } = await world({}, {}, {}, (app) =>
    app.get('/logout-at-once', (request, response) => {
      request.session.destroy(() => {});
      response.json({});
    }),
  );
  await browser.get('/login?user=alice');

  expect((await browser.get('/logout-at-once')).setCookies).toEqual([sessions.clearCookie]);
});

test('another session that cannot be ended leaves the logout alone', async () => {
  const { browser, calls, sessions } = await world({}, {}, {}, (app) =>
    app.get('/logout-both', (request, response) => {
      request.session.destroy(() => {
        calls.beforeNext('update', () => {
          throw new Error('the table is out of reach');
        });
        request.sessionStore.destroy(String(request.query.id), () => response.json({}));
      });
    }),
  );
  await browser.get('/login?user=alice');
  const { session: phone } = await sessions.create({ user: 'alice' });

  expect((await browser.get(`/logout-both?id=${phone.id}`)).setCookies).toEqual([sessions.clearCookie]);
  expect(await sessions.list('alice')).toMatchObject([{ id: phone.id }]);
});
