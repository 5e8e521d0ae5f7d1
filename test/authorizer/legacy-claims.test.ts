// SPDX-License-Identifier: Apache-2.0
/** What the table says of a session of an older system: claims, users, lines and the session that moved in. */
import { SessionStoreError } from '../../lambda/session/errors';
import type { LegacySession, LegacySource } from '../../lambda/session/legacy-source';
import { claimIdOf } from '../../lambda/session/migration/claim-item';
import { LIVE, type Seen, source } from './older-system';
import { ALLOW, authorizerOver, DENY, NOW, restEvent, sessionItem, TOKEN_HASH } from './set-up';

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

  it.each<[string, object, boolean]>([
    ['first moved in within the absolute timeout', {}, true],
    ['first moved in before it', { session_created_at: { N: String(NOW - 60) } }, false],
    ['was another user’s then', { session_created_at: { N: String(NOW - 60) }, user: { S: 'carol' } }, true],
  ])('a session that does not tell its beginning, and %s', async (_, claim, isAdmitted) => {
    const others = { [CLAIM_KEY]: { ...PENDING, ...claim } };
    const { authorize } = authorizerOver(
      { others },
      { legacy: [source({ ...LIVE, createdAt: 0 })], absoluteTimeoutSeconds: 60 },
    );

    expect(await authorize(restEvent({ cookie }))).toMatchObject(isAdmitted ? { principalId: 'bob' } : DENY);
  });

  it.each<[string, LegacySession, number | undefined, string | undefined]>([
    ['younger than the absolute timeout', LIVE, 56, String(NOW + 6)],
    ['too near the absolute timeout to move in', LIVE, 55, undefined],
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

  // Its idle timeout could slide, if the request had brought its own cookie.
  const due = sessionItem({ renewed_at: { N: String(NOW - 40) }, expires_at: { N: String(NOW + 20) } });

  it.each<[string, number, object | undefined, boolean]>([
    ['just now', NOW - 9, due, true],
    ['ten seconds ago', NOW - 10, due, false],
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

it.each([
  ['just above its place', 0.001, true],
  ['just below its place', -0.001, false],
])('an older session is let in with a share %s', async (_, difference, isAdmitted) => {
  const claimId = claimIdOf(source(LIVE), '41');
  const legacySharePercent = (Number.parseInt(claimId.slice(0, 8), 16) / 2 ** 32) * 100 + difference;
  const seen: Seen = { cookies: [], reads: [] };
  const { authorize } = authorizerOver({}, { legacy: [source(LIVE, seen)], legacySharePercent });

  expect(await authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }))).toMatchObject(isAdmitted ? ALLOW : DENY);
  expect(seen.reads).toEqual(isAdmitted ? ['41'] : []);
});

it.each([
  [NOW - 51, true],
  [NOW - 50, false],
])(
  'a line for all at %d holds for a session that is all in its cookie, too',
  async (legacyStartedAfter, isAdmitted) => {
    const { authorize } = authorizerOver({}, { legacy: [{ ...source(LIVE), isStateless: true }], legacyStartedAfter });

    expect(await authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }))).toMatchObject(isAdmitted ? ALLOW : DENY);
  },
);

it('a share leaves out no session that does not move in', async () => {
  const { authorize } = authorizerOver(
    {},
    { legacy: [{ ...source(LIVE), isStateless: true }], legacySharePercent: 0.000_1 },
  );

  expect(await authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }))).toMatchObject(ALLOW);
});

it('a share of nothing is refused', () => {
  expect(() => authorizerOver({}, { legacy: [source(LIVE)], legacySharePercent: 0 })).toThrow(
    'legacySharePercent must be a number above 0 and up to 100',
  );
});
