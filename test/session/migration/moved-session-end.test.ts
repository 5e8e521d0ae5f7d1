// SPDX-License-Identifier: Apache-2.0
/** When a session that moved in ends, and how long its claim is remembered. */
import type { CreateSessionsOptions } from '../../../lambda/session/create-sessions';
import type { LegacySession } from '../../../lambda/session/legacy-source';
import type { LegacyOptions } from '../../../lambda/session/migration/legacy-options';
import { DAY_SECONDS, NOW } from '../fixtures';
import { movingIn } from './moving-in';

describe('when a session that moved in ends', () => {
  const HOUR = 3600;
  it.each<[string, Partial<LegacyOptions>, CreateSessionsOptions, Partial<LegacySession>, number]>([
    ['with the older system', {}, {}, {}, HOUR],
    ['by the settings, if told so', { lifetime: 'settings' }, {}, {}, 30 * DAY_SECONDS - 1000],
    ['by the settings from the day it moved in', { lifetime: 'settings' }, {}, { createdAt: 0 }, 30 * DAY_SECONDS],
    ['with a cut-off date all the same', { lifetime: 'settings' }, {}, { isEndFinal: true }, HOUR],
  ])('%s', async (_, options, settings, session, livesFor) => {
    const { browser, request, clock } = movingIn(options, settings);
    const visitor = browser('L', { expiresAt: NOW + HOUR, createdAt: NOW - 1000, ...session });
    await request(visitor);
    clock.advance(livesFor - 1);
    expect((await request(visitor)).user).toBe('alice');

    clock.advance(1);
    expect((await request(visitor)).user).toBeNull();
  });

  it.each<[string, Partial<LegacySession>, number]>([
    ['slides with use where use prolonged it there, too', {}, 30 * DAY_SECONDS - 1000],
    ['is not prolonged beyond an end that is final', { isEndFinal: true }, HOUR],
  ])('with an idle timeout it %s', async (_, session, livesFor) => {
    const { browser, request, clock } = movingIn({}, { idleTimeoutSeconds: 7 * DAY_SECONDS });
    const visitor = browser('L', { expiresAt: NOW + HOUR, createdAt: NOW - 1000, ...session });
    const step = 600;
    let lived = 0;
    while ((await request(visitor, { handler: rotateNowAndThen(lived) })).user === 'alice') {
      clock.advance(step);
      lived += step;
    }

    expect(lived).toBeGreaterThanOrEqual(livesFor - step);
    expect(lived).toBeLessThanOrEqual(livesFor + step);
  });

  /** What a session knows of its end must survive a fresh token. */
  const rotateNowAndThen = (lived: number) => async (session: { rotate(): Promise<unknown> }) =>
    lived === 1200 ? void (await session.rotate()) : undefined;

  it('counts from the day it first moved in where its beginning is unknown, however often its answer is lost', async () => {
    const { browser, request, clock, reports } = movingIn(
      {},
      { idleTimeoutSeconds: HOUR, absoluteTimeoutSeconds: DAY_SECONDS },
    );
    const visitor = browser('L', { createdAt: 0, expiresAt: NOW + 90 * DAY_SECONDS });
    for (let hour = 0; hour < 24; hour += 2) {
      expect((await request(visitor, { loseAnswer: true })).user).toBe('alice');
      clock.advance(2 * HOUR);
    }

    expect((await request(visitor)).user).toBeNull();
    expect(reports.at(-1)).toEqual({ kind: 'refused', source: 'old', reason: 'over' });
  });
});

it('can be ended for all devices however long it was used, with the list swept of what is over', async () => {
  const { browser, request, clock, store, sessions } = movingIn({ lifetime: 'settings' }, { idleTimeoutSeconds: 60 });
  const visitor = browser();
  for (let lived = 0; lived < 300; lived += 30) {
    expect((await request(visitor)).user).toBe('alice');
    clock.advance(30);
  }
  for (const { PK, SK, expires_at } of store.items())
    if (Number(expires_at?.N ?? Number.POSITIVE_INFINITY) <= clock.now())
      await store.delete({ partitionKey: PK?.S ?? '', sortKey: SK?.S ?? '' });

  expect(await sessions.list('alice')).toHaveLength(1);
  await sessions.revokeAll('alice');

  expect((await request(visitor)).user).toBeNull();
});

it('remembers a claim no shorter than the old session lives', async () => {
  const { browser, request, store } = movingIn();
  const expiresAt = NOW + 1_000 * DAY_SECONDS;

  await request(browser('L', { expiresAt }));

  const claim = store.items().find(({ type }) => type?.S === 'legacy_claim');
  expect(claim?.expires_at?.N).toBe(String(expiresAt));
});

it('remembers a claim as long as a cookie can live, even if the cut-off date is postponed', async () => {
  const withCutOff = movingIn({ source: { acceptUntil: NOW + 10 * DAY_SECONDS } });
  const withLateCutOff = movingIn({ source: { acceptUntil: NOW + 500 * DAY_SECONDS } });
  await withLateCutOff.request(withLateCutOff.browser());
  await withCutOff.request(withCutOff.browser());
  const without = movingIn();
  await without.request(without.browser());
  const endOf = ({ store }: typeof without) =>
    Number(store.items().find(({ type }) => type?.S === 'legacy_claim')?.expires_at?.N);

  expect(endOf(withCutOff)).toBe(NOW + 400 * DAY_SECONDS);
  expect(endOf(withLateCutOff)).toBe(NOW + 501 * DAY_SECONDS);
  expect(endOf(without)).toBe(NOW + 400 * DAY_SECONDS);
});
