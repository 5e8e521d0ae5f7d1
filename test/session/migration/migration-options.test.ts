// SPDX-License-Identifier: Apache-2.0
/** Moving in: pages that are open, faults, the switch, costs and options. */
import { type CreateSessionsOptions, createSessions } from '../../../lambda/session/create-sessions';
import { ConfigurationError, SessionStoreError } from '../../../lambda/session/errors';
import type { LegacySession } from '../../../lambda/session/legacy-source';
import { MemorySessionStore } from '../../../lambda/session/memory-session-store';
import type { LegacyOptions } from '../../../lambda/session/migration/legacy-options';
import { DAY_SECONDS, NOW } from '../fixtures';
import { movingIn } from './moving-in';
import { OldSystem } from './old-system';

const NEW_COOKIE = '__Host-session';

describe('pages that were open before', () => {
  const csrfHeader = 'X-CSRF-Token';

  it('keep working with their anti-CSRF token', async () => {
    const { browser, request } = movingIn();
    const visitor = browser('L', { csrfToken: 'from-the-old-page' });
    const post = (token: string) =>
      request(visitor, { method: 'POST', csrfHeader, headers: { 'x-csrf-token': token } });

    expect((await post('from-the-old-page')).statusCode).toBe(200);
    expect((await post('from-the-old-page')).statusCode).toBe(200);
    expect((await post('forged')).statusCode).toBe(403);
    expect((await post('')).statusCode).toBe(403);
  });

  it('and new pages get the token of the new session', async () => {
    const { browser, request } = movingIn();
    const visitor = browser('L', { csrfToken: 'from-the-old-page' });
    let csrfToken: string | null = null;
    await request(visitor, {
      handler: async (session) => {
        csrfToken = session.csrfToken;
      },
    });

    const headers = { 'x-csrf-token': String(csrfToken) };
    expect((await request(visitor, { method: 'POST', csrfHeader, headers })).statusCode).toBe(200);
  });

  it('without a token in the old session have none to forge', async () => {
    const { browser, request } = movingIn();
    const answer = await request(browser(), { method: 'POST', csrfHeader, headers: { 'x-csrf-token': '' } });

    expect(answer.statusCode).toBe(403);
  });
});

describe('a failing store', () => {
  it('of the older system is a fault, and nobody is logged out for it', async () => {
    const { browser, request, old, store } = movingIn();
    const visitor = browser();
    old.failure = new SessionStoreError('the old store is down');

    await expect(request(visitor)).rejects.toThrow('the old store is down');
    expect(store.items()).toEqual([]);

    old.failure = undefined;
    expect((await request(visitor)).user).toBe('alice');
  });

  it('while a session is confirmed lets the request in, and is made up for later', async () => {
    const { browser, request, old, reports } = movingIn();
    const visitor = browser();
    await request(visitor);
    old.failure = new SessionStoreError('the old store is down');

    expect((await request(visitor)).user).toBe('alice');
    expect(reports.at(-1)).toEqual({ kind: 'confirmationFault', code: 'ERR_SESSION_STORE' });
    expect([...visitor.cookies.keys()]).toEqual(['old', NEW_COOKIE]);

    old.failure = undefined;
    await request(visitor);

    expect(old.sessions.size).toBe(0);
    expect([...visitor.cookies.keys()]).toEqual([NEW_COOKIE]);
  });
});

describe('the switch', () => {
  it('off looks at no old cookie, and keeps what moved in', async () => {
    const store = new MemorySessionStore();
    const on = movingIn({}, { store });
    const visitor = on.browser();
    await on.request(visitor);
    const off = movingIn({ mode: 'off' }, { store });

    expect((await off.request(visitor)).user).toBe('alice');
    expect((await off.request(off.browser('other'))).user).toBeNull();
    expect(off.old.reads).toEqual([]);
    expect(off.old.ends).toEqual([]);
  });

  it('dryRun counts what would happen, and writes nothing', async () => {
    const { browser, request, reports, calls, old } = movingIn({ mode: 'dryRun' });
    const visitor = browser();

    expect(await request(visitor)).toEqual({ statusCode: 200, user: null, setCookies: [] });
    await request(browser('short', { expiresAt: NOW + 1 }));
    const forger = browser();
    forger.cookies.set('old', 'L.forged');
    await request(forger);

    expect(calls.count('put', 'update', 'delete')).toBe(0);
    expect(old.ends).toEqual([]);
    expect(reports).toEqual([
      { kind: 'wouldMoveIn', source: 'old' },
      { kind: 'refused', source: 'old', reason: 'over' },
      { kind: 'refused', source: 'old', reason: 'unproven' },
    ]);
  });

  it.each<[string, { readonly read?: () => Promise<never>; readonly asSession?: () => never }, object]>([
    [
      'the old store fails',
      { read: () => Promise.reject(new Error('no such table, and a secret')) },
      { code: 'ERR_SESSION_STORE', message: 'the store of the older sessions failed' },
    ],
    [
      'asSession has a defect',
      {
        asSession: () => {
          throw new TypeError('a secret is not iterable');
        },
      },
      { code: 'TypeError', message: 'not an error of this library' },
    ],
  ])('dryRun counts it when %s, and no request fails', async (_, { read, asSession }, fault) => {
    const { browser, request, reports } = movingIn({ mode: 'dryRun', source: { ...(read && { read }) }, asSession });
    const visitor = browser();

    expect(await request(visitor)).toEqual({ statusCode: 200, user: null, setCookies: [] });
    expect((await request(visitor, { handler: (session) => session.end() })).statusCode).toBe(200);

    expect(reports[0]).toEqual({ kind: 'dryRunFault', ...fault });
  });

  it.each(['dryRun', 'off'] as const)('%s: a logout is one, too, and the old system is left alone', async (mode) => {
    const store = new MemorySessionStore();
    const before = movingIn({ mode }, { store });
    const visitor = before.browser();
    const thief = visitor.copy();

    const { setCookies } = await before.request(visitor, { handler: (session) => session.end() });

    expect(setCookies).toContain('old=; Max-Age=0');
    expect(before.old.ends).toEqual([]);
    const on = movingIn({}, { store });
    on.old.login('L');
    expect((await on.request(thief)).user).toBeNull();
  });

  it.each(['dryRun', 'off'] as const)('%s: a login leaves the old cookie and its session alone', async (mode) => {
    const { browser, request, old } = movingIn({ mode });
    const visitor = browser();

    await request(visitor, { handler: (session) => session.start({ user: 'bob' }) });

    expect([...visitor.cookies.keys()]).toEqual(['old', '__Host-session']);
    expect(old.ends).toEqual([]);
  });
});

describe('a login over an old cookie', () => {
  it('ends whom it stood for, so that pages do not name two', async () => {
    const { browser, request, old } = movingIn();
    const visitor = browser('L', { user: 'bob' });
    const thief = visitor.copy();

    expect((await request(visitor, { handler: (session) => session.start({ user: 'alice' }) })).statusCode).toBe(200);

    expect([...visitor.cookies.keys()]).toEqual(['__Host-session']);
    expect(old.ends).toEqual(['L']);
    old.login('L', { user: 'bob' });
    expect((await request(thief)).user).toBeNull();
    expect((await request(visitor)).user).toBe('alice');
  });

  it('stands although the old system cannot be told', async () => {
    const end = () => Promise.reject(new Error('down'));
    const { browser, request, reports } = movingIn({ source: { end } });
    const visitor = browser('L', { user: 'bob' });

    await request(visitor, { handler: (session) => session.start({ user: 'alice' }) });

    expect((await request(visitor)).user).toBe('alice');
    expect(reports).toContainEqual({ kind: 'confirmationFault', code: 'ERR_SESSION_STORE' });
  });
});

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

describe('what it costs', () => {
  it('is nothing for requests without an old cookie', async () => {
    const { request, sessions, calls, old, browser } = movingIn();
    const visitor = browser();
    visitor.cookies.delete('old');
    visitor.take([(await sessions.create({ user: 'bob' })).setCookie]);
    calls.reset();

    await request(visitor);
    visitor.cookies.clear();
    await request(visitor);

    expect(calls.counts()).toEqual({ get: 1 });
    expect(old.reads).toEqual([]);
  });

  it('is 3 reads, a query and 3 writes to move in, and 2 writes to confirm', async () => {
    const { request, calls, browser } = movingIn();
    const visitor = browser();

    await request(visitor);
    expect(calls.counts()).toEqual({ get: 3, put: 3, query: 1 });

    calls.reset();
    await request(visitor);
    expect(calls.counts()).toEqual({ get: 1, update: 2 });

    calls.reset();
    await request(visitor);
    expect(calls.counts()).toEqual({ get: 1 });
  });

  it('is one read for an old cookie that is worth nothing any more', async () => {
    const { request, calls, browser } = movingIn();
    const visitor = browser();
    const thief = visitor.copy();
    await request(visitor, { handler: (session) => session.end() });
    calls.reset();

    await request(thief);

    expect(calls.counts()).toEqual({ get: 1 });
  });
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

describe('an option', () => {
  const source = new OldSystem().source();
  it.each([
    ['sources', { sources: [] }],
    ['sources', { sources: [{ ...source, verify: undefined }] }],
    ['sources', { sources: [source, source] }],
    ['mode', { sources: [source], mode: 'half' }],
    ['mode', { sources: [source], mode: undefined }],
    ['lifetime', { sources: [source], lifetime: 'long' }],
    ['sources', { sources: [{ ...source, cookieNames: ['old', '__Host-session'] }] }],
    ['asSession', { sources: [source], asSession: {} }],
    ['startedAfter', { sources: [source], startedAfter: 0.5 }],
    ['surces', { sources: [source], surces: [] }],
  ])('%s that cannot work is refused at the start', (option, legacy) => {
    const create = () => createSessions({ store: new MemorySessionStore(), legacy: legacy as never });

    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(new RegExp(`^legacy.${option} must`));
  });
});
