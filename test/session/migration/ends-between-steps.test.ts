// SPDX-License-Identifier: Apache-2.0
/** Ends that come while another request is moving the session in: whoever was told that it is over is not served again. */
import type { MemorySessionStore } from '../../../lambda/session/memory-session-store';
import { DAY_SECONDS, NOW } from '../fixtures';
import { movingIn } from './moving-in';
import { stepIn } from './step-in';

const liveSessions = (store: MemorySessionStore) =>
  store.items().filter(({ type, revoked }) => type?.S === 'session' && revoked === undefined);

describe('a logout by the old cookie', () => {
  it('holds although another request is about to write the session', async () => {
    const { browser, request, sessions, calls, store } = movingIn();
    const visitor = browser();
    const { cookieHeader } = visitor;
    const isDone = stepIn(calls, { operation: 'put', key: 'S#' }, () => sessions.legacy?.end(cookieHeader));

    const answer = await request(visitor);

    expect(isDone()).toBe(true);
    expect(answer.user).toBeNull();
    expect((await request(visitor)).user).toBeNull();
    expect(liveSessions(store)).toEqual([]);
    expect(await sessions.list('alice')).toEqual([]);
  });

  it('holds although another request is about to put another session in the place of one that is over', async () => {
    const { browser, request, sessions, calls, clock, old, store } = movingIn({}, { idleTimeoutSeconds: 60 });
    const visitor = browser();
    const { cookieHeader } = visitor;
    await request(visitor, { loseAnswer: true });
    clock.advance(61);
    const isDone = stepIn(calls, { operation: 'update', key: 'SL#', sets: 'supersedes' }, async () => {
      await sessions.legacy?.end(cookieHeader);
      // A request of the older system that was under way writes its session once more.
      old.login('L');
    });

    const answer = await request(visitor);

    expect(isDone()).toBe(true);
    expect(answer.user).toBeNull();
    expect(liveSessions(store).filter(({ expires_at }) => Number(expires_at?.N) > clock.now())).toEqual([]);
  });

  it('that cannot look at it is an error, and ends it once it is repeated', async () => {
    let isDown = true;
    const prepare = async () => {
      if (isDown) throw new Error('no secret here');
    };
    const { browser, request, sessions, old, reports } = movingIn({ source: { prepare } });
    const visitor = browser();
    const { cookieHeader } = visitor;

    await expect(sessions.legacy?.end(cookieHeader)).rejects.toThrow('the keys of the older sessions failed');

    expect(reports).toEqual([]);
    isDown = false;
    await sessions.legacy?.end(cookieHeader);
    expect(old.ends).toEqual(['L']);
    old.login('L');
    expect((await request(visitor)).user).toBeNull();
  });

  it.each(['on', 'dryRun', 'off'] as const)('%s: is remembered as long as a cookie can live', async (mode) => {
    const { browser, sessions, store } = movingIn({ mode });

    await sessions.legacy?.end(browser().cookieHeader);

    expect(store.items()).toMatchObject([
      { type: { S: 'legacy_claim' }, expires_at: { N: String(NOW + 400 * DAY_SECONDS) } },
    ]);
  });
});

it('"sign out everywhere" holds although a request is moving the session in, and nothing of it is left', async () => {
  const { browser, request, sessions, calls, store } = movingIn();
  const visitor = browser();
  const isDone = stepIn(calls, { operation: 'put', key: 'SU#alice' }, () => sessions.revokeAll('alice'));

  const answer = await request(visitor);

  expect(isDone()).toBe(true);
  expect(answer).toMatchObject({ user: null, setCookies: [] });
  expect(liveSessions(store)).toEqual([]);
  expect(await sessions.list('alice')).toEqual([]);
});
