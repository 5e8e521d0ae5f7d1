// SPDX-License-Identifier: Apache-2.0
/** A logout with nothing but the old cookie: whatever it may stand for is ended, and nothing is written for what nobody has. */
import { MemorySessionStore } from '../../../lambda/session/memory-session-store';
import { DAY_SECONDS, NOW } from '../fixtures';
import { movingIn } from './moving-in';

/** An older system whose ids anybody may make up, such as PHP's. */
const unsigned = (options: Parameters<typeof movingIn>[0] = {}, ...more: [Parameters<typeof movingIn>[1]?]) =>
  movingIn({ ...options, source: { tokenSecrets: undefined, ...options.source } }, ...more);

const claims = (store: MemorySessionStore) => store.items().filter(({ type }) => type?.S === 'legacy_claim');

describe('of a session that cannot be read, but may be mended by the next write', () => {
  it.each(['malformed', 'anonymous', 'expired', 'beforeLine'] as const)('%s: it is ended', async (refused) => {
    const { sessions, old, store } = unsigned({ source: { read: async () => ({ refused }) } });

    await sessions.legacy?.end(old.login('L'));

    expect(old.ends).toEqual(['L']);
    expect(claims(store)).toHaveLength(1);
  });

  it('the old cookie mints nothing once it can be read again', async () => {
    const store = new MemorySessionStore();
    const broken = unsigned({ source: { read: async () => ({ refused: 'malformed' }) } }, { store });
    const visitor = broken.browser();
    const thief = visitor.copy();
    await broken.request(visitor, { handler: (session) => session.end() });

    const mended = unsigned({}, { store });
    mended.old.login('L');
    expect((await mended.request(thief)).user).toBeNull();
  });
});

describe('of an id that nobody has', () => {
  it.each(['on', 'dryRun'] as const)('%s: nothing is written', async (mode) => {
    const { sessions, calls } = unsigned({ mode });

    for (const id of ['made', 'up']) await sessions.legacy?.end(`old=${id}.signed`);

    expect(calls.count('put', 'update', 'delete')).toBe(0);
  });

  it('dryRun: it is settled where the older system cannot say so', async () => {
    const { sessions, old, store } = unsigned({ mode: 'dryRun' });
    old.failure = new Error('down');

    await sessions.legacy?.end('old=made-up.signed');

    expect(claims(store)).toHaveLength(1);
  });

  it('a signed one is settled unasked: a secret of the older system vouches for it', async () => {
    const { sessions, old, store } = movingIn();

    await sessions.legacy?.end('old=gone.signed');

    expect(old.reads).toEqual([]);
    expect(claims(store)).toHaveLength(1);
  });
});

it('dryRun: of a session that anybody could name it is remembered, too', async () => {
  const store = new MemorySessionStore();
  const before = unsigned({ mode: 'dryRun' }, { store });
  const visitor = before.browser();
  const thief = visitor.copy();
  await before.request(visitor, { handler: (session) => session.end() });

  const on = unsigned({}, { store });
  on.old.login('L');
  expect((await on.request(thief)).user).toBeNull();
});

it('ends the session that moved in and was confirmed between its own two reads', async () => {
  const { browser, request, sessions, calls } = unsigned();
  const visitor = browser();
  const oldCookie = visitor.cookieHeader;
  let isFirst = true;
  calls.interceptor = {
    after: async ({ operation, arguments: [key] }) => {
      if (!isFirst || operation !== 'get' || !JSON.stringify(key).includes('SL#')) return;
      isFirst = false;
      await request(visitor);
      await request(visitor);
    },
  };

  await sessions.legacy?.end(oldCookie);

  expect((await request(visitor)).user).toBeNull();
  expect(await sessions.list('alice')).toEqual([]);
});

describe('with the old cookie twice', () => {
  it('ends both, and neither moves in afterwards', async () => {
    const { browser, request, sessions, old } = movingIn();
    const [one, other] = [browser('A', { user: 'alice' }), browser('B', { user: 'bob' })];

    const cleared = await sessions.legacy?.end(`${one.cookieHeader}; ${other.cookieHeader}`);

    expect(cleared).toEqual(['old=; Max-Age=0']);
    expect(old.ends).toEqual(['A', 'B']);
    for (const [id, visitor] of [
      ['A', one],
      ['B', other],
    ] as const) {
      old.login(id);
      expect((await request(visitor)).user).toBeNull();
    }
  });

  it('ends the one that is good beside one that a neighbour made up', async () => {
    const { browser, sessions, old } = movingIn();

    await sessions.legacy?.end(`old=junk; ${browser('A').cookieHeader}; old=junk2`);

    expect(old.ends).toEqual(['A']);
  });

  it('ends one that is there twice once', async () => {
    const { browser, sessions, old } = movingIn();
    const { cookieHeader } = browser('A');

    await sessions.legacy?.end(`${cookieHeader}; ${cookieHeader}`);

    expect(old.ends).toEqual(['A']);
  });

  it('finds the signature that belongs to a value', async () => {
    const signed = { cookieNames: ['old', 'old.sig'], verify: pairOf };
    const { sessions, old } = movingIn({ source: signed });
    for (const id of ['A', 'B']) old.login(id);

    await sessions.legacy?.end('old=A; old.sig=B.sig; old=B; old.sig=C.sig; other=x');

    expect(old.ends).toEqual(['B']);
  });

  it('asks no more often than a few times, however many there are', async () => {
    const seen: unknown[] = [];
    const { sessions } = movingIn({ source: { verify: (cookies) => void seen.push(cookies) } });

    await sessions.legacy?.end(Array.from({ length: 500 }, (_, index) => `old=${index}`).join('; '));

    expect(seen).toHaveLength(4);
  });

  it('does not move in: which of them is meant cannot be known', async () => {
    const { request, browser, old } = movingIn();
    const visitor = browser('A');
    visitor.cookies.set('old', 'A.signed; old=B.signed');

    expect(await request(visitor)).toMatchObject({ user: null, setCookies: [] });
    expect(old.reads).toEqual([]);
  });
});

function pairOf({ old, 'old.sig': signature }: Readonly<Record<string, string>>): string | undefined {
  return old !== undefined && signature === `${old}.sig` ? old : undefined;
}

it.each(['on', 'dryRun', 'off'] as const)('%s: a claim is not remembered shorter for it', async (mode) => {
  const store = new MemorySessionStore();
  const far = NOW + 1_000 * DAY_SECONDS;
  const before = movingIn({}, { store });
  const visitor = before.browser('L', { expiresAt: far });
  await before.request(visitor, { loseAnswer: true });

  await movingIn({ mode }, { store }).sessions.legacy?.end(visitor.cookieHeader);

  expect(claims(store).map(({ expires_at, settled_at }) => [Number(expires_at?.N), settled_at?.N])).toEqual([
    [far, String(NOW)],
  ]);
});

it.each(['on', 'dryRun', 'off'] as const)(
  '%s: a claim of long ago is remembered as long as a new one',
  async (mode) => {
    const store = new MemorySessionStore();
    const before = movingIn({}, { store });
    const visitor = before.browser('L', { expiresAt: NOW + 500 * DAY_SECONDS });
    await before.request(visitor, { loseAnswer: true });
    const now = NOW + 300 * DAY_SECONDS;

    await movingIn({ mode }, { store, now: () => now }).sessions.legacy?.end(visitor.cookieHeader);

    expect(claims(store).map(({ expires_at }) => Number(expires_at?.N))).toEqual([now + 400 * DAY_SECONDS]);
  },
);
