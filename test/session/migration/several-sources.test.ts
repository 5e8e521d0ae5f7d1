// SPDX-License-Identifier: Apache-2.0
/** Browsers that bring cookies of two older systems, as after an earlier migration. */
import type { LegacySession } from '../../../lambda/session/legacy-source';
import { Browser } from '../../legacy/express-app';
import { fixture, NOW } from '../fixtures';
import { type Data, sendTo } from './moving-in';
import { OldSystem } from './old-system';

function world(first: Partial<LegacySession> | undefined, second: Partial<LegacySession> | undefined) {
  const [one, other] = [new OldSystem(), new OldSystem()];
  const sources = [
    one.source(),
    other.source({
      name: 'other',
      cookieNames: ['other'],
      clearCookies: ['other=; Max-Age=0'],
      verify: ({ other }) => other?.replace('.signed', ''),
    }),
  ];
  const reports: unknown[] = [];
  const fixed = fixture<Data>({ legacy: { sources, report: (report) => reports.push(report) } });
  const visitor = new Browser();
  visitor.take([one.login('A', first), other.login('B', second).replace('old=', 'other=')]);
  if (first === undefined) one.sessions.delete('A');
  if (second === undefined) other.sessions.delete('B');
  return { ...fixed, one, other, sources, reports, visitor, request: sendTo(fixed) };
}

it('what was moving in under an epoch that is over is not in the way of the other, though it began before a line', async () => {
  const { visitor, request, other, store, sources, clock } = world({ user: 'alice' }, undefined);
  await request(visitor, { loseAnswer: true });
  clock.advance(100);
  const after = fixture<Data>({
    store,
    now: clock.now,
    epoch: 'restored',
    legacy: { sources, startedAfter: clock.now() - 50, report: () => {} },
  });
  visitor.take([other.login('B', { user: 'bob', createdAt: clock.now() - 10 }).replace('old=', 'other=')]);

  expect((await sendTo(after)(visitor)).user).toBe('bob');
});

it('a logout ends both, for good', async () => {
  const { one, other, visitor, request } = world({}, { user: 'bob' });
  const thief = visitor.copy();

  await request(visitor, { handler: (session) => session.end() });

  expect([one.ends, other.ends]).toEqual([['A'], ['B']]);
  expect([...visitor.cookies.keys()]).toEqual([]);
  one.login('A');
  other.login('B', { user: 'bob' });
  expect((await request(thief)).user).toBeNull();
});

it('a confirmation ends only what moved in, and drops only its cookie', async () => {
  const { one, other, visitor, request } = world({}, { user: 'bob' });
  await request(visitor);
  await request(visitor);

  expect([one.ends, other.ends]).toEqual([['A'], []]);
  expect([...visitor.cookies.keys()]).toEqual(['other', '__Host-session']);
});

it.each<[string, Partial<LegacySession> | undefined]>([
  ['no session', undefined],
  ['one that has expired', { expiresAt: NOW }],
  ['one that makes no sense', { expiresAt: (NOW + 60) * 1_000 }],
  ['one that is older than the absolute timeout', { createdAt: NOW - 400 * 86_400 }],
])('a cookie with %s is not in the way of the next one', async (_, first) => {
  const { visitor, request, reports } = world(first, { user: 'bob' });

  expect((await request(visitor)).user).toBe('bob');
  expect(reports).toMatchObject([
    { kind: 'refused', source: 'old' },
    { kind: 'movedIn', source: 'other' },
  ]);
});

it('a cookie of a user who may not is the end of it', async () => {
  const { visitor, request, reports, sessions } = world({}, { user: 'bob' });
  await sessions.disable('alice');

  expect((await request(visitor)).user).toBeNull();
  expect(reports).toEqual([{ kind: 'refused', source: 'old', reason: 'userDisabled' }]);
});

it('a logout that cannot tell one of them tells the other, and is an error', async () => {
  const { one, other, visitor, sessions } = world({}, { user: 'bob' });
  one.failure = new Error('down');

  await expect(sessions.legacy?.end(visitor.cookieHeader)).rejects.toThrow('the store of the older sessions failed');

  expect(other.ends).toEqual(['B']);
});

it('a cookie that the request has twice is dropped by a logout, too', async () => {
  const { visitor, sessions } = world({}, { user: 'bob' });

  const cleared = await sessions.legacy?.end(`${visitor.cookieHeader}; other=C.signed`);

  expect(cleared).toEqual(['old=; Max-Age=0', 'other=; Max-Age=0']);
});
