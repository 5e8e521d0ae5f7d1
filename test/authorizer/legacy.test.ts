// SPDX-License-Identifier: Apache-2.0
/** Sessions of older systems are admitted read-only, only by a proven cookie, only where there is no session of our own. */
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import { SessionStoreError } from '../../lambda/session/errors';
import type { LegacySource } from '../../lambda/session/legacy-source';
import { LIVE, type Seen, source } from './older-system';
import { ALLOW, authorizerOver, COOKIE_NAME, DENY, NOW, restEvent, sessionItem, TOKEN } from './set-up';

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

  const failure = authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }));

  // What a source says may hold the id; it is only the cause.
  await expect(failure).rejects.toThrow(/^the store of the older sessions failed$/);
  await expect(failure).rejects.toBeInstanceOf(SessionStoreError);
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

describe('several older systems', () => {
  const other = (session: unknown): LegacySource => ({
    ...source(session),
    name: 'other',
    cookieNames: ['other'],
    verify: ({ other }) => other,
  });
  const cookie = 'sid=41; sid.sig=good; other=42';

  it.each<[string, unknown]>([
    ['has none', undefined],
    ['has one that is over', { ...LIVE, expiresAt: NOW }],
    ['knows nobody', { refused: 'anonymous' }],
  ])('are asked in turn where the first %s', async (_, first) => {
    const { authorize } = authorizerOver({}, { legacy: [source(first), other({ ...LIVE, user: 'carol' })] });

    expect(await authorize(restEvent({ cookie }))).toMatchObject({ ...ALLOW, principalId: 'carol' });
  });

  it('are not asked on for a user who may not', async () => {
    const others = { 'SU#bob': { disabled: { BOOL: true } } };
    const { authorize, calls } = authorizerOver(
      { others },
      { legacy: [source(LIVE), other({ ...LIVE, user: 'carol' })] },
    );

    expect(await authorize(restEvent({ cookie }))).toMatchObject(DENY);
    expect(calls.reports).toEqual([{ kind: 'denied', reason: 'legacyUserDisabled' }]);
  });

  it('say for whom the old code is still needed', async () => {
    const admitted: string[] = [];
    const reader = { readSession: async () => undefined, readItem: async () => undefined };
    const authorize = createAuthorizer(
      { reader, now: () => NOW, onLegacyAdmitted: (name) => admitted.push(name) },
      { cookieName: COOKIE_NAME, legacy: [source(undefined), other(LIVE)] },
    );
    await authorize(restEvent({ cookie }));
    await authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }));

    expect(admitted).toEqual(['other']);
  });
});

it('refuses a source with the cookie of our own sessions', () => {
  expect(() => authorizerOver({}, { legacy: [{ ...source(LIVE), cookieNames: [COOKIE_NAME] }] })).toThrow(
    `legacy must hold no source with the cookie ${COOKIE_NAME}`,
  );
});

it('asks a reader whose functions need it as their object', async () => {
  class Reader {
    readonly item = undefined;
    async readSession() {
      return this.item;
    }
    async readItem() {
      return this.item;
    }
  }
  const authorize = createAuthorizer(
    { reader: new Reader(), now: () => NOW },
    { cookieName: COOKIE_NAME, legacy: [source(LIVE)] },
  );

  expect(await authorize(restEvent({ cookie: 'sid=41; sid.sig=good' }))).toMatchObject({ principalId: 'bob' });
});
