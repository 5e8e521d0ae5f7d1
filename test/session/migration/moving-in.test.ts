// SPDX-License-Identifier: Apache-2.0
/** Moving in: what a user of an older system sees, and who is refused. */
import type { AttributeValue } from '../../../lambda/session/store';
import { hashSessionToken } from '../../../lambda/session/token';
import { DAY_SECONDS, NOW } from '../fixtures';
import { movingIn } from './moving-in';

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

  it.each<[string, unknown, string]>([
    ['data without a name', { 'alice@example.com': [] }, 'something else beside'],
    ['nothing', undefined, 'no object'],
    ['text', 'x', 'no object'],
  ])('is not lost to an asSession that returns %s', async (_, returned, named) => {
    const { browser, request, calls } = movingIn({ asSession: () => returned as never });

    await expect(request(browser())).rejects.toThrow(
      `legacy.asSession must return an object with nothing but data, claims, device, userRecordKey; it returned ${named}`,
    );
    expect(calls.count('put', 'update', 'delete')).toBe(0);
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

  it.each<[string, AttributeValue | undefined, string | null]>([
    ['the same second', { N: String(NOW - 1_000) }, null],
    ['the second before', { N: String(NOW - 1_001) }, 'alice'],
    ['no line', undefined, 'alice'],
    ['one that cannot be read', { S: 'tomorrow' }, null],
    ['one that is no whole number', { N: '1.5' }, null],
  ])('is held against the line in the user record: %s', async (_, line, user) => {
    const userRecordKey = { partitionKey: 'U#alice', sortKey: 'U#' };
    const { browser, request, store } = movingIn(
      { asSession: () => ({ userRecordKey }) },
      { userRecordAttribute: 'valid_after' },
    );
    await store.put({
      PK: { S: 'U#alice' },
      SK: { S: 'U#' },
      ...(line === undefined ? {} : { valid_after: line }),
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
