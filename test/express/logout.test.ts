// SPDX-License-Identifier: Apache-2.0
/** Logging out with Express, over HTTP; nothing brings a session back. */
import { Browser } from './browser';
import { world } from './world';

describe('logout', () => {
  test('ends the session and clears the cookie', async () => {
    const { browser, sessions } = await world();
    await browser.get('/login?user=alice');
    const thief = browser.copy();

    const answer = await browser.get('/logout');

    expect(answer.setCookies).toEqual([sessions.clearCookie]);
    expect(answer.cacheControl).toBe('no-store');
    expect(browser.cookies.size).toBe(0);
    expect((await thief.get('/me')).body).toMatchObject({ user: null });
  });

  test('is not what a request that puts its session aside asks for', async () => {
    const { browser } = await world();
    await browser.get('/login?user=alice');

    expect((await browser.get('/put-aside')).setCookies).toEqual([]);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });

  test('by taking the user out of the data, as Passport does, ends the session', async () => {
    const { browser, sessions, application } = await world();
    await browser.get('/login?user=alice');
    const thief = browser.copy();

    expect((await browser.get('/passport-logout')).status).toBe(200);

    expect(await sessions.read(thief.cookieHeader)).toBeNull();
    expect(await sessions.list('alice')).toEqual([]);
    expect(application.failures).toEqual([]);
  });

  test('by taking the user out of the data alone ends the session too', async () => {
    const { browser, sessions } = await world();
    await browser.get('/login?user=alice');

    expect((await browser.get('/forget')).status).toBe(200);

    expect(await sessions.read(browser.cookieHeader)).toBeNull();
    expect(await sessions.list('alice')).toEqual([]);
  });

  test('with a request in flight: its save does nothing', async () => {
    const { browser, application, store } = await world();
    await browser.get('/login?user=alice');
    const inFlight = browser.copy().get('/held?note=late');
    await application.held(1);

    await browser.copy().get('/logout');
    const atLogout = JSON.stringify(store.items());
    application.release();

    expect((await inFlight).status).toBe(200);
    expect(JSON.stringify(store.items())).toBe(atLogout);
    expect((await browser.get('/me')).body).toMatchObject({ user: null, note: null });
    expect(application.failures).toEqual([]);
  });

  test('with a request in flight: its touch does nothing, even where a slide is due', async () => {
    const { browser, application, store, clock } = await world({ idleTimeoutSeconds: 1000 });
    await browser.get('/login?user=alice');
    clock.advance(500);
    const inFlight = browser.copy().get('/held-touch');
    await application.held(1);

    await browser.copy().get('/logout');
    const atLogout = JSON.stringify(store.items());
    application.release();
    await inFlight;

    expect(JSON.stringify(store.items())).toBe(atLogout);
    expect((await browser.get('/me')).body).toMatchObject({ user: null });
  });

  test('everywhere logs the user out of Express on the next request', async () => {
    const { browser, application, sessions } = await world();
    const phone = new Browser(application);
    await browser.get('/login?user=alice');
    await phone.get('/login?user=alice');

    await sessions.revokeAll('alice');

    expect((await browser.get('/me')).body).toMatchObject({ user: null });
    expect((await phone.get('/me')).body).toMatchObject({ user: null });
  });
});

test('a route in front of the middleware leaves the cookie alone', async () => {
  const { browser } = await world();
  await browser.get('/login?user=alice');

  expect((await browser.get('/public')).setCookies).toEqual([]);
  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
});
