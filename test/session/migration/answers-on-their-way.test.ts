// SPDX-License-Identifier: Apache-2.0
/** Moving in where answers are lost, requests come at once, and requests come late. */
import { hashSessionToken } from '../../../lambda/session/token';
import { movingIn } from './moving-in';

const NEW_COOKIE = '__Host-session';

describe('an answer that never arrived', () => {
  it('is given again, with the same token', async () => {
    const { browser, request, reports, store } = movingIn();
    const visitor = browser();

    const lost = await request(visitor, { loseAnswer: true });
    const second = await request(visitor);

    expect(lost.user).toBe('alice');
    expect(second.setCookies).toEqual(lost.setCookies);
    expect(store.items().filter(({ type }) => type?.S === 'session')).toHaveLength(1);
    expect(reports.map(({ kind }) => kind)).toEqual(['movedIn', 'handedOutAgain']);
  });

  it('costs nobody the login when the idle timeout ended what was in it', async () => {
    const { browser, request, clock, store } = movingIn({}, { idleTimeoutSeconds: 600 });
    const visitor = browser();
    const lost = await request(visitor, { loseAnswer: true });
    clock.advance(601);

    const second = await request(visitor);

    expect(second.user).toBe('alice');
    expect(second.setCookies).not.toEqual(lost.setCookies);
    const live = store.items().filter(({ type, revoked }) => type?.S === 'session' && revoked === undefined);
    expect(live).toHaveLength(1);
  });

  it('does not bring back the same token after its item was deleted', async () => {
    const { browser, request, clock, store, sessions } = movingIn({}, { idleTimeoutSeconds: 600 });
    const visitor = browser();
    await request(visitor);
    const thief = visitor.copy();
    const token = visitor.cookies.get(NEW_COOKIE) ?? '';
    visitor.cookies.delete(NEW_COOKIE);
    clock.advance(601);
    await store.delete({ partitionKey: `S#${hashSessionToken(token)}`, sortKey: 'S#' });

    expect((await request(visitor)).user).toBe('alice');

    expect(visitor.cookies.get(NEW_COOKIE)).not.toBe(token);
    expect(await sessions.read(`${NEW_COOKIE}=${thief.cookies.get(NEW_COOKIE)}`)).toBeNull();
  });

  it('can hold a session that was given a fresh token at once', async () => {
    const { browser, request, store } = movingIn();
    const visitor = browser();

    await request(visitor, { loseAnswer: true, handler: async (session) => void (await session.rotate()) });
    const second = await request(visitor);

    expect(second.user).toBe('alice');
    expect((await request(visitor)).user).toBe('alice');
    const live = store.items().filter(({ type, revoked }) => type?.S === 'session' && revoked === undefined);
    expect(live).toHaveLength(1);
  });
});

describe('a fresh token in the first requests of a page', () => {
  const rotate = async (session: { rotate(): Promise<unknown> }) => void (await session.rotate());

  it('serves a request that was sent with the old cookie alone, and gives it no token', async () => {
    const { browser, request } = movingIn();
    const visitor = browser();
    const late = visitor.copy();
    await request(visitor, { handler: rotate });

    expect(await request(late)).toEqual({ statusCode: 200, user: 'alice', setCookies: [] });
    expect((await request(visitor)).user).toBe('alice');
  });

  it('after a step-up is for nobody who has the old cookie alone', async () => {
    const { browser, request, sessions } = movingIn();
    const visitor = browser();
    const thief = visitor.copy();
    await request(visitor, {
      handler: async (session) => void (await session.rotate({ authenticated: true, claims: { role: 'admin' } })),
    });
    let seen: unknown;

    await request(thief, {
      handler: async ({ session }) => {
        seen = session?.claims;
        if (session !== null) expect(() => sessions.requireRecentAuthentication(session, 60)).toThrow();
      },
    });

    expect(seen).toEqual({});
  });

  it('is made up for with another session ten seconds later, where the answer with it was lost', async () => {
    const { browser, request, clock, sessions } = movingIn();
    const visitor = browser();
    await request(visitor, { loseAnswer: true, handler: rotate });
    clock.advance(10);

    expect((await request(visitor)).user).toBe('alice');
    expect((await request(visitor)).user).toBe('alice');
    expect(await sessions.list('alice')).toHaveLength(1);
  });

  it('that comes back just when another request gives up waiting for it keeps its session', async () => {
    const { browser, request, clock, calls, sessions, reports } = movingIn();
    const visitor = browser();
    const slow = visitor.copy();
    await request(visitor, { handler: rotate });
    clock.advance(10);
    // Between the claim's move to another session and the end of this one.
    let isDone = false;
    calls.interceptor = {
      before: async ({ operation, arguments: [, change] }) => {
        if (isDone || operation !== 'update' || !('superseded_by' in ((change as { set?: object }).set ?? {}))) return;
        isDone = true;
        expect((await request(visitor)).user).toBe('alice');
      },
    };

    expect(await request(slow)).toMatchObject({ user: 'alice', setCookies: [] });

    expect(isDone).toBe(true);
    expect((await request(visitor)).user).toBe('alice');
    expect(await sessions.list('alice')).toHaveLength(1);
    expect(reports.map(({ kind }) => kind)).toContain('confirmed');
  });

  it('is not ended by a request that came with its predecessor, and confirms that', async () => {
    const { browser, request, calls, sessions } = movingIn();
    const visitor = browser();
    const withOldCookie = visitor.copy();
    await request(visitor);
    let isDone = false;
    calls.interceptor = {
      before: async ({ operation }) => {
        if (isDone || operation !== 'update') return;
        isDone = true;
        // Of the same page, sent before: it gets the same session, and a fresh token for it.
        await request(withOldCookie, { handler: rotate });
      },
    };
    expect((await request(visitor, { loseAnswer: true })).user).toBe('alice');
    expect(isDone).toBe(true);

    expect((await request(withOldCookie)).user).toBe('alice');
    expect(await sessions.list('alice')).toHaveLength(1);
  });

  it('and "sign out everywhere else" keeps the session that all of them share', async () => {
    const { browser, request, calls } = movingIn();
    const visitor = browser();
    const late = visitor.copy();
    let isDone = false;
    calls.interceptor = {
      after: async ({ operation, arguments: [, change] }) => {
        if (isDone || operation !== 'update' || !('changed_by' in ((change as { set?: object }).set ?? {}))) return;
        isDone = true;
        expect((await request(late, { loseAnswer: true })).user).toBeNull();
      },
    };

    await request(visitor, { handler: async (session) => void (await session.endOthers()) });

    expect(isDone).toBe(true);
    expect((await request(visitor)).user).toBe('alice');
  });
});

describe('fifty first requests at once', () => {
  it('are all served and end with one session', async () => {
    const { browser, request, store, reports, sessions } = movingIn();
    const visitor = browser();

    const answers = await Promise.all(Array.from({ length: 50 }, () => request(visitor)));

    expect(answers.map(({ user }) => user)).toEqual(Array(50).fill('alice'));
    expect(new Set(answers.flatMap(({ setCookies }) => setCookies)).size).toBe(1);
    expect(store.items().filter(({ type }) => type?.S === 'session')).toHaveLength(1);
    expect(reports.filter(({ kind }) => kind === 'movedIn')).toHaveLength(1);
    expect(await sessions.list('alice')).toHaveLength(1);
  });

  it('and fifty second ones confirm it once', async () => {
    const { browser, request, reports } = movingIn();
    const visitor = browser();
    await request(visitor);
    const others = Array.from({ length: 50 }, () => visitor.copy());

    const answers = await Promise.all(others.map((other) => request(other)));

    expect(answers.every(({ user }) => user === 'alice')).toBe(true);
    expect(reports.filter(({ kind }) => kind === 'confirmed')).toHaveLength(1);
  });
});

describe('a request that was sent with the old cookie alone', () => {
  it('is served if it arrives just after the confirmation, and gets no token', async () => {
    const { browser, request, clock, reports } = movingIn();
    const visitor = browser();
    const late = visitor.copy();
    await request(visitor);
    await request(visitor);
    clock.advance(9);

    const answer = await request(late, {
      handler: async (session) => {
        expect(session.csrfToken).toBeNull();
      },
    });

    expect(answer).toEqual({ statusCode: 200, user: 'alice', setCookies: [] });
    expect(reports.at(-1)).toEqual({ kind: 'servedLate', source: 'old' });

    for (const change of ['rotate', 'endOthers'] as const) {
      const refused = await request(late, { handler: async (session) => void (await session[change]()) });
      expect(refused).toMatchObject({ statusCode: 409, setCookies: [] });
    }

    clock.advance(1);
    expect((await request(late)).user).toBeNull();
  });

  it.each([
    ['logs the session out', false, 9, null],
    ['logs the session out that has a fresh token by then', true, 9, null],
    ['logs nobody out ten seconds later, when the old cookie has no part in it any more', false, 10, 'alice'],
  ])('%s', async (_, isRotated, secondsLater, user) => {
    const { browser, request, clock } = movingIn();
    const visitor = browser();
    const late = visitor.copy();
    await request(visitor);
    await request(visitor, { handler: async (session) => void (isRotated && (await session.rotate())) });
    clock.advance(secondsLater);

    await request(late, { handler: (session) => session.end() });

    expect((await request(visitor)).user).toBe(user);
  });

  it('is not served by what the session was rotated to, which may do more', async () => {
    const { browser, request } = movingIn();
    const visitor = browser();
    const late = visitor.copy();
    await request(visitor);
    await request(visitor, { handler: async (session) => void (await session.rotate({ authenticated: true })) });

    expect(await request(late)).toMatchObject({ user: null });
  });

  it('must still show the anti-CSRF token of its page', async () => {
    const { browser, request } = movingIn();
    const visitor = browser('L', { csrfToken: 'from-the-old-page' });
    const late = visitor.copy();
    await request(visitor);
    await request(visitor);
    const post = (token: string) =>
      request(late, { method: 'POST', csrfHeader: 'x-csrf-token', headers: { 'x-csrf-token': token } });

    expect((await post('from-the-old-page')).statusCode).toBe(200);
    expect((await post('forged')).statusCode).toBe(403);
  });

  it('is not served once the session was ended', async () => {
    const { browser, request, sessions } = movingIn();
    const visitor = browser();
    const late = visitor.copy();
    await request(visitor);
    await request(visitor);

    await sessions.destroy(visitor.cookies.get(NEW_COOKIE));

    expect((await request(late)).user).toBeNull();
  });
});
