// SPDX-License-Identifier: Apache-2.0
/** An Express application changes its store: whoever was logged in stays so. */
import type { Browser } from './browser';
import { type NewApplication, newApplication, type OldApplication, oldApplication } from './old-application';

/** A browser that is logged in to the old application, now at the new one. */
async function movedBrowser(): Promise<NewApplication & { readonly browser: Browser; readonly old: OldApplication }> {
  const old = await oldApplication();
  const application = await newApplication(old);
  return { ...application, old, browser: application.moved(await old.login('alice')) };
}

test('the old session moves in with the first request, and is ended with the second', async () => {
  const { browser, old, sessions } = await movedBrowser();

  const first = await browser.get('/me');
  expect(first).toMatchObject({ body: { user: 'alice' }, cacheControl: 'no-store' });
  expect(first.setCookies).toHaveLength(1);
  expect(await old.users()).toEqual(['alice']);

  expect((await browser.get('/visit')).body).toEqual({ visits: 1 });
  expect(await old.users()).toEqual([]);
  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice', visits: 1 });
  expect(await sessions.list('alice')).toHaveLength(1);
});

test('the answer to the second request clears the old cookie, once', async () => {
  const { browser } = await movedBrowser();
  await browser.get('/me');

  const { setCookies } = await browser.get('/me');

  expect(setCookies).toEqual([expect.stringMatching(/^connect\.sid=;/)]);
  expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
  expect((await browser.get('/me')).setCookies).toEqual([]);
});

test('an old cookie whose session is over is cleared, and moves nobody in', async () => {
  const { browser } = await movedBrowser();
  const other = browser.copy();
  await browser.get('/me');
  await browser.get('/logout');

  const { body, setCookies } = await other.get('/me');

  expect(body).toMatchObject({ user: null });
  expect(setCookies).toEqual([expect.stringMatching(/^connect\.sid=;/)]);
  expect(other.cookies.size).toBe(0);
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

describe('data in which Express would see somebody else than who moves in', () => {
  const CASES: [string, Parameters<typeof newApplication>[1], Parameters<typeof newApplication>[2], string][] = [
    ['no asSession', {}, {}, 'nobody'],
    ['asSession without data', { asSession: () => ({}) }, {}, 'nobody'],
    [
      'Passport’s place, which asSession did not fill',
      { asSession: ({ user }) => ({ data: { userId: user } }) },
      { user: (data) => data.passport?.user },
      'nobody',
    ],
    ['another user', { asSession: () => ({ data: { userId: 'bob' } }) }, {}, 'somebody else'],
    ['a user that is none', { asSession: ({ user }) => ({ data: { userId: { user } } }) }, {}, 'an object'],
  ];

  test.each(CASES)('are refused before anything is written: %s', async (_, legacy, options, whom) => {
    const old = await oldApplication();
    const wrong = await newApplication(old, legacy, options);
    const browser = await old.login('alice');

    for (let request = 0; request < 3; request++)
      expect(await wrong.moved(browser).get('/me')).toMatchObject({
        status: 500,
        body: { code: 'ERR_SESSION_CONFIGURATION' },
        setCookies: [],
      });

    expect(wrong.failures[0]?.message).toContain('legacy.asSession must return data in which the option user');
    expect(wrong.failures[0]?.message).toContain(`it found ${whom};`);
    expect(wrong.failures[0]?.message).not.toContain('alice');
    expect(wrong.store.items()).toEqual([]);
    expect(await old.users()).toEqual(['alice']);
    const mended = await newApplication(old, undefined, {}, wrong);
    expect((await mended.moved(browser).get('/me')).body).toMatchObject({ user: 'alice' });
  });

  test('leave whoever has a session of our own, or none, alone', async () => {
    const old = await oldApplication();
    const { moved, sessions } = await newApplication(old, {});
    const browser = moved(await old.login('alice'));
    browser.take([(await sessions.create({ user: 'bob', data: { userId: 'bob' } })).setCookie]);

    expect((await browser.get('/me')).body).toMatchObject({ user: 'bob' });
  });
});

describe('setUser', () => {
  const setUser: Parameters<typeof newApplication>[2] = {
    setUser: (data, user) => {
      data.userId = user;
    },
  };

  test('stands in for asSession, as far as the user goes', async () => {
    const old = await oldApplication();
    const { moved, sessions } = await newApplication(old, {}, setUser);
    const browser = moved(await old.login('alice'));

    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
    await browser.get('/visit');

    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice', visits: 1 });
    expect(await sessions.read(browser.cookieHeader)).toMatchObject({ data: { userId: 'alice', visits: 1 } });
    expect(await old.users()).toEqual([]);
  });

  test('leaves what cannot be stored to the move, which logs this user out', async () => {
    const old = await oldApplication();
    const { moved } = await newApplication(old, { asSession: () => ({ data: { at: new Date() } }) }, setUser);

    const answer = await moved(await old.login('alice')).get('/me');

    expect(answer).toMatchObject({ status: 200, body: { user: null } });
  });

  test('that misses is refused before anything is written', async () => {
    const old = await oldApplication();
    const { moved, store, failures } = await newApplication(old, {}, { setUser: () => {} });

    expect(await moved(await old.login('alice')).get('/me')).toMatchObject({ status: 500, setCookies: [] });

    expect(failures[0]?.message).toContain('setUser must write the user where the option user finds it');
    expect(store.items()).toEqual([]);
  });
});
