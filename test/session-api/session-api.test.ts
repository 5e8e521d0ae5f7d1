// SPDX-License-Identifier: Apache-2.0
/** The session routes: who am I, log out, devices, log one out, log out everywhere. */
import { SessionStoreError } from '../../lambda/session/errors';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import { generateSessionToken } from '../../lambda/session/token';
import { NOW, type Payload, setCookies, world } from './world';

const PAYLOADS: Payload[] = ['REST', 'HTTP 2.0'];
const CLEARED =
  '__Host-session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT';

describe.each(PAYLOADS)('%s', (payload) => {
  describe('GET /session', () => {
    it('says who is signed in, without a read', async () => {
      const { call, store } = world();

      const response = await call(payload, 'GET /session', { user: 'alice', cookie: 'any' });

      expect(response).toMatchObject({ statusCode: 200, headers: { 'Cache-Control': 'no-store' } });
      expect(JSON.parse(response.body ?? '')).toEqual({
        user: 'alice',
        sessionId: '0123456789abcdef',
        createdAt: NOW,
        authenticatedAt: NOW,
        expiresAt: NOW + 60,
        claims: { role: 'admin' },
      });
      expect(store.requests).toBe(0);
    });

    it('answers 401 where the authorizer was not asked', async () => {
      expect(await world().call(payload, 'GET /session', {})).toMatchObject({ statusCode: 401 });
    });
  });

  describe('DELETE /session', () => {
    it('ends the session and drops the cookie', async () => {
      const { call, logIn, sessions } = world();
      const { cookie, setCookie } = await logIn('alice');

      const response = await call(payload, 'DELETE /session', { user: 'alice', cookie });

      expect(response).toMatchObject({ statusCode: 204, body: '', headers: { 'Cache-Control': 'no-store' } });
      expect(setCookies(response)).toEqual([CLEARED]);
      expect(await sessions.read(cookie)).toBeNull();
      // The same attributes, or browsers would keep both cookies.
      const attributes = /; Path=\/; Secure; HttpOnly; SameSite=Lax; /;
      expect(setCookie).toMatch(attributes);
      expect(CLEARED).toMatch(attributes);
    });

    it('can be repeated, and called without a session', async () => {
      const { call, logIn } = world();
      const { cookie } = await logIn('alice');
      await call(payload, 'DELETE /session', { cookie });

      expect(await call(payload, 'DELETE /session', { cookie })).toMatchObject({ statusCode: 204 });
      expect(await call(payload, 'DELETE /session', {})).toMatchObject({ statusCode: 204 });
    });

    it('creates nothing for an unknown token', async () => {
      const store = new MemorySessionStore();
      const { call } = world({ store });

      await call(payload, 'DELETE /session', { cookie: `__Host-session=${generateSessionToken()}` });

      expect(store.items()).toEqual([]);
    });
  });

  describe('GET /sessions', () => {
    it('lists the devices of the user, marks this one, and shows no token', async () => {
      const { call, logIn } = world();
      const phone = await logIn('alice', 'phone');
      const laptop = await logIn('alice', 'laptop');
      await logIn('bob', 'tablet');

      const response = await call(payload, 'GET /sessions', { user: 'alice', cookie: laptop.cookie });

      const { sessions } = JSON.parse(response.body ?? '');
      expect(sessions).toHaveLength(2);
      expect(sessions).toEqual(
        expect.arrayContaining([
          { id: phone.session.id, createdAt: NOW, device: { label: 'phone' }, current: false },
          { id: laptop.session.id, createdAt: NOW, device: { label: 'laptop' }, current: true },
        ]),
      );
      for (const { token } of [phone, laptop]) expect(JSON.stringify(response)).not.toContain(token);
    });

    it('marks none without a cookie', async () => {
      const { call, logIn } = world();
      await logIn('alice');

      const response = await call(payload, 'GET /sessions', { user: 'alice' });

      expect(JSON.parse(response.body ?? '').sessions).toMatchObject([{ current: false }]);
    });
  });

  describe('DELETE /sessions', () => {
    it('ends every session, says how many, and drops the cookie', async () => {
      const { call, logIn, sessions } = world();
      const phone = await logIn('alice');
      const laptop = await logIn('alice');

      const response = await call(payload, 'DELETE /sessions', { user: 'alice', cookie: laptop.cookie });

      expect(response).toMatchObject({
        statusCode: 200,
        body: '{"ended":2}',
        headers: { 'Cache-Control': 'no-store' },
      });
      expect(setCookies(response)).toEqual([CLEARED]);
      expect(await sessions.read(phone.cookie)).toBeNull();
      expect(await sessions.read(laptop.cookie)).toBeNull();
    });

    it('with except=current ends the others and gives this one a fresh cookie', async () => {
      const { call, logIn, sessions } = world();
      const phone = await logIn('alice');
      const laptop = await logIn('alice');

      const response = await call(payload, 'DELETE /sessions', {
        user: 'alice',
        cookie: laptop.cookie,
        query: { except: 'current' },
      });

      expect(response).toMatchObject({
        statusCode: 200,
        body: '{"ended":1}',
        headers: { 'Cache-Control': 'no-store' },
      });
      const [fresh = '', ...more] = setCookies(response);
      expect(more).toEqual([]);
      expect(await sessions.read(phone.cookie)).toBeNull();
      expect(await sessions.read(laptop.cookie)).toBeNull();
      expect(await sessions.read(fresh.split(';')[0])).toMatchObject({ user: 'alice' });
    });

    it('with except=current and a session that ended meanwhile touches no cookie', async () => {
      const { call, logIn, sessions } = world();
      const laptop = await logIn('alice');
      await sessions.destroy(laptop.token);

      const response = await call(payload, 'DELETE /sessions', {
        user: 'alice',
        cookie: laptop.cookie,
        query: { except: 'current' },
      });

      expect(response.statusCode).toBe(401);
      expect(setCookies(response)).toEqual([]);
    });

    it("with except=current and another user's cookie ends nothing", async () => {
      const { call, logIn, sessions } = world();
      const alice = await logIn('alice');
      const bob = await logIn('bob');

      const response = await call(payload, 'DELETE /sessions', {
        user: 'alice',
        cookie: bob.cookie,
        query: { except: 'current' },
      });

      expect(response.statusCode).toBe(401);
      expect(await sessions.read(alice.cookie)).not.toBeNull();
    });

    it('with two devices at once lets one win; the other gets no cookie', async () => {
      const { call, logIn } = world();
      const devices = [await logIn('alice'), await logIn('alice')];

      const responses = await Promise.all(
        devices.map(({ cookie }) =>
          call(payload, 'DELETE /sessions', { user: 'alice', cookie, query: { except: 'current' } }),
        ),
      );

      const winners = responses.filter(({ statusCode }) => statusCode === 200);
      expect(winners.length).toBeLessThanOrEqual(1);
      for (const response of responses) expect(setCookies(response)).toHaveLength(response.statusCode === 200 ? 1 : 0);
    });

    it('with another exception ends nothing', async () => {
      const { call, logIn, sessions } = world();
      const { cookie } = await logIn('alice');

      const response = await call(payload, 'DELETE /sessions', { user: 'alice', cookie, query: { except: 'curent' } });

      expect(response.statusCode).toBe(400);
      expect(await sessions.read(cookie)).not.toBeNull();
    });
  });

  describe('DELETE /sessions/{id}', () => {
    it('ends one device', async () => {
      const { call, logIn, sessions } = world();
      const phone = await logIn('alice');
      const laptop = await logIn('alice');

      const response = await call(payload, 'DELETE /sessions/{id}', {
        user: 'alice',
        cookie: laptop.cookie,
        id: phone.session.id,
      });

      expect(response.statusCode).toBe(204);
      expect(setCookies(response)).toEqual([]);
      expect(await sessions.read(phone.cookie)).toBeNull();
      expect(await sessions.read(laptop.cookie)).not.toBeNull();
    });

    it('drops the cookie if it is this device', async () => {
      const { call, logIn } = world();
      const { cookie, session } = await logIn('alice');

      const response = await call(payload, 'DELETE /sessions/{id}', { user: 'alice', cookie, id: session.id });

      expect(setCookies(response)).toEqual([CLEARED]);
    });

    it('answers the same for unknown, malformed and other people’s ids, and ends nothing', async () => {
      const { call, logIn, sessions } = world();
      const alice = await logIn('alice');
      const bob = await logIn('bob');

      const ids = ['0'.repeat(64), 'x', '', bob.session.id, alice.token, undefined];
      const answers = await Promise.all(
        ids.map((id) =>
          call(payload, 'DELETE /sessions/{id}', {
            user: 'alice',
            cookie: alice.cookie,
            ...(id === undefined ? {} : { id }),
          }),
        ),
      );

      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({ statusCode: 404 });
      expect(await sessions.read(bob.cookie)).not.toBeNull();
      expect(await sessions.read(alice.cookie)).not.toBeNull();
    });
  });

  it.each(['GET /sessions', 'DELETE /sessions', 'DELETE /sessions/{id}'])(
    '%s answers 401 where the authorizer was not asked, without a read',
    async (route) => {
      const { call, logIn, store } = world();
      const { cookie } = await logIn('alice');
      store.requests = 0;

      expect(await call(payload, route, { cookie, id: '0'.repeat(64) })).toMatchObject({ statusCode: 401 });
      expect(store.requests).toBe(0);
    },
  );

  it.each(['DELETE /session', 'DELETE /sessions', 'DELETE /sessions/{id}'])(
    '%s from another site is refused before anything is read or written',
    async (route) => {
      const { call, logIn, store } = world();
      const { cookie } = await logIn('alice');
      store.requests = 0;
      const headers = { Origin: 'https://attacker.example', 'Sec-Fetch-Site': 'cross-site' };

      const response = await call(payload, route, { user: 'alice', cookie, headers });

      expect(response).toMatchObject({ statusCode: 403 });
      expect(response.headers).not.toHaveProperty('Access-Control-Allow-Origin');
      expect(setCookies(response)).toEqual([]);
      expect(store.requests).toBe(0);
    },
  );

  it('answers 404 on any other route', async () => {
    expect(await world().call(payload, 'POST /session', { user: 'alice' })).toMatchObject({ statusCode: 404 });
  });

  it('answers 500 and logs when the table fails, and keeps the cookie', async () => {
    const { call, logIn, store, errors } = world();
    const { cookie } = await logIn('alice');
    store.fail = new SessionStoreError('table sessions throttled the request', { code: 'ERR_SESSION_STORE_THROTTLED' });

    const response = await call(payload, 'DELETE /session', { user: 'alice', cookie });

    expect(response).toMatchObject({ statusCode: 500, body: '{"message":"Internal Server Error"}' });
    expect(setCookies(response)).toEqual([]);
    expect(errors).toEqual([store.fail]);
  });
});
