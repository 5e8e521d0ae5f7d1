// SPDX-License-Identifier: Apache-2.0
/** The second asset in each mode: on, with a share, a dry run, off. */
import { createSessions } from '../../lambda/session/create-sessions';
import { claimIdOf } from '../../lambda/session/migration/claim-item';
import { restEvent } from '../authorizer/set-up';
import { KINDS, SECRETS, SIGNED_COOKIES } from '../legacy/configured-systems';
import { startedFunction } from './started-function';

// A machine that stands still for half a second makes the reader ask once more, which is what it is for: then the count is taken again.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const { start, table } = startedFunction();

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
  table().emulator.resetCounts();

  for (const cookie of COOKIES) expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: 'denied' });
  expect(table().emulator.counts().requests).toBe(0);
});

it('off admits sessions of ours, with one read, whatever else the browser sends', async () => {
  const { token } = await createSessions({ store: table().store }).create({ user: 'erin' });
  const handler = start(SOURCES, {}, 'off');
  table().emulator.resetCounts();

  const cookie = [`__Host-session=${token}`, ...COOKIES].join('; ');
  expect(await handler(restEvent({ cookie }))).toMatchObject({ principalId: 'erin' });
  expect(table().emulator.counts().requests).toBe(1);
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
