// SPDX-License-Identifier: Apache-2.0
/** Moving in: what a user of an older system sees, and what must never happen. */
import { createSessions } from '../../../lambda/session/create-sessions';
import { ConfigurationError, SessionStoreError } from '../../../lambda/session/errors';
import { MemorySessionStore } from '../../../lambda/session/memory-session-store';
import { hashSessionToken } from '../../../lambda/session/token';
import { DAY_SECONDS, NOW } from '../fixtures';
import { movingIn } from './moving-in';
import { OldSystem } from './old-system';

const NEW_COOKIE = '__Host-session';

describe('a session of an older system', () => {
  it('moves in with its first request, and is confirmed and ended there when the new cookie comes back', async () => {
    const { browser, request, old, reports } = movingIn();
    const visitor = browser('L');

    const first = await request(visitor);

    expect(first.user).toBe('alice');
    expect([...visitor.cookies.keys()]).toEqual(['old', NEW_COOKIE]);
    expect(old.ends).toEqual([]);

    const second = await request(visitor);

    expect(second.user).toBe('alice');
    expect(old.ends).toEqual(['L']);
    expect([...visitor.cookies.keys()]).toEqual([NEW_COOKIE]);
    expect(reports).toEqual([
      { kind: 'movedIn', source: 'old' },
      { kind: 'confirmed', source: 'old' },
    ]);

    expect((await request(visitor)).user).toBe('alice');
    expect(old.reads).toEqual(['L']);
  });

  it('answers with no-store where it sets the cookie', async () => {
    const { browser, sessions, old } = movingIn();
    const visitor = browser();

    const arrival = await sessions.legacy?.arrive(visitor.cookieHeader, null);

    expect(arrival?.moved?.setCookie).toMatch(
      /^__Host-session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=/,
    );
    expect(old.ends).toEqual([]);
  });

  it('keeps its age, and lives no longer than either system allows', async () => {
    const { browser, sessions } = movingIn({}, { absoluteTimeoutSeconds: 30 * DAY_SECONDS });
    const arrive = async (id: string, createdAt: number, expiresAt: number) =>
      (await sessions.legacy?.arrive(browser(id, { createdAt, expiresAt }).cookieHeader, null))?.moved?.session;

    expect(await arrive('young', NOW - 100, NOW + 90 * DAY_SECONDS)).toMatchObject({
      createdAt: NOW - 100,
      issuedAt: NOW,
      authenticatedAt: NOW - 100,
      expiresAt: NOW - 100 + 30 * DAY_SECONDS,
    });
    expect(await arrive('short', NOW - 100, NOW + 100)).toMatchObject({ expiresAt: NOW + 100 });
    // Nobody knows: for the absolute timeout it is young, for step-up it never logged in.
    expect(await arrive('unknown', 0, NOW + 90 * DAY_SECONDS)).toMatchObject({
      createdAt: NOW,
      authenticatedAt: 0,
      expiresAt: NOW + 30 * DAY_SECONDS,
    });
  });

  it('carries over what it is told to, and nothing else', async () => {
    const { browser, request } = movingIn({
      asSession: (legacy, source) => ({
        data: { cart: (legacy.data as { cart: string }).cart, source },
        claims: { role: 'editor' },
        device: { label: 'old device' },
      }),
    });
    const seen: unknown[] = [];

    await request(browser('L', { data: { cart: 'x', secret: 'y' } }), {
      handler: async ({ session }) => {
        seen.push(session?.data, session?.claims, session?.device);
      },
    });

    expect(seen).toEqual([{ cart: 'x', source: 'old' }, { role: 'editor' }, { label: 'old device' }]);
  });

  it('takes the place of an anonymous session', async () => {
    const { browser, request, sessions, cookie } = movingIn();
    const anonymous = await sessions.create({ data: { cart: 'x' } });
    const visitor = browser();
    visitor.take([anonymous.setCookie]);

    expect((await request(visitor)).user).toBe('alice');

    expect(await sessions.read(cookie(anonymous.token))).toBeNull();
  });

  it('is not looked at where a session of ours lives', async () => {
    const { browser, request, sessions, old } = movingIn();
    const visitor = browser();
    visitor.take([(await sessions.create({ user: 'bob' })).setCookie]);

    expect((await request(visitor)).user).toBe('bob');
    expect(old.reads).toEqual([]);
    expect(old.ends).toEqual([]);
  });

  it('leaves neither its id nor a token in the table', async () => {
    const { browser, request, store } = movingIn();
    const visitor = browser('a-secret-id', { csrfToken: 'csrf-of-old' });
    await request(visitor);
    const token = visitor.cookies.get(NEW_COOKIE) ?? '';

    const table = JSON.stringify(store.items());

    expect(table).toContain(hashSessionToken(token));
    for (const secret of ['a-secret-id', 'csrf-of-old', token, 'signature of']) expect(table).not.toContain(secret);
  });

  it('is refused once the user logged out everywhere, equal second included', async () => {
    const { browser, request, sessions, clock, old } = movingIn();
    const before = browser('before', { createdAt: NOW - 1 });
    const same = browser('same', { createdAt: NOW });
    const unknown = browser('unknown', { createdAt: 0 });
    await sessions.revokeAll('alice');
    clock.advance(10);
    const after = browser('after', { createdAt: NOW + 1 });

    expect((await request(before)).user).toBeNull();
    expect((await request(same)).user).toBeNull();
    expect((await request(unknown)).user).toBeNull();
    expect((await request(after)).user).toBe('alice');
    expect(old.ends).toEqual([]);
  });

  it('is refused while the user is disabled, and for good if it is from before', async () => {
    const { browser, request, sessions, reports } = movingIn();
    const visitor = browser();
    await sessions.disable('alice');

    expect((await request(visitor)).user).toBeNull();
    expect(reports).toEqual([{ kind: 'refused', source: 'old', reason: 'userDisabled' }]);

    await sessions.enable('alice');

    expect((await request(visitor)).user).toBeNull();
  });

  it.each([
    ['the same second', NOW - 1_000, null],
    ['the second before', NOW - 1_001, 'alice'],
    ['no line', undefined, 'alice'],
  ])('is held against the line in the user record: %s', async (_, line, user) => {
    const userRecordKey = { partitionKey: 'U#alice', sortKey: 'U#' };
    const { browser, request, store } = movingIn(
      { asSession: () => ({ userRecordKey }) },
      { userRecordAttribute: 'valid_after' },
    );
    await store.put({
      PK: { S: 'U#alice' },
      SK: { S: 'U#' },
      ...(line === undefined ? {} : { valid_after: { N: String(line) } }),
    });

    expect((await request(browser())).user).toBe(user);
  });

  it('of a user whose record is gone is refused', async () => {
    const { browser, request } = movingIn(
      { asSession: () => ({ userRecordKey: { partitionKey: 'U#alice', sortKey: 'U#' } }) },
      { userRecordAttribute: 'valid_after' },
    );

    expect((await request(browser())).user).toBeNull();
  });

  it('is a fault of the configuration without the key of the record', async () => {
    const { browser, request } = movingIn({}, { userRecordAttribute: 'valid_after' });

    await expect(request(browser())).rejects.toThrow(/^legacy.asSession must return the userRecordKey/);
  });

  it('that began before a line for everybody does not move in', async () => {
    const { browser, request } = movingIn({ startedAfter: NOW - 500 });

    expect((await request(browser('old', { createdAt: NOW - 500 }))).user).toBeNull();
    expect((await request(browser('unknown', { createdAt: 0 }))).user).toBeNull();
    expect((await request(browser('young', { createdAt: NOW - 499 }))).user).toBe('alice');
  });

  it.each([
    ['is over by the absolute timeout', { createdAt: NOW - 31 * DAY_SECONDS }, 'over'],
    ['is about to end', { expiresAt: NOW + 5 }, 'over'],
    ['has a user that cannot be one', { user: 'a b' }, 'malformed'],
    ['has an end in milliseconds', { expiresAt: NOW * 1000 }, 'malformed'],
  ])('that %s is refused and stays as it is', async (_, session, reason) => {
    const { browser, request, old, store, reports } = movingIn();

    expect((await request(browser('L', session))).user).toBeNull();

    expect(reports).toEqual([{ kind: 'refused', source: 'old', reason }]);
    expect(old.ends).toEqual([]);
    expect(store.items()).toEqual([]);
  });

  it('with more data than fits is refused, and so nobody sees an error', async () => {
    const { browser, request, reports } = movingIn({ asSession: () => ({ data: { text: 'x'.repeat(5_000) } }) });

    expect(await request(browser())).toMatchObject({ statusCode: 200, user: null });
    expect(reports).toEqual([{ kind: 'refused', source: 'old', reason: 'unfit' }]);
  });
});

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

  it('off still settles what is logged out, for when it is on again', async () => {
    const store = new MemorySessionStore();
    const off = movingIn({ mode: 'off' }, { store });
    const visitor = off.browser();
    const thief = visitor.copy();
    await off.request(visitor, { handler: (session) => session.end() });
    const on = movingIn({}, { store });
    on.old.login('L');

    expect((await on.request(thief)).user).toBeNull();
  });

  it('dryRun counts what would happen, and writes nothing', async () => {
    const { browser, request, reports, calls, old } = movingIn({ mode: 'dryRun' });
    const visitor = browser();

    expect(await request(visitor)).toEqual({ statusCode: 200, user: null, setCookies: [] });
    await request(browser('short', { expiresAt: NOW + 1 }));
    await request(visitor, { handler: (session) => session.end() });

    expect(calls.count('put', 'update', 'delete')).toBe(0);
    expect(old.ends).toEqual([]);
    expect(reports).toEqual([
      { kind: 'wouldMoveIn', source: 'old' },
      { kind: 'refused', source: 'old', reason: 'over' },
      { kind: 'wouldMoveIn', source: 'old' },
    ]);
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

it('remembers a claim as long as its cookie is accepted', async () => {
  const withCutOff = movingIn({ source: { acceptUntil: NOW + 10 * DAY_SECONDS } });
  await withCutOff.request(withCutOff.browser());
  const without = movingIn();
  await without.request(without.browser());
  const endOf = ({ store }: typeof without) =>
    Number(store.items().find(({ type }) => type?.S === 'legacy_claim')?.expires_at?.N);

  expect(endOf(withCutOff)).toBe(NOW + 11 * DAY_SECONDS);
  expect(endOf(without)).toBe(NOW + 400 * DAY_SECONDS);
});

describe('an option', () => {
  const source = new OldSystem().source();
  it.each([
    ['sources', { sources: [] }],
    ['sources', { sources: [{ ...source, verify: undefined }] }],
    ['sources', { sources: [source, source] }],
    ['mode', { sources: [source], mode: 'half' }],
    ['asSession', { sources: [source], asSession: {} }],
    ['startedAfter', { sources: [source], startedAfter: 0.5 }],
    ['surces', { sources: [source], surces: [] }],
  ])('%s that cannot work is refused at the start', (option, legacy) => {
    const create = () => createSessions({ store: new MemorySessionStore(), legacy: legacy as never });

    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(new RegExp(`^legacy.${option} must`));
  });
});
