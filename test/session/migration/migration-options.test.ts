// SPDX-License-Identifier: Apache-2.0
/** Moving in: pages that are open, faults, costs and options. */
import { createSessions } from '../../../lambda/session/create-sessions';
import { ConfigurationError, SessionStoreError } from '../../../lambda/session/errors';
import { MemorySessionStore } from '../../../lambda/session/memory-session-store';
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

describe('a source of one’s own that rejects before anything is proven', () => {
  const prepare = () => Promise.reject(new Error('vault: token hvs.SECRET rejected'));

  it('is a fault, and its words are in no error', async () => {
    const { browser, request } = movingIn({ source: { prepare } });

    const failure = await request(browser()).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(SessionStoreError);
    expect(failure).toMatchObject({ message: 'the keys of the older sessions failed' });
  });

  it('does not keep a session from being served whose cookie has come back', async () => {
    const store = new MemorySessionStore();
    const before = movingIn({}, { store });
    const visitor = before.browser();
    await before.request(visitor);
    const broken = movingIn({ source: { prepare } }, { store });

    expect((await broken.request(visitor)).user).toBe('alice');
    expect(broken.reports).toEqual([{ kind: 'confirmationFault', code: 'ERR_SESSION_STORE' }]);
  });
});

describe.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new TypeError('a secret is not iterable');
    },
  ],
  ['rejects', () => Promise.reject(new TypeError('a secret is not iterable'))],
])('a report that %s', (_, report) => {
  it.each(['on', 'dryRun'] as const)('%s: fails no request, and its words are not logged', async (mode) => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => {});
    const { browser, request } = movingIn({ mode, report: report as never });
    const visitor = browser();

    expect(await request(visitor)).toMatchObject({ statusCode: 200, user: mode === 'on' ? 'alice' : null });
    expect((await request(visitor)).statusCode).toBe(200);
    await new Promise(setImmediate);
    expect(new Set(logged.mock.calls.flat())).toEqual(new Set(['legacy.report failed: TypeError']));
    logged.mockRestore();
  });
});

it('a report that is no function is refused', () => {
  expect(() => movingIn({ report: 'metrics' as never })).toThrow('legacy.report must be a function');
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

it('is an object, or not there at all', () => {
  for (const legacy of [null, 'x'])
    expect(() => createSessions({ store: new MemorySessionStore(), legacy: legacy as never })).toThrow(
      /^legacy must be an object with sources, or undefined$/,
    );
});

describe('an option', () => {
  const source = new OldSystem().source();
  it.each([
    ['sources', { sources: [] }],
    ['sources', { sources: [{ ...source, verify: undefined }] }],
    ['sources', { sources: [source, source] }],
    ['sources', { sources: [{ ...source, acceptUntil: Number.NaN }] }],
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
