// SPDX-License-Identifier: Apache-2.0
/** Once moved in or logged out, an old cookie mints nothing. */
import { createSessions } from '../../../lambda/session/create-sessions';
import { ConfigurationError, SessionStoreError } from '../../../lambda/session/errors';
import { IS_CLAIM } from '../../../lambda/session/migration/claim-item';
import { hashSessionToken } from '../../../lambda/session/token';
import { DAY_SECONDS, NOW } from '../fixtures';
import { movingIn } from './moving-in';

const NEW_COOKIE = '__Host-session';

describe('the old cookie mints nothing', () => {
  it('after the confirmation, even if the old system wrote its item again', async () => {
    const { browser, request, old, reports, clock } = movingIn();
    const visitor = browser();
    const thief = visitor.copy();
    await request(visitor);
    await request(visitor);
    old.login('L');
    clock.advance(10);

    const answer = await request(thief);

    expect(answer.user).toBeNull();
    expect(answer.setCookies).toEqual(['old=; Max-Age=0']);
    expect(reports.at(-1)).toEqual({ kind: 'refused', source: 'old', reason: 'settled' });
  });

  it.each([
    ['at the second request', true],
    ['at the very first request', false],
  ])('after a logout %s', async (_, movesInBefore) => {
    const { browser, request, old, store } = movingIn();
    const visitor = browser();
    const thief = visitor.copy();
    if (movesInBefore) await request(visitor);

    await request(visitor, { handler: (session) => session.end() });
    old.login('L');

    expect([...visitor.cookies.keys()]).toEqual([]);
    expect((await request(thief)).user).toBeNull();
    expect(store.items().filter(({ type, revoked }) => type?.S === 'session' && revoked === undefined)).toEqual([]);
  });

  it('after the logout of a session that did not come from it', async () => {
    const { browser, request, sessions, old } = movingIn();
    const visitor = browser();
    const thief = visitor.copy();
    visitor.take([(await sessions.create({ user: 'alice' })).setCookie]);

    await request(visitor, { handler: (session) => session.end() });

    expect(old.ends).toEqual(['L']);
    old.login('L');
    expect((await request(thief)).user).toBeNull();
    expect((await request(visitor)).user).toBeNull();
  });

  it('nor does an id that nothing signed cost a write when it is made up', async () => {
    const { browser, request, old, calls } = movingIn({ source: { tokenSecrets: undefined } });
    const visitor = browser('real');
    const attacker = browser('made-up');
    old.sessions.delete('made-up');
    calls.reset();

    const answer = await request(attacker, { handler: (session) => session.end() });

    expect(calls.count('put', 'update', 'delete')).toBe(0);
    expect(old.ends).toEqual([]);
    expect(answer.setCookies).toContain('old=; Max-Age=0');

    const thief = visitor.copy();
    await request(visitor, { handler: (session) => session.end() });
    old.login('real');
    expect((await request(thief)).user).toBeNull();
  });

  it.each([
    ['ended by its token', async ({ sessions }: ReturnType<typeof movingIn>, token: string) => sessions.destroy(token)],
    [
      'ended from another device',
      async ({ sessions }: ReturnType<typeof movingIn>, token: string) =>
        void (await sessions.revoke('alice', hashSessionToken(token))),
    ],
    [
      'ended with all others',
      async ({ sessions }: ReturnType<typeof movingIn>) => void (await sessions.revokeAll('alice')),
    ],
  ])('after its session was %s before its cookie had come back', async (_, end) => {
    const world = movingIn();
    const visitor = world.browser('L', { createdAt: NOW });
    const thief = visitor.copy();
    await world.request(visitor);

    await end(world, visitor.cookies.get(NEW_COOKIE) ?? '');

    expect((await world.request(thief)).user).toBeNull();
    expect((await world.request(visitor)).user).toBeNull();
  });

  it('after a rotation whose successor was logged out from another device, even if the claim never heard of it', async () => {
    const { browser, request, sessions, store } = movingIn();
    const visitor = browser();
    await request(visitor, { loseAnswer: true, handler: async (session) => void (await session.rotate()) });
    const { id } = (await sessions.list('alice'))[0] ?? {};
    const claim = store.items().find(({ type }) => type?.S === 'legacy_claim');
    const rotated = store.items().find(({ replaced_by }) => replaced_by?.S === id);
    // The write that tells the claim was lost.
    await store.update(
      { partitionKey: claim?.PK?.S ?? '', sortKey: claim?.SK?.S ?? '' },
      { set: { session: { S: rotated?.PK?.S?.slice('S#'.length) ?? '' } } },
      [IS_CLAIM],
    );

    expect(await sessions.revoke('alice', id)).toBe(true);

    expect((await request(visitor)).user).toBeNull();
    expect(await sessions.list('alice')).toEqual([]);
  });

  it.each(['two', 'an odd one'])('beside %s of the cookies of our own, which is nobody’s request', async (kind) => {
    const { browser, old, sessions } = movingIn();
    const { token } = await sessions.create({ user: 'bob' });
    const own = kind === 'two' ? `${NEW_COOKIE}=${token}; ${NEW_COOKIE}=${token}` : `${NEW_COOKIE}=odd`;

    const arrival = await sessions.legacy?.arrive(`${browser().cookieHeader}; ${own}`, null);

    expect(arrival).toEqual({ session: null, moved: null, clearCookies: [] });
    expect(old.reads).toEqual([]);
  });

  it('once settled, and what its token was made of is gone', async () => {
    const { browser, request, store } = movingIn();
    const visitor = browser();
    const claim = () => store.items().find(({ type }) => type?.S === 'legacy_claim');
    await request(visitor);
    expect(claim()).toHaveProperty('nonce');

    await request(visitor);

    expect(claim()).not.toHaveProperty('nonce');
  });

  it('after a logout that was cut off once the claim was settled, and repeated', async () => {
    const { browser, sessions, request, calls } = movingIn();
    const visitor = browser();
    await request(visitor);
    const { cookieHeader } = visitor;
    const old = `old=${visitor.cookies.get('old')}`;
    // The tombstone of the session that moved in is never written.
    calls.interceptor = {
      before: ({ operation, arguments: [key] }) => {
        const { partitionKey } = key as { partitionKey?: string };
        if (operation === 'update' && partitionKey?.startsWith('S#')) throw new Error('the process died');
      },
    };
    await expect(sessions.legacy?.end(old)).rejects.toThrow('the process died');
    calls.reset();

    await sessions.legacy?.end(old);

    expect(await sessions.read(cookieHeader)).toBeNull();
  });

  it('for 400 days after a logout, however long it had been moving in by then', async () => {
    const { browser, request, store, clock } = movingIn({}, { absoluteTimeoutSeconds: 400 * DAY_SECONDS });
    const visitor = browser('L', { expiresAt: NOW + 350 * DAY_SECONDS });
    await request(visitor, { loseAnswer: true });
    clock.advance(300 * DAY_SECONDS);
    await request(visitor, { handler: (session) => session.end() });

    const claim = store.items().find(({ type }) => type?.S === 'legacy_claim');
    expect(Number(claim?.expires_at?.N)).toBe(NOW + 700 * DAY_SECONDS);
  });

  it('is not needed to be understood by every source, once the new cookie has come back', async () => {
    const { browser, request, reports } = movingIn({
      source: {
        prepare: async () => {
          if (isBroken) throw new ConfigurationError('secrets must hold at least one secret');
        },
      },
    });
    let isBroken = false;
    const visitor = browser();
    await request(visitor);
    isBroken = true;

    expect((await request(visitor)).user).toBe('alice');
    expect(reports.at(-1)).toEqual({ kind: 'confirmationFault', code: 'ConfigurationError' });
  });

  it('past the cut-off date, whose keys need not be there any more', async () => {
    let loads = 0;
    const { browser, request, clock } = movingIn({
      source: {
        acceptUntil: NOW + 10,
        prepare: async () => {
          if (loads++ > 0) throw new SessionStoreError('the secret was deleted');
        },
      },
    });
    await request(browser());
    clock.advance(10);

    expect(await request(browser())).toMatchObject({ statusCode: 200, user: null });
  });

  it('after its session was pushed out by newer logins', async () => {
    const { browser, request, sessions, clock } = movingIn({}, { maxSessionsPerUser: 1 });
    const visitor = browser();
    await request(visitor);
    clock.advance(1);

    await sessions.create({ user: 'alice' });

    expect((await request(visitor)).user).toBeNull();
  });

  it('under a new epoch, if it moved in under the old one', async () => {
    const { browser, request, store, old, clock } = movingIn({}, { epoch: 'one' });
    const visitor = browser();
    await request(visitor);
    const renewed = createSessions({
      store,
      now: clock.now,
      epoch: 'two',
      legacy: { sources: [old.source()], report: () => {} },
    });

    expect((await renewed.legacy?.arrive(visitor.cookieHeader, null))?.moved).toBeNull();
    expect((await renewed.legacy?.arrive('old=L.signed', null))?.moved).toBeNull();
  });

  it('for another user who logged in on it meanwhile what was meant for the first', async () => {
    const { browser, request, old, sessions } = movingIn();
    const visitor = browser();
    await request(visitor, { loseAnswer: true });
    old.login('L', { user: 'bob' });

    expect((await request(visitor)).user).toBe('bob');
    expect(await sessions.list('alice')).toEqual([]);
  });
});
