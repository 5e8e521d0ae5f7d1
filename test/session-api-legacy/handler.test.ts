// SPDX-License-Identifier: Apache-2.0
/** The session routes while users of older systems move in: a logout is one everywhere, on emulated tables. */
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { LegacySourceConfiguration } from '../../lambda/legacy/configured-sources';
import { legacyFrom } from '../../lambda/legacy/configured-sources';
import { createSessions } from '../../lambda/session/create-sessions';
import type { ProxyResponse } from '../../lambda/session/proxy-response';
import {
  createOldTables,
  deployedEnvironment,
  KINDS,
  logInToOlderSystems,
  OLD_ITEMS,
  SECRETS,
  SIGNED_COOKIES,
} from '../legacy/configured-systems';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';
import { type Call, proxyEvent, setCookies } from '../session-api/world';

const CLEARED = (name: string) => expect.stringMatching(new RegExp(`^${name.replaceAll('.', '\\.')}=;.*Max-Age=0`));

// A machine that stands still for half a second makes the reader ask once more, which is what it is for: then the count is taken again.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

let table: EmulatedTable;
const before = process.env;

beforeEach(async () => {
  table = await startEmulatedTable();
  await createOldTables(table);
  await logInToOlderSystems(table);
  jest.spyOn(console, 'log').mockImplementation(() => {});
  jest.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(async () => {
  jest.restoreAllMocks();
  process.env = before;
  await table.close();
});

/** A function that just started with these sources, and a mode if there is one. */
function start(sources: unknown, mode?: string): (route: string, call: Call) => Promise<ProxyResponse> {
  process.env = deployedEnvironment(table, sources);
  if (mode !== undefined) process.env.SESSIONGATE_LEGACY_MODE = mode;
  jest.resetModules();
  const { handler } = jest.requireActual('../../lambda/session-api-legacy/handler');
  return (route, call) => handler(proxyEvent('HTTP 2.0', route, call));
}

/** A handler of the application, in which sessions move in. */
function applicationWith(configuration: LegacySourceConfiguration) {
  process.env = deployedEnvironment(table, [configuration]);
  const { sources } = legacyFrom(process.env, table.emulator.endpoint);
  return createSessions({ store: table.store, legacy: { sources } });
}

async function isKeptByOlderSystem(name: string): Promise<boolean> {
  const item = OLD_ITEMS[name];
  if (item === undefined) return false;
  return (await table.client.send(new GetItemCommand(item))).Item !== undefined;
}

describe.each(KINDS)('a session of $name', ({ configuration, name, cookie, user }) => {
  it('that has not moved in is over after a logout, in the older system and for good', async () => {
    const response = await start([configuration])('DELETE /session', { cookie, user });

    expect(response).toMatchObject({ statusCode: 204 });
    expect(setCookies(response)).toEqual(expect.arrayContaining([CLEARED(cookie.split('=')[0] ?? '')]));
    expect(await isKeptByOlderSystem(name)).toBe(false);
    // Even if the older system writes it again.
    await logInToOlderSystems(table);
    expect(await applicationWith(configuration).legacy?.arrive(cookie, null)).toMatchObject({ session: null });
  });

  it('that is moving in is over after a logout, with the session that came of it', async () => {
    const application = applicationWith(configuration);
    const { moved } = (await application.legacy?.arrive(cookie, null)) ?? {};
    const both = `${cookie}; __Host-session=${moved?.token}`;

    expect(await start([configuration])('DELETE /session', { cookie: both, user })).toMatchObject({ statusCode: 204 });

    expect(await application.read(both)).toBeNull();
    expect(await application.legacy?.arrive(cookie, null)).toMatchObject({ session: null, moved: null });
    expect(await isKeptByOlderSystem(name)).toBe(false);
  });

  it('is over after a logout everywhere, on every device', async () => {
    const call = start([configuration]);

    expect(await call('DELETE /sessions', { user })).toMatchObject({ statusCode: 200 });

    expect(await applicationWith(configuration).legacy?.arrive(cookie, null)).toMatchObject({ session: null });
  });

  it('stays where it is while its user only looks', async () => {
    const call = start([configuration]);
    await call('GET /session', { cookie, user });
    await call('GET /sessions', { cookie, user });

    expect(await applicationWith(configuration).legacy?.arrive(cookie, null)).toMatchObject({ session: { user } });
  });
});

it('a signed session, which nothing can end, is at least dropped by its browser, and nothing is written', async () => {
  const call = start([{ kind: 'signedSession', secrets: SECRETS }]);
  table.emulator.resetCounts();

  const response = await call('DELETE /session', { cookie: SIGNED_COOKIES, user: 'dave' });

  expect(setCookies(response)).toEqual([
    CLEARED('__Host-session'),
    CLEARED('__Host-signed'),
    CLEARED('__Host-signed.sig'),
  ]);
  expect(table.emulator.counts().requests).toBe(0);
});

it.each(['dryRun', 'off'])('in the mode %s, a logout leaves the older system alone', async (mode) => {
  for (const { configuration, name, cookie, user } of KINDS) {
    const wasKept = await isKeptByOlderSystem(name);

    expect(await start([configuration], mode)('DELETE /session', { cookie, user })).toMatchObject({ statusCode: 204 });

    expect(await isKeptByOlderSystem(name)).toBe(wasKept);
  }
});

it.each([
  ['the sources are missing', undefined, undefined, 'SESSIONGATE_LEGACY'],
  ['the mode is none', [KINDS[0]?.configuration], 'no', 'SESSIONGATE_LEGACY_MODE must be on, dryRun or off'],
])('fails every request with its reason while %s', async (_, sources, mode, message) => {
  const call = start(sources, mode);

  for (const _ of [1, 2]) await expect(call('GET /session', {})).rejects.toThrow(message);
});
