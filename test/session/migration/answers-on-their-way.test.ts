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
