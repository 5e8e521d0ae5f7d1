// SPDX-License-Identifier: Apache-2.0
/** A fresh session with nothing in it, as Passport's logout leaves it: neither stored nor handed out, unless asked for. */
import type { Routes } from './application';
import { world } from './world';

const routes: Routes = (app) => {
  app.get('/fresh', (request, response) => {
    request.session.regenerate(() => response.json({}));
  });
  app.get('/fresh-and-saved', (request, response, next) => {
    request.session.regenerate(() => {
      request.session.save((failure) => (failure ? next(failure) : response.json({})));
    });
  });
  app.get('/fresh-with-more', (request, response) => {
    request.session.regenerate(() => {
      request.session.note = 'signed out';
      response.json({});
    });
  });
  app.get('/fresh-and-filled-late', (request, response) => {
    request.session.regenerate(() => {
      response.flushHeaders();
      request.session.note = 'late';
      response.end('{}');
    });
  });
};

test('a logout of Passport writes nothing but the end, and clears the cookie', async () => {
  const { browser, sessions, calls, application } = await world();
  await browser.get('/login?user=alice');
  calls.reset();

  const answer = await browser.get('/passport-logout');
  await browser.get('/me');

  expect(answer).toMatchObject({ setCookies: [sessions.clearCookie], cacheControl: 'no-store' });
  expect(calls.count('put')).toBe(0);
  expect(application.failures).toEqual([]);
});

test('a visitor gets no cookie for one', async () => {
  const { browser, store } = await world({}, { saveUninitialized: undefined }, {}, routes);

  expect(await browser.get('/fresh')).toMatchObject({ status: 200, setCookies: [], cacheControl: null });
  expect(store.items()).toEqual([]);
});

test.each(['/fresh-and-saved', '/fresh-with-more'])('%s is stored and handed out', async (path) => {
  const { browser, sessions } = await world({}, {}, {}, routes);
  await browser.get('/login?user=alice');

  expect((await browser.get(path)).setCookies).toHaveLength(1);
  // What express-session saves at the end of an answer is done before the next one.
  await browser.get('/me');

  expect(await sessions.read(browser.cookieHeader)).not.toBeNull();
});

test('an empty one that is being stored as the answer leaves is handed out', async () => {
  const { browser, sessions, calls } = await world({}, {}, {}, (app) =>
    app.get('/fresh-and-hasty', (request, response) => {
      request.session.regenerate(() => {
        calls.beforeNext('put', () => void response.json({}));
        request.session.save();
      });
    }),
  );

  expect((await browser.get('/fresh-and-hasty')).setCookies).toHaveLength(1);
  await browser.get('/me');

  expect(await sessions.read(browser.cookieHeader)).not.toBeNull();
});

test('saveUninitialized stores it', async () => {
  const { browser, sessions } = await world({}, { saveUninitialized: true }, {}, routes);

  await browser.get('/fresh');
  await browser.get('/me');

  expect(await sessions.read(browser.cookieHeader)).not.toBeNull();
});

test('an empty session that was stored before keeps its cookie', async () => {
  const { browser, sessions } = await world({}, { rolling: true });
  browser.take([(await sessions.create({})).setCookie]);

  expect((await browser.get('/me')).setCookies).toEqual([expect.stringMatching(/Max-Age=2592000$/)]);
  expect(await sessions.read(browser.cookieHeader)).not.toBeNull();
});

test('what is put into it once the headers have left is stored, as express-session does', async () => {
  const { browser, store } = await world({}, {}, {}, routes);

  await browser.get('/fresh-and-filled-late');
  await browser.get('/me');

  expect(store.items()).toHaveLength(1);
});
