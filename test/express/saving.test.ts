// SPDX-License-Identifier: Apache-2.0
/** What a save writes, and what it refuses. */
import type session from 'express-session';
import { toStored } from '../../lambda/express/express-data';
import { hashSessionToken } from '../../lambda/session/token';
import { newSession, world } from './world';

describe('saving', () => {
  test('of two at the same time the second is told, and nothing of the first is lost', async () => {
    const { browser, application } = await world();
    await browser.get('/login?user=alice');
    const both = [browser.copy().get('/held?note=one'), browser.copy().get('/held?note=two')];
    await application.held(2);
    application.release();

    const statuses = (await Promise.all(both)).map(({ status }) => status);

    expect([...statuses].sort()).toEqual([200, 409]);
    expect((await browser.get('/me')).body.note).toBe(statuses[0] === 200 ? 'one' : 'two');
  });

  test('an unchanged session costs one read and no write', async () => {
    const { browser, calls } = await world({}, { resave: true, cookie: { maxAge: 86_400_000 } });
    await browser.get('/login?user=alice');
    calls.reset();

    await browser.get('/me');

    expect(calls.counts()).toEqual({ get: 1 });
  });

  test('slides the idle timeout once per renewal interval', async () => {
    const { browser, calls, clock } = await world({ idleTimeoutSeconds: 1000 });
    await browser.get('/login?user=alice');
    calls.reset();

    clock.advance(99);
    await browser.get('/me');
    expect(calls.counts()).toEqual({ get: 1 });
    clock.advance(1);
    await browser.get('/me');
    await browser.get('/me');
    expect(calls.counts()).toEqual({ get: 3, update: 1 });
    clock.advance(1000);
    expect((await browser.get('/me')).body).toMatchObject({ user: null });
  });

  test('keeps what was saved', async () => {
    const { browser } = await world();
    await browser.get('/visit');
    await browser.get('/visit');

    expect((await browser.get('/me')).body).toMatchObject({ visits: 2 });
  });

  test('twice in a row, without waiting, is no conflict with oneself', async () => {
    const { expressStore } = await world();
    const { request, made } = newSession(expressStore);

    const failures = await Promise.all(
      [1, 2, 3].map((visits) => {
        made.visits = visits;
        return new Promise((resolve) => {
          expressStore.set(request.sessionID, made, resolve);
        });
      }),
    );

    expect(failures).toEqual([null, null, null]);
    expect(expressStore.sessionOf(made)).toMatchObject({ id: hashSessionToken(request.sessionID), version: 2 });
    const found = await new Promise<session.SessionData | null | undefined>((resolve) => {
      expressStore.get(request.sessionID, (_failure, data) => resolve(data));
    });
    expect(found?.visits).toBe(3);
  });

  test('under an id that this store did not draw is refused, and writes nothing', async () => {
    const { expressStore, calls } = await world();

    const failure = await new Promise<unknown>((resolve) => {
      expressStore.set('A'.repeat(43), { cookie: {} } as session.SessionData, resolve);
    });

    expect(failure).toMatchObject({ code: 'ERR_SESSION_INVALID_INPUT' });
    expect(calls.count()).toBe(0);
  });

  test('a new session under another id than its own is refused, and writes nothing', async () => {
    const { expressStore, calls } = await world();
    const { made } = newSession(expressStore);

    const failure = await new Promise<unknown>((resolve) => {
      expressStore.set('A'.repeat(43), made, resolve);
    });

    expect(failure).toMatchObject({ code: 'ERR_SESSION_INVALID_INPUT' });
    expect(calls.count()).toBe(0);
  });

  test('takes a cookie that lost a millisecond, as express-session’s does, for unchanged', () => {
    const stored = toStored({ cookie: { originalMaxAge: 86_400_000, expires: '2026-12-01T00:00:00.000Z', path: '/' } });

    expect(toStored({ cookie: { originalMaxAge: 86_399_999, expires: null, path: '/' } })).toEqual(stored);
    expect(stored).toEqual({ cookie: { originalMaxAge: 86_400_000, path: '/' } });
  });

  test('to a session that got a fresh token meanwhile is reported, as it lives on without what was to be saved', async () => {
    const { browser, application, sessions } = await world();
    await browser.get('/login?user=alice');
    const held = browser.copy().get('/held?note=lost');
    await application.held(1);
    const current = await sessions.read(browser.cookieHeader);
    const rotated = current && (await sessions.rotate(current));
    application.release();

    expect((await held).status).toBe(409);

    browser.take([rotated?.setCookie ?? '']);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice', note: null });
  });

  test('a store that fails is an error, not a logout', async () => {
    const { browser, calls } = await world();
    await browser.get('/login?user=alice');
    calls.beforeNext('get', () => {
      throw Object.assign(new Error('the table is out of reach'), { code: 'ERR_TABLE' });
    });

    expect(await browser.get('/me')).toMatchObject({ status: 500, body: { code: 'ERR_TABLE' }, setCookies: [] });
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });
});
