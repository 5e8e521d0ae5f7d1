// SPDX-License-Identifier: Apache-2.0
/** How sessions end: logout, devices, log out everywhere, a new epoch, a line in the user record. */
import { SessionStoreError } from '../../lambda/session/errors';
import { hashSessionToken } from '../../lambda/session/token';
import { fixture, NOW } from './fixtures';

describe('logout', () => {
  test('ends the session at once, can be repeated, and is harmless without one', async () => {
    const { sessions, calls, cookie } = fixture();
    const { token, session } = await sessions.create({ user: 'alice' });
    calls.reset();
    await sessions.destroy(token);
    expect(calls.counts()).toEqual({ update: 1, delete: 1 });
    await sessions.destroy(token);
    await sessions.destroy(session);
    await sessions.destroy(null);
    await sessions.destroy('not a token');
    expect(await sessions.read(cookie(token))).toBeNull();
    expect(await sessions.list('alice')).toEqual([]);
  });

  test('never touches an item of another type under the same key', async () => {
    const { sessions, store } = fixture();
    const token = 'A'.repeat(43);
    const item = { PK: { S: `S#${hashSessionToken(token)}` }, SK: { S: 'S#' }, type: { S: 'reset' }, data: { S: 'x' } };
    await store.put(item);
    await sessions.destroy(token);
    expect(store.items()).toEqual([item]);
  });
});

describe('devices', () => {
  test('are listed newest first with the current one marked, dead ones left out', async () => {
    const { sessions, clock } = fixture({ idleTimeoutSeconds: 500 });
    const first = await sessions.create({ user: 'alice', device: { label: 'Laptop' } });
    clock.advance(400);
    const second = await sessions.create({ user: 'alice', device: { label: 'Phone' } });
    await sessions.create({ user: 'bob' });
    expect(await sessions.list('alice', { current: second.session })).toEqual([
      { id: second.session.id, createdAt: NOW + 400, expiresAt: NOW + 900, device: { label: 'Phone' }, current: true },
      { id: first.session.id, createdAt: NOW, expiresAt: NOW + 500, device: { label: 'Laptop' }, current: false },
    ]);
    clock.advance(200);
    expect((await sessions.list('alice')).map(({ id }) => id)).toEqual([second.session.id]);
  });

  test('one is ended by its id, and only by its own user', async () => {
    const { sessions, cookie } = fixture();
    const { token, session } = await sessions.create({ user: 'alice' });
    for (const id of ['', 'x', 'f'.repeat(64), session.id.toUpperCase(), undefined, 7, null])
      expect(await sessions.revoke('alice', id)).toBe(false);
    expect(await sessions.revoke('bob', session.id)).toBe(false);
    expect(await sessions.read(cookie(token))).not.toBeNull();
    expect(await sessions.revoke('alice', session.id)).toBe(true);
    expect(await sessions.read(cookie(token))).toBeNull();
  });
});

describe('log out everywhere', () => {
  test('ends every session of the user and nobody else’s, and says how many', async () => {
    const { sessions, cookie } = fixture();
    const mine = [await sessions.create({ user: 'alice' }), await sessions.create({ user: 'alice' })];
    const other = await sessions.create({ user: 'bob' });
    expect(await sessions.revokeAll('alice')).toEqual({ ended: 2 });
    for (const { token } of mine) expect(await sessions.read(cookie(token))).toBeNull();
    expect(await sessions.read(cookie(other.token))).not.toBeNull();
    expect(await sessions.revokeAll('alice')).toEqual({ ended: 0 });
  });

  test('except this one: this one goes on with a fresh token', async () => {
    const { sessions, cookie } = fixture();
    const kept = await sessions.create({ user: 'alice', data: { a: 1 } });
    const other = await sessions.create({ user: 'alice' });
    const outcome = await sessions.revokeAll('alice', { except: kept.session });
    expect(outcome).toMatchObject({ ended: 1, session: { data: { a: 1 } } });
    expect(await sessions.read(cookie(kept.token))).toBeNull();
    expect(await sessions.read(cookie(other.token))).toBeNull();
    expect(await sessions.read(cookie(outcome?.token ?? ''))).not.toBeNull();
  });

  test('except, from a device that was itself logged out meanwhile, is refused', async () => {
    const { sessions } = fixture();
    const one = await sessions.create({ user: 'alice' });
    const two = await sessions.create({ user: 'alice' });
    expect(await sessions.revokeAll('alice', { except: one.session })).not.toBeNull();
    expect(await sessions.revokeAll('alice', { except: two.session })).toBeNull();
  });

  test('of 1,000 sessions can be cut off anywhere and finished by calling again', async () => {
    const { sessions, store, calls } = fixture({ maxSessionsPerUser: 1000, pageSize: 1000 });
    for (let login = 0; login < 1000; login++) await sessions.create({ user: 'alice' });
    const alive = (): number =>
      store.items().filter((item) => item.type !== undefined && item.revoked === undefined).length;
    let ended = 0;
    for (const limit of [1, 5, 333, 1500]) {
      calls.reset();
      calls.interceptor = {
        before: () => {
          if (calls.count() > limit) throw new SessionStoreError('killed');
        },
      };
      const before = alive();
      await expect(sessions.revokeAll('alice')).rejects.toThrow('killed');
      ended += before - alive();
    }
    calls.reset();
    const rest = await sessions.revokeAll('alice');
    expect(rest.ended + ended).toBe(1000);
    expect(alive()).toBe(0);
    expect(await sessions.list('alice')).toEqual([]);
  }, 60_000);
});

describe('an epoch', () => {
  test('ends every session when it changes, also those that a restored backup brings back', async () => {
    const { sessions, store, clock, cookie } = fixture({ epoch: '1' });
    const { token } = await sessions.create({ user: 'alice' });
    const next = fixture({ epoch: '2', store, now: clock.now }).sessions;
    expect(await next.read(cookie(token))).toBeNull();
    const again = await next.create({ user: 'alice' });
    expect(await next.read(cookie(again.token))).not.toBeNull();
    expect(await next.list('alice')).toHaveLength(1);
  });
});

describe('the line in the application’s own user record', () => {
  const record = (line?: string) => ({
    PK: { S: 'U#alice' },
    SK: { S: 'PROFILE' },
    ...(line === undefined ? {} : { sessions_valid_after: { N: line } }),
  });
  const userRecordKey = { partitionKey: 'U#alice', sortKey: 'PROFILE' };

  test.each([
    ['no line', record(), true],
    ['a line before the login', record(String(NOW - 1)), true],
    ['a line in the same second', record(String(NOW)), true],
    ['a line after the login', record(String(NOW + 1)), false],
    ['a line in milliseconds', record(String(NOW * 1000)), false],
    ['a line of another type', { ...record(), sessions_valid_after: { S: '1' } }, false],
    ['no record', undefined, false],
  ])('000-16 to 000-24: %s', async (_name, item, isAlive) => {
    const { sessions, store, calls, cookie } = fixture({ userRecordAttribute: 'sessions_valid_after' });
    const { token } = await sessions.create({ user: 'alice', userRecordKey });
    if (item !== undefined) await store.put(item);
    calls.reset();
    expect((await sessions.read(cookie(token))) !== null).toBe(isAlive);
    expect(calls.counts()).toEqual({ get: 2 });
  });

  test('a rotation after the line was moved keeps the acting session', async () => {
    const { sessions, store, clock, cookie } = fixture({ userRecordAttribute: 'sessions_valid_after' });
    const { session } = await sessions.create({ user: 'alice', userRecordKey });
    const other = await sessions.create({ user: 'alice', userRecordKey });
    clock.advance(5);
    await store.put(record(String(NOW + 5)));
    const rotated = await sessions.rotate(session);
    expect(await sessions.read(cookie(rotated?.token ?? ''))).not.toBeNull();
    expect(await sessions.read(cookie(other.token))).toBeNull();
  });
});
