// SPDX-License-Identifier: Apache-2.0
import {
  AuthenticationSupersededError,
  ReauthenticationRequiredError,
  SessionConflictError,
  SessionStoreError,
  UserDisabledError,
} from '../../lambda/session/errors';
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

describe('expiry', () => {
  test('000-9, 000-10: ends a session in the second of its expiry although its item is still there', async () => {
    const { sessions, store, clock, cookie } = fixture({ absoluteTimeoutSeconds: 100 });
    const { token } = await sessions.create({ user: 'alice' });
    clock.advance(99);
    expect(await sessions.read(cookie(token))).not.toBeNull();
    clock.advance(1);
    expect(await sessions.read(cookie(token))).toBeNull();
    expect(store.items()).toHaveLength(2);
  });

  test('the idle timeout slides with use, and stops at the absolute one', async () => {
    const { sessions, clock, cookie } = fixture({ idleTimeoutSeconds: 100, absoluteTimeoutSeconds: 250 });
    const { token } = await sessions.create({ user: 'alice' });
    for (const [seconds, outcome] of [
      [60, 'renewed'],
      [60, 'renewed'],
      [60, 'renewed'],
      [60, 'notDue'],
    ] as const) {
      clock.advance(seconds);
      const session = await sessions.read(cookie(token));
      expect(session).not.toBeNull();
      if (session) expect(await sessions.renew(session)).toBe(outcome);
    }
    clock.advance(10);
    expect(await sessions.read(cookie(token))).toBeNull();
  });

  test('1,000 requests inside one renewal interval write at most once', async () => {
    const { sessions, calls, clock, cookie } = fixture({ idleTimeoutSeconds: 3600 });
    const { token } = await sessions.create({ user: 'alice' });
    clock.advance(360);
    calls.reset();
    for (let request = 0; request < 1000; request++) {
      const session = await sessions.read(cookie(token));
      if (session) await sessions.renew(session);
    }
    expect(calls.counts()).toEqual({ get: 1000, update: 1 });
  });

  test('of two renewals at once one writes, and both say that the session lives', async () => {
    const { sessions, clock, cookie } = fixture({ idleTimeoutSeconds: 3600 });
    const { token } = await sessions.create({ user: 'alice' });
    clock.advance(1000);
    const [one, two] = [await sessions.read(cookie(token)), await sessions.read(cookie(token))];
    expect([one && (await sessions.renew(one)), two && (await sessions.renew(two))]).toEqual(['renewed', 'notDue']);
  });

  test('a renewal whose answer was lost is recognised as its own', async () => {
    const { sessions, calls, clock } = fixture({ idleTimeoutSeconds: 3600 });
    const { session } = await sessions.create({ user: 'alice' });
    clock.advance(1000);
    calls.loseAnswerOf('update');
    expect(await sessions.renew(session)).toBe('renewed');
    expect(session.expiresAt).toBe(NOW + 4600);
  });
});

describe('a session ended while a request is in flight stays ended', () => {
  test.each(['destroy', 'revoke', 'revokeAll', 'disable'] as const)(
    'for save, renew and rotate, by %s',
    async (how) => {
      for (const late of ['save', 'renew', 'rotate'] as const) {
        const { sessions, store, clock, cookie } = fixture({ idleTimeoutSeconds: 3600 });
        const { token } = await sessions.create({ user: 'alice' });
        clock.advance(1000);
        const session = await sessions.read(cookie(token));
        if (session === null) throw new Error('no session');
        if (how === 'destroy') await sessions.destroy(token);
        else if (how === 'revoke') await sessions.revoke('alice', session.id);
        else await sessions[how]('alice');

        session.data.changed = true;
        if (late === 'save') await expect(sessions.save(session)).rejects.toThrow(SessionConflictError);
        if (late === 'renew') expect(await sessions.renew(session)).toBe('ended');
        if (late === 'rotate') expect(await sessions.rotate(session)).toBeNull();
        expect(await sessions.read(cookie(token))).toBeNull();
        expect(store.items().filter((item) => item.type !== undefined && item.revoked === undefined)).toEqual([]);
      }
    },
  );
});

describe('data', () => {
  test('000-31: 1,000 page views without a change write nothing', async () => {
    const { sessions, calls, cookie } = fixture();
    const { token } = await sessions.create({ user: 'alice', data: { a: 1 } });
    calls.reset();
    for (let view = 0; view < 1000; view++) {
      const session = await sessions.read(cookie(token));
      if (session) expect(await sessions.save(session)).toBe(false);
    }
    expect(calls.counts()).toEqual({ get: 1000 });
  });

  test('a change is saved once and moves the version on', async () => {
    const { sessions, cookie } = fixture<{ count: number }>();
    const { token, session } = await sessions.create({ user: 'alice', data: { count: 0 } });
    session.data.count = 1;
    expect(await sessions.save(session)).toBe(true);
    expect(await sessions.save(session)).toBe(false);
    session.data = { count: 2 };
    expect(await sessions.save(session)).toBe(true);
    expect(await sessions.read(cookie(token))).toMatchObject({ data: { count: 2 }, version: 2 });
  });

  test('the second of two writers is told, and loses nobody else anything', async () => {
    const { sessions, cookie } = fixture<{ by: string }>();
    const { token } = await sessions.create({ user: 'alice', data: { by: '' } });
    const [one, two] = [await sessions.read(cookie(token)), await sessions.read(cookie(token))];
    if (!one || !two) throw new Error('no session');
    one.data.by = 'one';
    two.data.by = 'two';
    await sessions.save(one);
    await expect(sessions.save(two)).rejects.toMatchObject({ code: 'ERR_SESSION_CONFLICT', outcome: 'notWritten' });
    expect(await sessions.read(cookie(token))).toMatchObject({ data: { by: 'one' } });
  });

  test('a save whose answer was lost is a success', async () => {
    const { sessions, calls, cookie } = fixture<{ a: number }>();
    const { token, session } = await sessions.create({ user: 'alice', data: { a: 0 } });
    session.data.a = 1;
    calls.loseAnswerOf('update');
    expect(await sessions.save(session)).toBe(true);
    expect(await sessions.read(cookie(token))).toMatchObject({ data: { a: 1 } });
  });

  test('a save slides the idle timeout in the same write', async () => {
    const { sessions, calls, clock } = fixture<{ a: number }>({ idleTimeoutSeconds: 3600 });
    const { session } = await sessions.create({ user: 'alice', data: { a: 0 } });
    clock.advance(1000);
    calls.reset();
    session.data.a = 1;
    await sessions.save(session);
    expect(calls.counts()).toEqual({ update: 1 });
    expect(session.expiresAt).toBe(NOW + 4600);
    expect(await sessions.renew(session)).toBe('notDue');
  });

  test('a renewal by another request meanwhile does not refuse the data', async () => {
    const { sessions, clock, cookie } = fixture<{ a: number }>({ idleTimeoutSeconds: 3600 });
    const { token } = await sessions.create({ user: 'alice', data: { a: 0 } });
    clock.advance(1000);
    const [one, two] = [await sessions.read(cookie(token)), await sessions.read(cookie(token))];
    if (!one || !two) throw new Error('no session');
    await sessions.renew(one);
    two.data.a = 1;
    expect(await sessions.save(two)).toBe(true);
  });
});

describe('rotation', () => {
  test('keeps login, user, data and device, and kills the old token', async () => {
    const { sessions, clock, cookie } = fixture();
    const { token, session } = await sessions.create({ user: 'alice', data: { a: 1 }, device: { label: 'Phone' } });
    clock.advance(10);
    const rotated = await sessions.rotate(session, { claims: { role: 'user' } });
    if (!rotated) throw new Error('no session');
    expect(await sessions.read(cookie(token))).toBeNull();
    expect(await sessions.read(cookie(rotated.token))).toMatchObject({
      user: 'alice',
      createdAt: NOW,
      issuedAt: NOW + 10,
      authenticatedAt: NOW,
      expiresAt: NOW + 30 * DAY_SECONDS,
      data: { a: 1 },
      device: { label: 'Phone' },
      claims: { role: 'user' },
    });
    expect(await sessions.list('alice')).toHaveLength(1);
    expect(rotated.setCookie).toContain(`Max-Age=${30 * DAY_SECONDS - 10}`);
  });

  test('carries over what another request saved meanwhile', async () => {
    const { sessions, calls, cookie } = fixture<{ a: number }>();
    const { token, session } = await sessions.create({ user: 'alice', data: { a: 0 } });
    const other = await sessions.read(cookie(token));
    calls.beforeNext('update', async () => {
      if (!other) return;
      other.data.a = 7;
      await sessions.save(other);
    });
    const rotated = await sessions.rotate(session);
    expect(rotated?.session.data).toEqual({ a: 7 });
    expect(await sessions.read(cookie(rotated?.token ?? ''))).toMatchObject({ data: { a: 7 }, version: 1 });
  });

  test('a lost answer at its last write does not throw the user out', async () => {
    const { sessions, calls, cookie } = fixture();
    const { session } = await sessions.create({ user: 'alice' });
    calls.loseAnswerOf('update');
    const rotated = await sessions.rotate(session);
    expect(await sessions.read(cookie(rotated?.token ?? ''))).not.toBeNull();
  });

  test('logout with the old token ends the new one too', async () => {
    const { sessions, cookie } = fixture();
    const { token, session } = await sessions.create({ user: 'alice' });
    const rotated = await sessions.rotate(session);
    await sessions.destroy(token);
    expect(await sessions.read(cookie(rotated?.token ?? ''))).toBeNull();
    expect(await sessions.list('alice')).toEqual([]);
  });

  test('logout after many rotations costs no more than after one', async () => {
    const { sessions, calls } = fixture();
    let { session } = await sessions.create({ user: 'alice' });
    for (let turn = 0; turn < 10; turn++) session = (await sessions.rotate(session))?.session ?? session;
    calls.reset();
    await sessions.destroy(session);
    expect(calls.counts()).toEqual({ update: 1, get: 1, delete: 1 });
  });

  test('step-up: fresh credentials count from the rotation on', async () => {
    const { sessions, clock } = fixture();
    const { session } = await sessions.create({ user: 'alice' });
    clock.advance(299);
    sessions.requireRecentAuthentication(session, 300);
    clock.advance(1);
    expect(() => sessions.requireRecentAuthentication(session, 300)).toThrow(ReauthenticationRequiredError);
    const rotated = await sessions.rotate(session, { authenticated: true });
    if (!rotated) throw new Error('no session');
    sessions.requireRecentAuthentication(rotated.session, 300);
  });
});

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

describe('tokens against cross-site requests', () => {
  test('belong to one session token and change with it', async () => {
    const { sessions } = fixture();
    const { token, session } = await sessions.create({ user: 'alice' });
    const csrf = sessions.csrfToken(token);
    expect(sessions.verifyCsrf(token, csrf)).toBe(true);
    const rotated = await sessions.rotate(session);
    for (const presented of [
      undefined,
      '',
      csrf.slice(1),
      `${csrf}x`,
      csrf.toUpperCase(),
      7,
      sessions.csrfToken('other'),
    ])
      expect(sessions.verifyCsrf(token, presented)).toBe(false);
    expect(sessions.verifyCsrf(rotated?.token ?? '', csrf)).toBe(false);
  });
});
