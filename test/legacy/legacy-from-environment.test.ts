// SPDX-License-Identifier: Apache-2.0
/** A handler of the application that its stack told of the older systems: sessions move in with nothing said twice. */
import { legacyFromEnvironment } from '../../lambda/legacy';
import { createSessions } from '../../lambda/session/create-sessions';
import {
  createOldTables,
  deployedEnvironment,
  KINDS,
  logInToOlderSystems,
  MOVING_SIGNED,
  NOW,
  SECRETS,
  SIGNED_COOKIES,
} from '../legacy/configured-systems';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

const ALL = KINDS.map(({ configuration }) => configuration);
const SIGNED = { kind: 'signedSession', secrets: SECRETS };

let table: EmulatedTable;
const before = process.env;

beforeAll(async () => {
  table = await startEmulatedTable();
  await createOldTables(table);
});
afterAll(() => table.close());
beforeEach(() => logInToOlderSystems(table));
afterEach(() => {
  process.env = before;
});

function connectedTo(sources: unknown, more: object = {}, mode?: string): NodeJS.ProcessEnv {
  return {
    ...deployedEnvironment(table, sources, more),
    ...(mode === undefined ? {} : { SESSIONGATE_LEGACY_MODE: mode }),
  };
}

it('sessions of every kind move in, by the environment alone', async () => {
  process.env = connectedTo([...ALL, SIGNED]);
  const asSession = () => ({ data: { carried: true } });

  const sessions = createSessions({ legacy: { ...legacyFromEnvironment(), asSession } });

  for (const { cookie, user } of KINDS)
    expect(await sessions.legacy?.arrive(cookie, null)).toMatchObject({ session: { user, data: { carried: true } } });
  // It has no place to be remembered in.
  expect(await sessions.legacy?.arrive(SIGNED_COOKIES, null)).toMatchObject({ session: null });
});

it('signed sessions are handed on where they move in, and only there', () => {
  const { sources } = legacyFromEnvironment(connectedTo([SIGNED, MOVING_SIGNED]));

  expect(sources.map(({ name }) => name)).toEqual(['app']);
});

it('logins of cookie-session are told apart as the stack says', () => {
  const [, , cookieSession] = ALL;
  const { sources } = legacyFromEnvironment(connectedTo([{ ...cookieSession, loginIdPath: 'passport.user' }]));

  expect(sources[0]?.lastingId?.(KINDS[2]?.id ?? '')).toBe('carol\0string carol');
});

it('cookies are cleared as they were set, and pages that are open keep their token', async () => {
  const [express] = ALL;
  const scope = { cookiePath: '/app', cookieDomain: 'example.com', csrfTokenPath: 'passport.user' };
  process.env = connectedTo([{ ...express, ...scope }]);
  const { sources } = legacyFromEnvironment();

  expect(sources[0]?.clearCookies).toEqual([expect.stringContaining('Path=/app; Domain=example.com;')]);
  expect(await sources[0]?.read(KINDS[0]?.id ?? '', NOW)).toMatchObject({ csrfToken: 'alice' });
});

it.each([
  ['on', undefined],
  ['on', 'on'],
  ['dryRun', 'dryRun'],
  ['off', 'off'],
])('the mode is %s where the variable is %s', (expected, mode) => {
  expect(legacyFromEnvironment(connectedTo(ALL, {}, mode)).mode).toBe(expected);
});

it.each([
  [undefined, 100],
  ['100', 100],
  ['0.5', 0.5],
])('of the share %p moves in %d percent', (share, expected) => {
  const variables = { ...connectedTo(ALL), SESSIONGATE_LEGACY_SHARE_PERCENT: share };

  expect(legacyFromEnvironment(variables).sharePercent).toBe(expected);
});

it.each(['', ' ', '0', '-1', '101', 'ten', '10%'])("the share '%s' is refused", (share) => {
  const variables = { ...connectedTo(ALL), SESSIONGATE_LEGACY_SHARE_PERCENT: share };

  expect(() => legacyFromEnvironment(variables)).toThrow(
    'the environment variable SESSIONGATE_LEGACY_SHARE_PERCENT must be a number above 0 and up to 100',
  );
});

it.each(['off', 'dryRun'])('the mode %s helps whatever the share says', (mode) => {
  const variables = { ...connectedTo(ALL, {}, mode), SESSIONGATE_LEGACY_SHARE_PERCENT: '0' };

  expect(legacyFromEnvironment(variables)).toMatchObject({ mode, sharePercent: 100 });
});

it('the line for all is passed on', () => {
  expect(legacyFromEnvironment(connectedTo(ALL, { startedAfter: 1_800_000_000 })).startedAfter).toBe(1_800_000_000);
  expect(legacyFromEnvironment(connectedTo(ALL)).startedAfter).toBeUndefined();
});

it.each([
  [
    'is not connected',
    {},
    'SESSIONGATE_LEGACY must be set; call connectLegacy(handler) of the SessionAuthorizerFunction',
  ],
  ['has an odd mode', connectedToNothing('maybe'), 'SESSIONGATE_LEGACY_MODE must be on, dryRun or off'],
  ['has what is no JSON', { SESSIONGATE_LEGACY: 'x' }, 'SESSIONGATE_LEGACY must hold a JSON object or array'],
  ['knows signed sessions only', connectedToNothing('on'), 'SESSIONGATE_LEGACY holds signed sessions only'],
])('a function that %s is told what to do', (_, variables, message) => {
  expect(() => legacyFromEnvironment(variables)).toThrow(message);
});

function connectedToNothing(mode: string): Record<string, string> {
  return { SESSIONGATE_LEGACY: JSON.stringify({ sources: [SIGNED] }), SESSIONGATE_LEGACY_MODE: mode };
}
