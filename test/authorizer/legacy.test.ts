// SPDX-License-Identifier: Apache-2.0
/** Sessions of older systems are admitted read-only, only by a proven cookie, only where there is no session of our own. */
import type { CookieValues, LegacySession, LegacySource } from '../../lambda/session/legacy-source';
import { ALLOW, authorizerOver, COOKIE_NAME, DENY, NOW, restEvent, sessionItem, TOKEN } from './set-up';

interface Seen {
  readonly cookies: CookieValues[];
  readonly reads: string[];
}

function source(session: unknown, seen: Seen = { cookies: [], reads: [] }): LegacySource {
  return {
    name: 'old',
    cookieNames: ['sid', 'sid.sig'],
    verify(cookies) {
      seen.cookies.push(cookies);
      return cookies['sid.sig'] === 'good' ? cookies.sid : undefined;
    },
    async read(id) {
      seen.reads.push(id);
      return session as LegacySession | undefined;
    },
    async end() {},
  };
}

const LIVE: LegacySession = { user: 'bob', createdAt: NOW - 50, expiresAt: NOW + 50 };

it('admits the user of a proven cookie', async () => {
  const { authorize, calls } = authorizerOver({}, { legacy: [source(LIVE)] });

  expect(await authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }))).toMatchObject({
    ...ALLOW,
    principalId: 'bob',
    context: {
      user: 'bob',
      sessionId: expect.stringMatching(/^[0-9a-f]{16}$/),
      createdAt: String(NOW - 50),
      authenticatedAt: '0',
      expiresAt: String(NOW + 50),
    },
  });
  expect(calls.reads).toEqual([]);
});

it('reads nothing for a cookie that is not proven', async () => {
  const seen: Seen = { cookies: [], reads: [] };
  const { authorize } = authorizerOver({}, { legacy: [source(LIVE, seen)] });

  expect(await authorize(restEvent({ cookie: 'sid=41; sid.sig=bad' }))).toMatchObject(DENY);
  expect(seen.reads).toEqual([]);
});

it('shows a source no cookie that the request has twice', async () => {
  const seen: Seen = { cookies: [], reads: [] };
  const { authorize } = authorizerOver({}, { legacy: [source(LIVE, seen)] });

  expect(await authorize(restEvent({ cookie: 'sid=41; sid=42; sid.sig=good' }))).toMatchObject(DENY);
  expect(seen.cookies).toEqual([{ 'sid.sig': 'good' }]);
});

it('leaves older systems alone where a session of our own lives', async () => {
  const seen: Seen = { cookies: [], reads: [] };
  const { authorize } = authorizerOver({ item: sessionItem() }, { legacy: [source(LIVE, seen)] });

  expect(await authorize(restEvent({ cookie: `${COOKIE_NAME}=${TOKEN}; sid=41; sid.sig=good` }))).toMatchObject({
    principalId: 'alice',
  });
  expect(seen.cookies).toEqual([]);
});

it('asks them where the session of our own is over', async () => {
  const { authorize } = authorizerOver({ item: undefined }, { legacy: [source(LIVE)] });

  expect(await authorize(restEvent({ cookie: `${COOKIE_NAME}=${TOKEN}; sid=41; sid.sig=good` }))).toMatchObject({
    principalId: 'bob',
  });
});

it.each([
  ['malformed', `${COOKIE_NAME}=x; sid=41; sid.sig=good`],
  ['duplicate', `${COOKIE_NAME}=${TOKEN}; ${COOKIE_NAME}=${TOKEN}; sid=41; sid.sig=good`],
])('does not ask them beside a %s cookie of our own', async (_, cookie) => {
  const { authorize } = authorizerOver({ item: sessionItem() }, { legacy: [source(LIVE)] });

  expect(await authorize(restEvent({ cookie }))).toMatchObject(DENY);
});

it.each<[string, unknown, string]>([
  ['none', undefined, 'legacyAbsent'],
  ['an expired one', { ...LIVE, expiresAt: NOW }, 'legacyExpired'],
  ['one without an end', { ...LIVE, expiresAt: undefined }, 'legacyMalformed'],
  ['one that ends in milliseconds', { ...LIVE, expiresAt: NOW * 1000 }, 'legacyMalformed'],
  ['one without a user', { ...LIVE, user: '' }, 'legacyMalformed'],
  ['one whose user would break a header', { ...LIVE, user: 'a\r\nb' }, 'legacyMalformed'],
])('refuses when the source finds %s', async (_, session, reason) => {
  const { authorize, calls } = authorizerOver({}, { legacy: [source(session)] });

  expect(await authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }))).toMatchObject(DENY);
  expect(calls.reports).toEqual([{ kind: 'denied', reason }]);
});

it('fails the request when the older system cannot be asked', async () => {
  const failing: LegacySource = { ...source(LIVE), read: () => Promise.reject(new Error('down')) };
  const { authorize } = authorizerOver({}, { legacy: [failing] });

  await expect(authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }))).rejects.toThrow('down');
});

it('holds older sessions to the origin check too', async () => {
  const seen: Seen = { cookies: [], reads: [] };
  const { authorize } = authorizerOver({}, { legacy: [source(LIVE, seen)] });
  const event = restEvent({
    method: 'POST',
    headers: { Origin: 'https://attacker.example' },
    cookie: 'sid=41; sid.sig=good',
  });

  expect(await authorize(event)).toMatchObject(DENY);
  expect(seen.reads).toEqual([]);
});
