// SPDX-License-Identifier: Apache-2.0
/** A session between login and logout: its end, its data, its tokens. */
import { ReauthenticationRequiredError, SessionConflictError } from '../../lambda/session/errors';
import { DAY_SECONDS, fixture, NOW } from './fixtures';

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
