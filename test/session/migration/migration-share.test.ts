// SPDX-License-Identifier: Apache-2.0
/** A part of the older sessions moves in: which one, and what becomes of the rest. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { MemorySessionStore } from '../../../lambda/session/memory-session-store';
import { claimIdOf } from '../../../lambda/session/migration/claim-item';
import { isInShare } from '../../../lambda/session/migration/migration-share';
import { movingIn } from './moving-in';
import { OldSystem } from './old-system';

const claimIdNumber = (index: number): string => createHash('sha256').update(String(index)).digest('hex');

describe('the share', () => {
  it('holds about as many sessions as it says', () => {
    const count = (percent: number) =>
      Array.from({ length: 10_000 }, (_, index) => claimIdNumber(index)).filter((id) => isInShare(id, percent)).length;

    expect([0.5, 1, 10, 50, 100].map(count)).toEqual([45, 102, 1018, 5058, 10_000]);
  });

  it('of a larger percentage holds all of a smaller one', () => {
    const percent = fc.double({ min: 0, max: 100, minExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(), percent, percent, (index, one, other) => {
        const [smaller, larger] = [Math.min(one, other), Math.max(one, other)];
        return !isInShare(claimIdNumber(index), smaller) || isInShare(claimIdNumber(index), larger);
      }),
    );
  });

  it.each([
    ['0'.repeat(64), 0.001, true],
    ['7fffffff'.padEnd(64, 'f'), 50, true],
    ['80000000'.padEnd(64, '0'), 50, false],
    ['f'.repeat(64), 99.99, false],
    ['f'.repeat(64), 100, true],
  ])('of the claim %s and %d percent: %p', (claimId, percent, expected) => {
    expect(isInShare(claimId, percent)).toBe(expected);
  });
});

/** Ids of older sessions on both sides of 50 percent. */
const claimOf = (id: string) => claimIdOf(new OldSystem().source(), id);
const IDS = Array.from({ length: 20 }, (_, index) => `L${index}`);
const WITHIN = IDS.filter((id) => isInShare(claimOf(id), 50));
const BEYOND = IDS.filter((id) => !isInShare(claimOf(id), 50));
const [beyond = ''] = BEYOND;

describe('with a share of 50 percent', () => {
  const half = (...[options, settings]: Parameters<typeof movingIn>) =>
    movingIn({ sharePercent: 50, ...options }, settings);

  it('what is within moves in, and what is beyond stays as in a dry run', async () => {
    const { browser, request, reports, old } = half();
    const visitors = [...WITHIN, ...BEYOND].map((id) => browser(id));

    const users: (string | null)[] = [];
    for (const visitor of visitors) users.push((await request(visitor)).user);

    expect(WITHIN.length * BEYOND.length).toBeGreaterThan(0);
    expect(users).toEqual([...WITHIN.map(() => 'alice'), ...BEYOND.map(() => null)]);
    expect(reports.map(({ kind }) => kind)).toEqual([
      ...WITHIN.map(() => 'movedIn'),
      ...BEYOND.map(() => 'wouldMoveIn'),
    ]);
    expect(visitors.slice(WITHIN.length).map(({ cookies }) => [...cookies.keys()])).toEqual(BEYOND.map(() => ['old']));
    expect(old.ends).toEqual([]);
  });

  it('nothing is written for what is beyond', async () => {
    const { browser, request, calls } = half();

    await request(browser(beyond));

    expect(calls.count('put', 'update', 'delete')).toBe(0);
  });

  it('what is beyond fails no request', async () => {
    const { browser, request, old, reports } = half();
    const visitor = browser(beyond);
    old.failure = new Error('down');

    expect(await request(visitor)).toMatchObject({ statusCode: 200, user: null });
    expect(reports).toEqual([
      { kind: 'fault', source: 'old', code: 'ERR_SESSION_STORE', message: 'the store of the older sessions failed' },
    ]);
  });

  it('what is beyond is not in the way of another older system', async () => {
    const first = new OldSystem();
    const second = new OldSystem();
    const source = { ...second.source(), name: 'shop', cookieNames: ['shop'], verify: () => within };
    const within = IDS.find((id) => isInShare(claimIdOf(source, id), 50)) ?? '';
    second.login(within, { user: 'bob' });
    const { browser, request, reports } = half({ sources: [first.source(), source] });
    const visitor = browser();
    visitor.take([first.login(beyond), 'shop=signed']);

    expect((await request(visitor)).user).toBe('bob');
    expect(reports).toEqual([
      { kind: 'wouldMoveIn', source: 'old' },
      { kind: 'movedIn', source: 'shop' },
    ]);
  });

  it('all of it moves in once the share is all, and what moved in stays once it is small', async () => {
    const store = new MemorySessionStore();
    const first = half({}, { store });
    const visitors = IDS.map((id) => first.browser(id));
    for (const visitor of visitors) await first.request(visitor);

    const all = movingIn({ sharePercent: 100 }, { store });
    for (const id of IDS) all.old.login(id);
    for (const visitor of visitors) expect((await all.request(visitor)).user).toBe('alice');
    const few = movingIn({ sharePercent: 0.001 }, { store });
    for (const visitor of visitors) expect((await few.request(visitor)).user).toBe('alice');
    expect(few.reports.filter(({ kind }) => kind === 'confirmed')).toHaveLength(BEYOND.length);
  });

  it('nothing is told of who is served late elsewhere, and nobody is served beyond it', async () => {
    const store = new MemorySessionStore();
    const all = movingIn({}, { store });
    const visitor = all.browser(beyond);
    const late = visitor.copy();
    await all.request(visitor);
    await all.request(visitor);
    const { request, reports } = half({}, { store });

    expect((await request(late)).user).toBeNull();
    expect(reports).toEqual([]);
  });

  it('a logout ends what is beyond, too', async () => {
    const { browser, request, old } = half();
    const visitor = browser(beyond);

    await request(visitor, { handler: (session) => session.end() });

    expect([...visitor.cookies.keys()]).toEqual([]);
    expect(old.ends).toEqual([beyond]);
  });

  it('a cookie that nothing signed is told of, as in a dry run', async () => {
    const { browser, request, reports } = half();
    const forger = browser();
    forger.cookies.set('old', 'L.forged');

    await request(forger);

    expect(reports).toEqual([{ kind: 'refused', source: 'old', reason: 'unproven' }]);
  });
});

it.each([undefined, null, 0, -1, 100.1, Number.NaN, '50'])('%p is no share', (sharePercent) => {
  expect(() => movingIn({ sharePercent: sharePercent as number })).toThrow(
    'legacy.sharePercent must be a number above 0 and up to 100; for none at all choose the mode dryRun',
  );
});
