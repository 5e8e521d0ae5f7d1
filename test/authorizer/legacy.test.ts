// SPDX-License-Identifier: Apache-2.0
/** Sessions of older systems are admitted read-only, only by a proven cookie, only where there is no session of our own. */
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import { SessionStoreError } from '../../lambda/session/errors';
import type { CookieValues, LegacySession, LegacySource } from '../../lambda/session/legacy-source';
import { claimIdOf } from '../../lambda/session/migration/claim-item';
import { ALLOW, authorizerOver, COOKIE_NAME, DENY, NOW, restEvent, sessionItem, TOKEN, TOKEN_HASH } from './set-up';

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

describe('what the table says', () => {
  const CLAIM_KEY = `SL#${claimIdOf(source(LIVE), '41')}`;
  const PENDING = {
    type: { S: 'legacy_claim' },
    source: { S: 'old' },
    user: { S: 'bob' },
    session: { S: TOKEN_HASH },
    nonce: { S: 'n' },
    session_created_at: { N: String(NOW - 50) },
    session_issued_at: { N: String(NOW) },
    session_expires_at: { N: String(NOW + 3600) },
  };
  const confirmed = (at: number) => ({
    [CLAIM_KEY]: { ...PENDING, settled_at: { N: String(at) }, confirmed_at: { N: String(at) } },
  });
  const cookie = 'sid=41; sid.sig=good';

  it.each<[string, Record<string, unknown>]>([
    ['a claim whose new cookie has not come back', { [CLAIM_KEY]: PENDING }],
    ['a user who was never logged out everywhere', { 'SU#bob': { generation: { N: '0' } } }],
    [
      'a line before the login',
      { 'SU#bob': { generation: { N: '1' }, sessions_valid_after: { N: String(NOW - 51) } } },
    ],
    ['a user who is enabled again', { 'SU#bob': { disabled: { BOOL: false } } }],
  ])('%s admits', async (_, others) => {
    const { authorize } = authorizerOver({ others }, { legacy: [source(LIVE)] });

    expect(await authorize(restEvent({ cookie }))).toMatchObject({ ...ALLOW, principalId: 'bob' });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a claim that was confirmed', { [CLAIM_KEY]: { ...PENDING, settled_at: { N: '1' } } }, 'legacySettled'],
    ['a claim that was settled with an odd time', { [CLAIM_KEY]: { settled_at: { NULL: true } } }, 'legacySettled'],
    [
      'a line at the second of the login',
      { 'SU#bob': { generation: { N: '1' }, sessions_valid_after: { N: String(NOW - 50) } } },
      'legacyBeforeLine',
    ],
    ['a line without its time', { 'SU#bob': { generation: { N: '1' } } }, 'legacyBeforeLine'],
    ['a disabled user', { 'SU#bob': { disabled: { BOOL: true } } }, 'legacyUserDisabled'],
  ])('%s refuses, although the older system has the session', async (_, others, reason) => {
    const { authorize, calls } = authorizerOver({ others }, { legacy: [source(LIVE)] });

    expect(await authorize(restEvent({ cookie }))).toMatchObject(DENY);
    expect(calls.reports).toEqual([{ kind: 'denied', reason }]);
  });

  const REVOKED = { revoked: { N: '1' } };
  const successor = 'b'.repeat(64);

  it.each<[string, Record<string, unknown>, boolean]>([
    ['is not written yet', {}, true],
    ['lives', { [`S#${TOKEN_HASH}`]: sessionItem() }, true],
    ['was logged out from another device', { [`S#${TOKEN_HASH}`]: sessionItem(REVOKED) }, false],
    [
      'made room for another',
      { [`S#${TOKEN_HASH}`]: sessionItem({ ...REVOKED, superseded_by: { S: successor } }) },
      true,
    ],
    ['was rotated', { [`S#${TOKEN_HASH}`]: sessionItem({ ...REVOKED, replaced_by: { S: successor } }) }, true],
    [
      'was rotated and logged out',
      {
        [`S#${TOKEN_HASH}`]: sessionItem({ ...REVOKED, replaced_by: { S: successor } }),
        [`S#${successor}`]: sessionItem({ ...REVOKED, replaces: { S: TOKEN_HASH } }),
      },
      false,
    ],
    [
      'was rotated in a circle',
      { [`S#${TOKEN_HASH}`]: sessionItem({ ...REVOKED, replaced_by: { S: TOKEN_HASH } }) },
      false,
    ],
  ])('a claim whose session %s', async (_, items, isAdmitted) => {
    const { authorize } = authorizerOver({ others: { ...items, [CLAIM_KEY]: PENDING } }, { legacy: [source(LIVE)] });

    expect(await authorize(restEvent({ cookie }))).toMatchObject(isAdmitted ? { principalId: 'bob' } : DENY);
  });

  it.each<[string, LegacySession, number | undefined, string | undefined]>([
    ['younger than the absolute timeout', LIVE, 51, String(NOW + 1)],
    ['as old as the absolute timeout', LIVE, 50, undefined],
    ['that ends before the absolute timeout', LIVE, 3600, String(NOW + 50)],
    ['that does not tell its beginning', { ...LIVE, createdAt: 0 }, 50, String(NOW + 50)],
    ['without an absolute timeout', LIVE, undefined, String(NOW + 50)],
  ])('a session %s', async (_, session, absoluteTimeoutSeconds, expiresAt) => {
    const { authorize } = authorizerOver({}, { legacy: [source(session)], absoluteTimeoutSeconds });

    expect(await authorize(restEvent({ cookie }))).toMatchObject(
      expiresAt === undefined ? DENY : { ...ALLOW, context: { expiresAt } },
    );
  });

  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['no epoch, as now', undefined, undefined, true],
    ['the same epoch', 'v2', 'v2', true],
    ['no epoch before there was one', undefined, 'v2', false],
    ['another epoch', 'v1', 'v2', false],
  ])('a claim under %s', async (_, claimed, epoch, isAdmitted) => {
    const claim = { ...PENDING, ...(claimed === undefined ? {} : { epoch: { S: claimed } }) };
    const { authorize } = authorizerOver({ others: { [CLAIM_KEY]: claim } }, { legacy: [source(LIVE)], epoch });

    expect(await authorize(restEvent({ cookie }))).toMatchObject(isAdmitted ? ALLOW : DENY);
  });

  it.each([
    [NOW - 51, true],
    [NOW - 50, false],
  ])('a line for all at %d', async (legacyStartedAfter, isAdmitted) => {
    const { authorize } = authorizerOver({}, { legacy: [source(LIVE)], legacyStartedAfter });

    expect(await authorize(restEvent({ cookie }))).toMatchObject(isAdmitted ? ALLOW : DENY);
  });

  it.each<[string, number, object | undefined, boolean]>([
    ['just now', NOW - 9, sessionItem(), true],
    ['ten seconds ago', NOW - 10, sessionItem(), false],
    ['just now, and logged out', NOW - 1, sessionItem({ revoked: { N: '1' } }), false],
    ['just now, and is not there', NOW - 1, undefined, false],
  ])('a session that came back with its new cookie %s', async (_, at, item, isAdmitted) => {
    const seen: Seen = { cookies: [], reads: [] };
    const { authorize, calls } = authorizerOver(
      { item, others: confirmed(at) },
      { legacy: [source(LIVE, seen)], idleTimeoutSeconds: 60, absoluteTimeoutSeconds: 86_400 },
    );

    // What a late request may do is the new session's, whose user is alice here.
    expect(await authorize(restEvent({ cookie }))).toMatchObject(isAdmitted ? { principalId: 'alice' } : DENY);
    expect(seen.reads).toEqual([]);
    expect(calls.renewals).toEqual([]);
  });

  it('looks at the claim again where the older session is gone: it may have moved in meanwhile', async () => {
    const others: Record<string, unknown> = {};
    const gone: LegacySource = {
      ...source(LIVE),
      read: async () => {
        Object.assign(others, confirmed(NOW));
        return undefined;
      },
    };
    const { authorize } = authorizerOver({ item: sessionItem(), others }, { legacy: [gone] });

    expect(await authorize(restEvent({ cookie }))).toMatchObject({ principalId: 'alice' });
  });

  it('does not spend a read on the older system for a settled claim', async () => {
    const seen: Seen = { cookies: [], reads: [] };
    const others = { [CLAIM_KEY]: { settled_at: { N: '1' } } };
    const { authorize } = authorizerOver({ others }, { legacy: [source(LIVE, seen)] });
    await authorize(restEvent({ cookie }));

    expect(seen.reads).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a claim', { [CLAIM_KEY]: null }],
    ['a claim that is text', { [CLAIM_KEY]: 'settled_at' }],
    ['a generation', { 'SU#bob': { generation: { S: 'x' } } }],
  ])('fails the request for %s that DynamoDB would not return so', async (_, others) => {
    const { authorize } = authorizerOver({ others }, { legacy: [source(LIVE)] });

    await expect(authorize(restEvent({ cookie }))).rejects.toThrow(SessionStoreError);
  });
});

it('loads the keys of a source before it verifies', async () => {
  let isPrepared = false;
  const prepared: LegacySource = {
    ...source(LIVE),
    prepare: async () => {
      isPrepared = true;
    },
    verify: (cookies) => (isPrepared ? cookies.sid : undefined),
  };
  const { authorize } = authorizerOver({}, { legacy: [prepared] });

  expect(await authorize(restEvent({ cookie: 'sid=41' }))).toMatchObject({ principalId: 'bob' });
});

it('needs a reader that can tell what has moved in, and a name for each source', () => {
  const reader = { readSession: async () => undefined };
  const readItem = async () => undefined;
  const options = { cookieName: COOKIE_NAME, legacy: [source(LIVE)] };

  expect(() => createAuthorizer({ reader }, options)).toThrow('legacy must come with a reader that has readItem');
  expect(() =>
    createAuthorizer({ reader: { ...reader, readItem } }, { ...options, legacy: [source(LIVE), source(LIVE)] }),
  ).toThrow('legacy must hold sources with a name each');
});

it('fails the request when the older system cannot be asked', async () => {
  const failing: LegacySource = { ...source(LIVE), read: () => Promise.reject(new Error('down')) };
  const { authorize } = authorizerOver({}, { legacy: [failing] });

  await expect(authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }))).rejects.toThrow('down');
});

it('asks the older system again after a failure that may pass', async () => {
  let reads = 0;
  const failingOnce: LegacySource = {
    ...source(LIVE),
    read: async () => {
      if (reads++ === 0) throw new SessionStoreError('reset', { isRetryable: true });
      return LIVE;
    },
  };
  const { authorize } = authorizerOver({}, { legacy: [failingOnce] });

  expect(await authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }))).toMatchObject({ principalId: 'bob' });
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
