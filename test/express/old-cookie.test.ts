// SPDX-License-Identifier: Apache-2.0
/** What becomes of an old application's cookie, and of its session, when users log in and out with Express. */
import { SessionStoreError } from '../../lambda/session/errors';
import { newApplication, type OldApplication, oldApplication } from './old-application';

const IS_ALICE: Parameters<typeof newApplication>[1] = { asSession: ({ user }) => ({ data: { userId: user } }) };
const OLD_COOKIE = 'connect.sid';

describe('a logout with nothing but the old cookie', () => {
  test.each(['/logout', '/forget', '/passport-logout'])('of %s is one from the old application, too', async (path) => {
    const old = await oldApplication();
    const { moved, sessions } = await newApplication(old);
    const browser = moved(await old.login('alice'));
    const thief = browser.copy();

    expect(await browser.get(path)).toMatchObject({ status: 200, cacheControl: 'no-store' });

    expect(await old.users()).toEqual([]);
    expect(await sessions.list('alice')).toEqual([]);
    expect((await browser.get('/me')).body).toMatchObject({ user: null });
    expect((await thief.get('/me')).body).toMatchObject({ user: null });
  });

  test('clears both cookies, each once', async () => {
    const old = await oldApplication();
    const { moved, sessions } = await newApplication(old);
    const browser = moved(await old.login('alice'));

    const { setCookies } = await browser.get('/logout');

    expect(setCookies).toContain(sessions.clearCookie);
    expect(setCookies.map((setCookie) => setCookie.split('=')[0]).sort()).toEqual(['__Host-session', OLD_COOKIE]);
    expect(browser.cookies.size).toBe(0);
  });

  test('that was confirmed with the same request clears it once', async () => {
    const old = await oldApplication();
    const { moved } = await newApplication(old);
    const browser = moved(await old.login('alice'));
    await browser.get('/me');

    const { setCookies } = await browser.get('/logout');

    expect(setCookies.filter((setCookie) => setCookie.startsWith(`${OLD_COOKIE}=;`))).toHaveLength(1);
    expect(browser.cookies.size).toBe(0);
  });

  test('while sessions do not move in yet keeps it from moving in later', async () => {
    const old = await oldApplication();
    const off = await newApplication(old, { ...IS_ALICE, mode: 'off' });
    const browser = off.moved(await old.login('alice'));
    const thief = browser.copy();

    await browser.get('/logout');

    expect(browser.cookies.has(OLD_COOKIE)).toBe(false);
    const on = await newApplication(old, IS_ALICE, {}, off);
    expect((await on.moved(thief).get('/me')).body).toMatchObject({ user: null });
  });
});

test('a logout of Passport while sessions do not move in yet keeps the old one from moving in later', async () => {
  const old = await oldApplication();
  const off = await newApplication(old, { ...IS_ALICE, mode: 'off' });
  const browser = off.moved(await old.login('alice'));
  await browser.get('/login?user=alice');
  const thief = browser.copy();

  await browser.get('/passport-logout');

  expect(browser.cookies.has(OLD_COOKIE)).toBe(false);
  const on = await newApplication(old, IS_ALICE, {}, off);
  expect((await on.moved(thief).get('/me')).body).toMatchObject({ user: null });
});

describe('a login over the old cookie of somebody else', () => {
  test('leaves neither that cookie nor its session', async () => {
    const old = await oldApplication();
    const { moved, sessions } = await newApplication(old);
    const browser = moved(await old.login('bob'));

    const { setCookies } = await browser.get('/login?user=alice');

    expect(setCookies.filter((setCookie) => setCookie.startsWith(`${OLD_COOKIE}=;`))).toHaveLength(1);
    expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
    expect(await old.users()).toEqual([]);
    expect(await sessions.list('bob')).toEqual([]);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });

  test('beside a session of our own does neither', async () => {
    const old = await oldApplication();
    const { moved, sessions } = await newApplication(old);
    const browser = moved(await old.login('bob'));
    browser.take([(await sessions.create({ data: { visits: 1 } })).setCookie]);

    await browser.get('/login?user=alice');

    expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
    expect(await old.users()).toEqual([]);
  });

  test('leaves them alone while sessions do not move in', async () => {
    const old = await oldApplication();
    const { moved } = await newApplication(old, { ...IS_ALICE, mode: 'off' });
    const browser = moved(await old.login('bob'));

    await browser.get('/login?user=alice');

    expect(browser.cookies.has(OLD_COOKIE)).toBe(true);
    expect(await old.users()).toEqual(['bob']);
  });
});

test('ending another session by its id is no logout from the old application', async () => {
  const old = await oldApplication();
  const { moved, sessions } = await newApplication(old);
  const browser = moved(await old.login('alice'));
  const { session: phone } = await sessions.create({ user: 'alice', data: { userId: 'alice' } });

  expect((await browser.get(`/end-another?id=${phone.id}`)).status).toBe(200);

  expect(await sessions.list('alice')).toHaveLength(1);
  expect(await old.users()).toEqual(['alice']);
  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
});

test('an old store that fails at a logout is an error of the logout', async () => {
  const old = failingAtEnd(await oldApplication());
  const { moved } = await newApplication(old);

  const answer = await moved(await old.login('alice')).get('/logout');

  expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_SESSION_STORE' } });
});

function failingAtEnd(old: OldApplication): OldApplication {
  const end = async () => {
    throw new SessionStoreError('the old store is out of reach');
  };
  return { ...old, source: { ...old.source, end } };
}
