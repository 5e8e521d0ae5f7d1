// SPDX-License-Identifier: Apache-2.0
/** The switch of a migration: off, dry run, and logins beside it. */
import { SessionStoreError } from '../../../lambda/session/errors';
import { MemorySessionStore } from '../../../lambda/session/memory-session-store';
import { NOW } from '../fixtures';
import { movingIn, type RequestOptions } from './moving-in';

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

  it.each(['on', 'dryRun'] as const)('%s: tells of logins that nobody knows the beginning of', async (mode) => {
    const { browser, request, reports } = movingIn({ mode });

    await request(browser('L', { createdAt: 0 }));
    await request(browser('M'));

    const [moved] = reports.filter(({ kind }) => kind !== 'ageUnknown');
    expect(reports.filter(({ kind }) => kind === 'ageUnknown')).toEqual([{ kind: 'ageUnknown', source: 'old' }]);
    expect(moved).toEqual({ kind: mode === 'on' ? 'movedIn' : 'wouldMoveIn', source: 'old' });
  });

  it.each<[string, RequestOptions['handler'], string | undefined]>([
    ['was logged out', (session) => session.end(), undefined],
    ['was moving in under an epoch that is over', undefined, 'restored'],
  ])('dryRun leaves the cookie of a session that %s, which is cleared afterwards', async (_, handler, epoch) => {
    const store = new MemorySessionStore();
    const before = movingIn({}, { store });
    const visitor = before.browser();
    await before.request(visitor, { loseAnswer: true, ...(handler && { handler }) });
    const [dry, on] = (['dryRun', 'on'] as const).map((mode) => movingIn({ mode }, { store, epoch }));

    expect(await dry?.request(visitor)).toEqual({ statusCode: 200, user: null, setCookies: [] });

    expect(await on?.request(visitor)).toEqual({ statusCode: 200, user: null, setCookies: ['old=; Max-Age=0'] });
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
      {
        code: 'TypeError',
        message: 'thrown by code of the application, such as asSession; its own words may hold anything',
      },
    ],
  ])('dryRun counts it when %s, and no request fails', async (_, { read, asSession }, fault) => {
    const { browser, request, reports } = movingIn({ mode: 'dryRun', source: { ...(read && { read }) }, asSession });
    const visitor = browser();

    expect(await request(visitor)).toEqual({ statusCode: 200, user: null, setCookies: [] });
    expect((await request(visitor, { handler: (session) => session.end() })).statusCode).toBe(200);

    expect(reports[0]).toEqual({ kind: 'fault', source: 'old', ...fault });
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

  it.each(['dryRun', 'off'] as const)('%s: keys that cannot be loaded keep nobody from logging out', async (mode) => {
    const prepare = () => Promise.reject(new SessionStoreError('the secret is gone'));
    const { browser, request, sessions, reports } = movingIn({ mode, source: { prepare } });
    const visitor = browser();
    visitor.take([(await sessions.create({ user: 'bob' })).setCookie]);

    const { statusCode } = await request(visitor, { handler: (session) => session.end() });

    expect(statusCode).toBe(200);
    expect([...visitor.cookies.keys()]).toEqual([]);
    expect(reports).toEqual([
      { kind: 'fault', source: 'old', code: 'ERR_SESSION_STORE', message: 'the secret is gone' },
    ]);
  });

  it.each(['dryRun', 'off'] as const)('%s: a logout that our own table refuses is an error', async (mode) => {
    const { browser, sessions, calls } = movingIn({ mode });
    const { cookieHeader } = browser();
    calls.interceptor = { before: ({ operation }) => operation === 'update' && Promise.reject(new Error('down')) };

    await expect(sessions.legacy?.end(cookieHeader)).rejects.toThrow('down');
  });

  it.each(['dryRun', 'off'] as const)('%s: a login leaves the old cookie and its session alone', async (mode) => {
    const { browser, request, old } = movingIn({ mode });
    const visitor = browser();

    await request(visitor, { handler: (session) => session.start({ user: 'bob' }) });

    expect([...visitor.cookies.keys()]).toEqual(['old', '__Host-session']);
    expect(old.ends).toEqual([]);
  });

  it.each(['dryRun', 'off'] as const)('%s: whom a login took the place of does not come back later', async (mode) => {
    const store = new MemorySessionStore();
    const before = movingIn({ mode }, { store });
    const visitor = before.browser('L', { user: 'alice' });
    await before.request(visitor, { handler: (session) => session.start({ user: 'bob' }) });

    const on = movingIn({}, { store });
    on.old.login('L', { user: 'alice' });
    await on.sessions.revokeAll('bob');

    expect((await on.request(visitor)).user).toBeNull();
  });

  it.each(['dryRun', 'off'] as const)('%s: a login stands although keys cannot be loaded', async (mode) => {
    const prepare = () => Promise.reject(new SessionStoreError('the secret is gone'));
    const { browser, request, reports } = movingIn({ mode, source: { prepare } });

    const { statusCode } = await request(browser(), { handler: (session) => session.start({ user: 'bob' }) });

    expect(statusCode).toBe(200);
    expect(reports.at(-1)).toMatchObject({ kind: 'fault', source: 'old', message: 'the secret is gone' });
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
    expect(reports).toContainEqual(expect.objectContaining({ kind: 'fault', code: 'ERR_SESSION_STORE' }));
  });
});
