// SPDX-License-Identifier: Apache-2.0
/** The second asset's handler, set up from its environment for each kind of older system, on emulated tables. */
import type { AuthorizerResult } from '../../lambda/authorizer/answer-requests';
import { legacyFromEnvironment } from '../../lambda/legacy';
import { createSessions } from '../../lambda/session/create-sessions';
import { claimIdOf, claimKey } from '../../lambda/session/migration/claim-item';
import { restEvent } from '../authorizer/set-up';
import {
  createOldTables,
  deployedEnvironment,
  KINDS,
  logInToOlderSystems,
  MOVING_SIGNED,
  NOW,
  SECRETS,
  SIGNED_COOKIES,
  signedCookiesOf,
} from '../legacy/configured-systems';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

// A machine that stands still for half a second makes the reader ask once more, which is what it is for: then the count is taken again.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

let table: EmulatedTable;
const before = process.env;

beforeAll(async () => {
  table = await startEmulatedTable();
  await createOldTables(table);
  await logInToOlderSystems(table);
});
afterAll(async () => {
  process.env = before;
  await table.close();
});

/** A function that just started with these sources, and a mode if there is one. */
function start(sources: unknown, more: object = {}, mode?: string): (event: unknown) => Promise<AuthorizerResult> {
  process.env = deployedEnvironment(table, sources, more);
  if (mode !== undefined) process.env.SESSIONGATE_LEGACY_MODE = mode;
  jest.resetModules();
  return jest.requireActual('../../lambda/authorizer-legacy/handler').handler;
}

beforeEach(() => {
  jest.spyOn(console, 'log').mockImplementation(() => {});
  jest.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => jest.restoreAllMocks());

describe.each(KINDS)('a session of $name', ({ configuration, name, cookie, user, id }) => {
  it('is admitted', async () => {
    expect(await start([configuration])(restEvent({ cookie }))).toMatchObject({ principalId: user });
  });

  it('is refused once its claim is settled, and the claim is found under the name of its source', async () => {
    const { partitionKey, sortKey } = claimKey(claimIdOf({ name: 'renamed' } as never, id));
    await table.store.put({ PK: { S: partitionKey }, SK: { S: sortKey }, settled_at: { N: String(NOW) } });

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
  table.emulator.resetCounts();

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
  expect(table.emulator.counts().requests).toBe(0);
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
    const { token } = await createSessions({ store: table.store }).create({ user: 'erin' });
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
    process.env = deployedEnvironment(table, [MOVING_SIGNED]);
    return createSessions({ store: table.store, legacy: legacyFromEnvironment() });
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

describe('the mode', () => {
  const SOURCES = [...KINDS.map(({ configuration }) => configuration), { kind: 'signedSession', secrets: SECRETS }];
  const COOKIES = [...KINDS.map(({ cookie }) => cookie), SIGNED_COOKIES];

  it('on admits: nothing but reading is done here', async () => {
    const handler = start(SOURCES, {}, 'on');

    for (const { cookie, user } of KINDS)
      expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: user });
  });

  /** What is reported, as the log has it; refusals of the authorizer itself left out. */
  const reported = () =>
    jest
      .mocked(console.log)
      .mock.calls.map(([line]) => JSON.parse(String(line)))
      .filter((line) => Object.keys(line).some((name) => name.startsWith('Legacy')))
      .map(({ _aws, Message, ...line }) => line);

  describe('dryRun', () => {
    const startDry = (sources: unknown) => {
      const handler = start(sources, {}, 'dryRun');
      process.env.AWS_LAMBDA_FUNCTION_NAME = 'authorizer';
      return handler;
    };

    it('admits no older session, and reports which it would', async () => {
      const handler = startDry(SOURCES);

      for (const { cookie } of KINDS)
        expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: 'denied' });

      const sourcesOf = (metric: string) =>
        reported().flatMap(({ Source, ...line }) => (line[metric] === 1 ? [Source] : []));
      expect(sourcesOf('LegacyWouldMoveIn')).toEqual(['express-session', 'php', 'cookie-session', 'app']);
      // Only what is signed here tells its beginning; the others have no path for it.
      expect(sourcesOf('LegacyAgeUnknown')).toEqual(['express-session', 'php', 'cookie-session']);
    });

    it('goes on admitting signed sessions, which do not move in', async () => {
      expect(await startDry(SOURCES)(restEvent({ cookie: SIGNED_COOKIES }))).toMatchObject({ principalId: 'dave' });
    });

    it.each<[string, string, string]>([
      ['nothing signed', 'connect.sid=s%3Aforged.x', 'unproven'],
      ['a request has twice', `${KINDS[0]?.cookie}; ${KINDS[0]?.cookie}`, 'duplicate'],
    ])('says so of a cookie that %s', async (_, cookie, Reason) => {
      await startDry(SOURCES)(restEvent({ cookie }));

      expect(reported()).toEqual([{ Source: 'express-session', Reason, LegacyRefused: 1 }]);
    });

    it('goes on admitting them beside a source that cannot work, and reports both', async () => {
      const handler = startDry([{ kind: 'ruby' }, { kind: 'signedSession', secrets: SECRETS }]);

      for (const _ of [1, 2])
        expect(await handler(restEvent({ cookie: SIGNED_COOKIES }))).toMatchObject({ principalId: 'dave' });
      const [fault, admitted] = [
        { Code: 'ConfigurationError', LegacyFault: 1 },
        { Source: 'signed-session', LegacyAdmitted: 1 },
      ];
      expect(reported()).toEqual([fault, admitted, fault, admitted]);
    });

    it.each<[string, unknown, string]>([
      ['a table that is not there', { ...KINDS[0]?.configuration, tableName: 'none' }, 'ERR_SESSION_STORE_NOT_FOUND'],
      ['a source that cannot work', { kind: 'ruby' }, 'ConfigurationError'],
    ])('fails no request for %s', async (_, source, Code) => {
      const handler = startDry([source]);

      expect(await handler(restEvent({ cookie: KINDS[0]?.cookie ?? '' }))).toMatchObject({ principalId: 'denied' });
      expect(reported()).toEqual([{ Code, LegacyFault: 1 }]);
    });
  });

  describe('on, with a share', () => {
    const [kind] = KINDS;
    const cookie = kind?.cookie ?? '';
    const [place = Number.NaN] = [kind].map((one) => {
      const claimId = claimIdOf({ name: one?.name } as never, one?.id ?? '');
      return (Number.parseInt(claimId.slice(0, 8), 16) / 2 ** 32) * 100;
    });
    const startWith = (share: string, sources: unknown = SOURCES) => {
      const handler = start(sources, {}, 'on');
      process.env.SESSIONGATE_LEGACY_SHARE_PERCENT = share;
      process.env.AWS_LAMBDA_FUNCTION_NAME = 'authorizer';
      return handler;
    };

    it('admits what is within', async () => {
      expect(await startWith(String(place + 0.001))(restEvent({ cookie }))).toMatchObject({ principalId: kind?.user });
      expect(reported()).toEqual([{ Source: 'express-session', LegacyAdmitted: 1 }]);
    });

    it('admits nothing that is beyond, and reports that it would', async () => {
      expect(await startWith(String(place - 0.001))(restEvent({ cookie }))).toMatchObject({ principalId: 'denied' });
      expect(reported()).toEqual([
        { Source: 'express-session', LegacyWouldMoveIn: 1 },
        { Source: 'express-session', LegacyAgeUnknown: 1 },
      ]);
    });

    it('fails no request for what is beyond', async () => {
      const handler = startWith('0.0001', [{ ...kind?.configuration, tableName: 'none' }]);

      expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: 'denied' });
      expect(reported()).toEqual([{ Code: 'ERR_SESSION_STORE_NOT_FOUND', LegacyFault: 1 }]);
    });

    it('admits every signed session that does not move in', async () => {
      expect(await startWith('0.0001')(restEvent({ cookie: SIGNED_COOKIES }))).toMatchObject({ principalId: 'dave' });
    });

    it('fails every request with its reason where the share is none', async () => {
      await expect(startWith('0')(restEvent({ cookie }))).rejects.toThrow(
        'the environment variable SESSIONGATE_LEGACY_SHARE_PERCENT must be a number above 0 and up to 100',
      );
    });
  });

  it('off admits no older session, and reads nothing for it', async () => {
    const handler = start(SOURCES, {}, 'off');
    table.emulator.resetCounts();

    for (const cookie of COOKIES) expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: 'denied' });
    expect(table.emulator.counts().requests).toBe(0);
  });

  it('off admits sessions of ours, with one read, whatever else the browser sends', async () => {
    const { token } = await createSessions({ store: table.store }).create({ user: 'erin' });
    const handler = start(SOURCES, {}, 'off');
    table.emulator.resetCounts();

    const cookie = [`__Host-session=${token}`, ...COOKIES].join('; ');
    expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: 'erin' });
    expect(table.emulator.counts().requests).toBe(1);
  });

  it('off helps where the sources themselves are what is wrong', async () => {
    expect(await start([{ kind: 'ruby' }], {}, 'off')(restEvent({ cookie: COOKIES[0] ?? '' }))).toMatchObject({
      principalId: 'denied',
    });
  });

  it.each(['', 'Off', 'false'])("'%s' fails every request with its reason", async (mode) => {
    const handler = start(SOURCES, {}, mode);

    for (const _ of [1, 2])
      await expect(handler(restEvent())).rejects.toThrow(
        'the environment variable SESSIONGATE_LEGACY_MODE must be on, dryRun or off',
      );
  });
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
