// SPDX-License-Identifier: Apache-2.0
/** The second asset's handler, set up from its environment for each kind of older system, on emulated tables. */
import { legacyFromEnvironment } from '../../lambda/legacy';
import { createSessions } from '../../lambda/session/create-sessions';
import { claimIdOf, claimKey } from '../../lambda/session/migration/claim-item';
import { restEvent } from '../authorizer/set-up';
import {
  deployedEnvironment,
  KINDS,
  MOVING_SIGNED,
  NOW,
  SECRETS,
  SIGNED_COOKIES,
  signedCookiesOf,
} from '../legacy/configured-systems';
import { startedFunction } from './started-function';

// A machine that stands still for half a second makes the reader ask once more, which is what it is for: then the count is taken again.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const { start, table } = startedFunction();

describe.each(KINDS)('a session of $name', ({ configuration, name, cookie, user, id }) => {
  it('is admitted', async () => {
    expect(await start([configuration])(restEvent({ cookie }))).toMatchObject({ principalId: user });
  });

  it('is refused once its claim is settled, and the claim is found under the name of its source', async () => {
    const { partitionKey, sortKey } = claimKey(claimIdOf({ name: 'renamed' } as never, id));
    await table().store.put({ PK: { S: partitionKey }, SK: { S: sortKey }, settled_at: { N: String(NOW) } });

    expect(await start([configuration])(restEvent({ cookie }))).toMatchObject({ principalId: user });
    expect(await start([{ ...configuration, sourceName: 'renamed' }])(restEvent({ cookie }))).toMatchObject({
      principalId: 'denied',
    });
  });

  it('is refused with a cookie of other systems only', async () => {
    const others = KINDS.filter((kind) => kind.name !== name).map((kind) => kind.configuration);

    expect(await start(others)(restEvent({ cookie }))).toMatchObject({ principalId: 'denied' });
  });
});

it('a signed session is admitted by its cookie alone', async () => {
  table().emulator.resetCounts();

  expect(
    await start([{ kind: 'signedSession', secrets: SECRETS }])(restEvent({ cookie: SIGNED_COOKIES })),
  ).toMatchObject({
    principalId: 'dave',
  });
  expect(
    await start([{ kind: 'signedSession', secrets: ['other'] }])(restEvent({ cookie: SIGNED_COOKIES })),
  ).toMatchObject({
    principalId: 'denied',
  });
  expect(table().emulator.counts().requests).toBe(0);
});

describe('the log of the deployed function', () => {
  const ADMITTED = 'LegacyAdmitted';

  /** Values of the metric, by source, in what was written while these cookies came. */
  async function admittedBy(cookies: readonly string[], sources: unknown, name?: string): Promise<string[]> {
    const handler = start(sources);
    if (name !== undefined) process.env.AWS_LAMBDA_FUNCTION_NAME = name;
    const written = jest.mocked(console.log);
    for (const cookie of cookies) await handler(restEvent({ cookie }));
    return written.mock.calls
      .map(([line]) => JSON.parse(String(line)))
      .filter((line) => line[ADMITTED] === 1)
      .map(({ Source, _aws }) => {
        expect(_aws.CloudWatchMetrics).toEqual([
          { Namespace: 'Sessiongate', Dimensions: [['Source']], Metrics: [{ Name: ADMITTED, Unit: 'Count' }] },
        ]);
        return Source;
      });
  }
  const ALL = KINDS.map(({ configuration }) => configuration);

  it('counts each older session that is let in, by its source', async () => {
    const cookies = KINDS.map(({ cookie }) => cookie);

    expect(await admittedBy(cookies, ALL, 'authorizer')).toEqual(['express-session', 'php', 'cookie-session', 'app']);
  });

  it('counts none that is refused, and no session of ours', async () => {
    const { token } = await createSessions({ store: table().store }).create({ user: 'erin' });
    const [first] = KINDS;
    const cookies = [
      `__Host-session=${token}`,
      `__Host-session=${token}; ${first?.cookie}`,
      (first?.cookie ?? '').replace(/.$/, '_'),
      'other=1',
    ];

    expect(await admittedBy(cookies, ALL, 'authorizer')).toEqual([]);
  });

  it('is left alone on a laptop', async () => {
    expect(await admittedBy([KINDS[0]?.cookie ?? ''], ALL)).toEqual([]);
  });
});

describe('signed sessions that move in', () => {
  const earlier = signedCookiesOf('__Host-app', { id: 'login-1' }, 'frank');
  const later = signedCookiesOf('__Host-app', { id: 'login-1', cart: ['x'] }, 'frank');
  const otherLogin = signedCookiesOf('__Host-app', { id: 'login-2' }, 'frank');
  const application = () => {
    process.env = deployedEnvironment(table(), [MOVING_SIGNED]);
    return createSessions({ store: table().store, legacy: legacyFromEnvironment() });
  };

  it('are refused once their login was logged out, whatever it wrote before or since', async () => {
    expect(await start([MOVING_SIGNED])(restEvent({ cookie: earlier }))).toMatchObject({ principalId: 'frank' });
    await application().legacy?.end(later);

    const handler = start([MOVING_SIGNED]);
    for (const cookie of [earlier, later])
      expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: 'denied' });
    expect(await handler(restEvent({ cookie: otherLogin }))).toMatchObject({ principalId: 'frank' });
  });

  it('are refused once their user was logged out everywhere, or is disabled', async () => {
    const cookies = ['grace', 'heidi'].map((user) => signedCookiesOf('__Host-app', {}, user));
    const handler = start([MOVING_SIGNED]);
    for (const cookie of cookies)
      expect(await handler(restEvent({ cookie }))).not.toMatchObject({ principalId: 'denied' });
    await application().revokeAll('grace');
    await application().disable('heidi');

    for (const cookie of cookies)
      expect(await start([MOVING_SIGNED])(restEvent({ cookie }))).toMatchObject({ principalId: 'denied' });
  });
});

it('what began by a line for all is refused', async () => {
  const [kind] = KINDS;
  const handler = start([kind?.configuration], { startedAfter: NOW });

  // It does not tell its beginning.
  expect(await handler(restEvent({ cookie: kind?.cookie ?? '' }))).toMatchObject({ principalId: 'denied' });
});

it('several older systems live beside each other', async () => {
  const handler = start(KINDS.map(({ configuration }) => configuration));

  for (const { cookie, user } of KINDS)
    expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: user });
});

it('a source is given its own options only, whatever else it is told', async () => {
  for (const { configuration, cookie, user } of KINDS)
    expect(await start([{ ...configuration, anything: 'else' }])(restEvent({ cookie }))).toMatchObject({
      principalId: user,
    });
});

it.each<[string, unknown, string]>([
  ['a path with an empty part', [{ ...KINDS[0]?.configuration, userPath: 'a..b' }], 'userPath must say where'],
  ['two sources of one name', [KINDS[0]?.configuration, KINDS[0]?.configuration], 'two are called express-session'],
  ['no sources', undefined, 'SESSIONGATE_LEGACY'],
  ['an empty list', [], 'SESSIONGATE_LEGACY must hold at least one source'],
  ['an object', {}, 'SESSIONGATE_LEGACY must hold at least one source'],
  ['an unknown kind', [{ kind: 'ruby' }], 'of the kinds expressSession, cookieSession, signedSession and php'],
  ['an empty secret', [{ ...KINDS[0]?.configuration, secrets: [''] }], 'secrets must hold non-empty strings only'],
  ['keys from nowhere', [{ ...KINDS[2]?.configuration, secrets: undefined }], 'secretId, parameterName or load'],
])('fails every request with its reason with %s', async (_, sources, message) => {
  const handler = start(sources);

  for (const _ of [1, 2]) await expect(handler(restEvent())).rejects.toThrow(message);
});
