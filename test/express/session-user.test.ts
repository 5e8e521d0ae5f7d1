// SPDX-License-Identifier: Apache-2.0
/** Whose session it is: what the store's `user` may find, and what `setUser` does for sessions of other handlers. */
import { world } from './world';

function loginWith(data: unknown): string {
  return `/login-with?data=${encodeURIComponent(JSON.stringify(data))}`;
}

describe('user', () => {
  const PASSPORT = { user: (data: { passport?: { user?: string | number } }) => data.passport?.user };

  test.each([
    ['text', 'u-1', 'u-1'],
    ['a number, as databases name their users', 42, '42'],
  ])('may be %s', async (_, user, expected) => {
    const { browser, sessions } = await world({}, {}, PASSPORT);

    expect((await browser.get(loginWith({ passport: { user } }))).status).toBe(200);
    expect((await browser.get('/visit')).body).toEqual({ visits: 1 });

    expect(await sessions.read(browser.cookieHeader)).toMatchObject({ user: expected, data: { visits: 1 } });
  });

  test.each([['no user'], [null]])('is nobody for %p', async (user) => {
    const { browser, sessions } = await world({}, {}, PASSPORT);

    expect((await browser.get(loginWith({ passport: user === null ? { user } : {} }))).status).toBe(200);

    expect((await sessions.read(browser.cookieHeader))?.user).toBeUndefined();
  });

  test.each([
    [{ id: 'secret' }, 'an object'],
    [['secret'], 'an array'],
    ['', 'an empty string'],
    ['the secret', 'a string with other characters'],
    ['secret'.repeat(30), 'a longer string'],
    [0, 'another number'],
    [-7, 'another number'],
    [1.5, 'another number'],
    [true, 'a boolean'],
  ])('is refused for %j, by its kind', async (user, kind) => {
    const { browser, application, store } = await world({}, {}, PASSPORT);

    const answer = await browser.get(loginWith({ passport: { user } }));

    expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_SESSION_INVALID_INPUT' }, setCookies: [] });
    expect(application.failures[0]?.message).toBe(
      `user must return 1 to 128 visible ASCII characters or a whole number above 0, but returned ${kind}`,
    );
    expect(store.items()).toEqual([]);
  });
});

describe('a login of Passport that user does not find', () => {
  const MESSAGE = 'user found nobody, but passport.user is set, and that login would be anonymous: ';

  test.each([['u-1'], ['a name'], [42], [0]])('is refused for %p, and writes nothing', async (user) => {
    const { browser, application, store } = await world();

    const answer = await browser.get(loginWith({ passport: { user } }));

    expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_SESSION_CONFIGURATION' }, setCookies: [] });
    expect(application.failures[0]?.message).toContain(MESSAGE);
    expect(application.failures[0]?.message).not.toContain(String(user));
    expect(store.items()).toEqual([]);
  });

  test('is refused over a session that was anonymous, which stays as it was', async () => {
    const { browser, sessions } = await world({}, {}, {}, (app) =>
      app.get('/old-passport', (request, response, next) => {
        request.session.passport = { user: 'u-1' };
        request.session.save((failure) => (failure ? next(failure) : response.json({})));
      }),
    );
    await browser.get('/visit');

    expect((await browser.get('/old-passport')).body).toEqual({ code: 'ERR_SESSION_CONFIGURATION' });

    expect((await sessions.read(browser.cookieHeader))?.data).toEqual({ cookie: expect.anything(), visits: 1 });
  });

  test.each([
    ['null of the application’s own', { user: () => null }, { passport: { user: 'u-1' } }],
    ['an object there', {}, { passport: { user: { id: 1 } } }],
    ['nothing there', {}, { passport: { user: '' } }],
    ['something else in its place', {}, { passport: 'AB123' }],
    ['another place', {}, { account: { user: 'u-1' } }],
  ])('is none with %s: that is anonymous', async (_, options, data) => {
    const { browser, sessions } = await world({}, {}, options);

    expect((await browser.get(loginWith(data))).status).toBe(200);

    const found = await sessions.read(browser.cookieHeader);
    expect(found).toMatchObject({ data });
    expect(found?.user).toBeUndefined();
  });

  test('does not touch a session that has its user', async () => {
    const { browser, sessions } = await world();
    browser.take([(await sessions.create({ user: 'u-1', data: { passport: { user: 'u-1' } } })).setCookie]);

    expect((await browser.get('/visit')).status).toBe(200);

    expect(await sessions.read(browser.cookieHeader)).toMatchObject({ user: 'u-1', data: { visits: 1 } });
  });
});

describe('setUser', () => {
  const SET_USER: Parameters<typeof world>[2] = {
    setUser: (data, user) => {
      data.userId = user;
    },
  };

  test('lets a login of another handler be Express’s, whatever its data', async () => {
    const { browser, sessions } = await world({}, {}, SET_USER);
    for (const data of [undefined, { userId: 'bob' }, { userId: { odd: true } }]) {
      browser.take([(await sessions.create({ user: 'alice', ...(data === undefined ? {} : { data }) })).setCookie]);

      expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
    }
  });

  test('costs no write until something changes, and is written with that', async () => {
    const { browser, sessions, calls } = await world({}, {}, SET_USER);
    browser.take([(await sessions.create({ user: 'alice', data: { plan: 'free' } })).setCookie]);
    calls.reset();

    await browser.get('/me');
    await browser.get('/me');
    expect(calls.counts()).toEqual({ get: 2 });
    await browser.get('/visit');
    expect(calls.counts()).toEqual({ get: 3, update: 1 });

    const { data } = (await sessions.read(browser.cookieHeader)) ?? {};
    expect(data).toMatchObject({ userId: 'alice', plan: 'free', visits: 1 });
    calls.reset();
    await browser.get('/me');
    expect(calls.counts()).toEqual({ get: 1 });
  });

  test('leaves data alone that name the user already, numbers included', async () => {
    const setUser = jest.fn();
    const { browser, sessions } = await world({}, {}, { user: (data) => data.userId, setUser });
    for (const userId of ['42', 42]) {
      browser.take([(await sessions.create({ user: '42', data: { userId } })).setCookie]);
      expect((await browser.get('/me')).body).toMatchObject({ user: userId });
    }

    expect(setUser).not.toHaveBeenCalled();
  });

  test('is not asked about anonymous sessions', async () => {
    const setUser = jest.fn();
    const { browser, sessions } = await world({}, {}, { setUser });
    browser.take([(await sessions.create({ data: { note: 'mine' } })).setCookie]);

    expect((await browser.get('/me')).body).toMatchObject({ user: null, note: 'mine' });
    expect(setUser).not.toHaveBeenCalled();
  });

  test('makes the user’s going from the data a logout, as anywhere else', async () => {
    const { browser, sessions } = await world({}, {}, SET_USER);
    browser.take([(await sessions.create({ user: 'alice' })).setCookie]);

    await browser.get('/forget');

    expect(await sessions.read(browser.cookieHeader)).toBeNull();
  });

  test('that misses is an error, and ends nothing', async () => {
    const { browser, sessions, application } = await world(
      {},
      {},
      {
        setUser: (data, user) => {
          data.passport = { user };
        },
      },
    );
    browser.take([(await sessions.create({ user: 'alice' })).setCookie]);

    const answer = await browser.get('/me');

    expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_SESSION_CONFIGURATION' }, setCookies: [] });
    expect(application.failures[0]?.message).toBe(
      'setUser must write the user where the option user finds it, which found nobody',
    );
    expect(await sessions.list('alice')).toHaveLength(1);
  });
});
