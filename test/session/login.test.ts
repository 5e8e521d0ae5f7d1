// SPDX-License-Identifier: Apache-2.0
/** Login: what it gives, what it never adopts, and what overtakes it. */
import { AuthenticationSupersededError, SessionStoreError, UserDisabledError } from '../../lambda/session/errors';
import { hashSessionToken } from '../../lambda/session/token';
import { DAY_SECONDS, fixture, NOW } from './fixtures';

describe('login', () => {
  test('gives a cookie by which the session is found, with everything that was stored', async () => {
    const { sessions, cookie } = fixture<{ cart: string[] }>();
    const { token, setCookie } = await sessions.create({
      user: 'alice',
      data: { cart: ['book'] },
      claims: { role: 'admin', level: 3, beta: true },
      device: { label: 'Laptop', ip: '198.51.100.7', userAgent: 'Firefox' },
    });

    expect(setCookie).toBe(
      `__Host-session=${token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${30 * DAY_SECONDS}`,
    );
    expect(await sessions.read(cookie(token))).toMatchObject({
      id: hashSessionToken(token),
      user: 'alice',
      createdAt: NOW,
      issuedAt: NOW,
      authenticatedAt: NOW,
      expiresAt: NOW + 30 * DAY_SECONDS,
      data: { cart: ['book'] },
      claims: { role: 'admin', level: 3, beta: true },
      device: { label: 'Laptop', ip: '198.51.100.7', userAgent: 'Firefox' },
    });
  });

  test('000-8: leaves the token in no attribute of any item, in no spelling', async () => {
    const { sessions, store } = fixture();
    const { token } = await sessions.create({ user: 'alice', data: { a: 1 } });
    await sessions.rotate((await sessions.read(`__Host-session=${token}`)) as never);
    const table = JSON.stringify(store.items());
    const bytes = Buffer.from(token, 'base64url');
    for (const spelling of [token, bytes.toString('hex'), bytes.toString('base64').slice(0, 42)])
      expect(table).not.toContain(spelling);
  });

  test('000-4, 000-5: keys the item by the SHA-256 of the token, with the epoch in front where there is one', async () => {
    const { sessions, store } = fixture({ epoch: '2026-11' });
    const { token } = await sessions.create({ user: 'alice' });
    expect(store.items().map((item) => item.PK?.S)).toContain(`S#2026-11#${hashSessionToken(token)}`);
  });

  test('fixation: the token from before the login is dead after it, and the new one is another', async () => {
    const { sessions, cookie } = fixture();
    const before = await sessions.create({ data: { cart: 'kept' } });
    const after = await sessions.create({ user: 'alice', replaces: before.session, data: before.session.data });

    expect(after.token).not.toBe(before.token);
    expect(await sessions.read(cookie(before.token))).toBeNull();
    expect(await sessions.read(cookie(after.token))).toMatchObject({ user: 'alice', data: { cart: 'kept' } });
  });

  test('fixation: a token that nobody issued is never adopted and leaves nothing in the table', async () => {
    const { sessions, store, cookie } = fixture();
    const chosen = 'A'.repeat(43);
    for (let tries = 0; tries < 100; tries++) expect(await sessions.read(cookie(chosen))).toBeNull();
    await sessions.destroy(chosen);
    expect(store.items()).toEqual([]);
  });

  test('ends the session of another user that was signed in on the same browser', async () => {
    const { sessions, cookie } = fixture();
    const alice = await sessions.create({ user: 'alice' });
    const bob = await sessions.create({ user: 'bob', replaces: alice.session });
    expect(await sessions.read(cookie(alice.token))).toBeNull();
    expect(await sessions.read(cookie(bob.token))).toMatchObject({ user: 'bob' });
    expect(await sessions.list('alice')).toEqual([]);
  });

  test('a login whose password was checked before log out everywhere does not survive it', async () => {
    const { sessions, store } = fixture();
    const authentication = await sessions.beginAuthentication('alice');
    await sessions.revokeAll('alice');
    await expect(sessions.create({ user: 'alice', authentication })).rejects.toThrow(AuthenticationSupersededError);
    expect(store.items().filter((item) => item.type !== undefined && item.revoked === undefined)).toEqual([]);
    expect(await sessions.list('alice')).toEqual([]);
  });

  test('a login that begins in the same second after log out everywhere succeeds', async () => {
    const { sessions, cookie } = fixture();
    await sessions.revokeAll('alice');
    const authentication = await sessions.beginAuthentication('alice');
    const { token } = await sessions.create({ user: 'alice', authentication });
    expect(await sessions.read(cookie(token))).not.toBeNull();
  });

  test('a disabled user cannot log in until enabled again', async () => {
    const { sessions } = fixture();
    await sessions.disable('alice');
    const authentication = await sessions.beginAuthentication('alice');
    await expect(sessions.create({ user: 'alice' })).rejects.toThrow(UserDisabledError);
    await expect(sessions.create({ user: 'alice', authentication })).rejects.toThrow(UserDisabledError);
    expect(await sessions.enable('alice')).toBe(true);
    await expect(sessions.create({ user: 'alice' })).resolves.toMatchObject({ session: { user: 'alice' } });
    await expect(sessions.create({ user: 'alice', authentication })).resolves.toBeDefined();
  });

  test('of more sessions than allowed the oldest logins go, and dead ones push nobody out', async () => {
    const { sessions, clock, cookie } = fixture({ maxSessionsPerUser: 2 });
    const tokens: string[] = [];
    for (let login = 0; login < 3; login++) {
      tokens.push((await sessions.create({ user: 'alice' })).token);
      clock.advance(1);
    }
    const alive = async (): Promise<boolean[]> =>
      Promise.all(tokens.map(async (token) => (await sessions.read(cookie(token))) !== null));
    expect(await alive()).toEqual([false, true, true]);

    await sessions.destroy(tokens[2]);
    tokens.push((await sessions.create({ user: 'alice' })).token);
    expect(await alive()).toEqual([false, true, false, true]);
  });

  test('a lost answer of the put is a success with one session', async () => {
    const { sessions, calls, cookie } = fixture();
    calls.loseAnswerOf('put');
    const { token } = await sessions.create({ user: 'alice' });
    expect(await sessions.read(cookie(token))).not.toBeNull();
    expect(await sessions.list('alice')).toHaveLength(1);
  });

  test('a store that keeps failing fails the login and leaves no session alive', async () => {
    const { sessions, store, calls } = fixture();
    calls.interceptor = {
      before: ({ operation }) => {
        if (operation === 'query') throw new SessionStoreError('throttled', { isRetryable: true });
      },
    };
    await expect(sessions.create({ user: 'alice' })).rejects.toThrow(SessionStoreError);
    expect(store.items().filter((item) => item.type !== undefined && item.revoked === undefined)).toEqual([]);
  });
});
