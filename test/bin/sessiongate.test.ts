// SPDX-License-Identifier: Apache-2.0
/** The `sessiongate` command, as it is run, against the emulated table. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { createSessionCommand } from '../../bin/create-session-command';
import { createSessions } from '../../lambda/session';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

let table: EmulatedTable;
beforeAll(async () => {
  table = await startEmulatedTable();
});
afterAll(() => table.close());

interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the sources in a process of their own, with nothing of this machine's AWS configuration. */
function run(words: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...variables };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', join(__dirname, '../../bin/sessiongate.ts'), ...words],
      { env },
      (failure, stdout, stderr) =>
        resolve({ exitCode: typeof failure?.code === 'number' ? failure.code : 0, stdout, stderr }),
    );
  });
}

const createFor = (...options: string[]) =>
  createSessionCommand(
    ['--user', 'alice', '--table', 'sessions', '--endpoint', table.emulator.endpoint, ...options],
    {},
  );

describe('sessions create', () => {
  test('prints a cookie that is a session of the user, and a curl line with it', async () => {
    const { exitCode, stdout } = await run([
      ...['sessions', 'create', '--user', 'alice', '--table', 'sessions', '--endpoint', table.emulator.endpoint],
      ...['--url', 'https://api.example.com/prod'],
    ]);

    expect(exitCode).toBe(0);
    const setCookie = /^Set-Cookie: (.*)$/m.exec(stdout)?.[1];
    expect(setCookie).toMatch(/^__Host-session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=25\d{5}$/);
    const cookie = setCookie?.split(';')[0];
    expect(stdout).toContain(`curl -H 'Cookie: ${cookie}' https://api.example.com/prod/session`);
    await expect(createSessions({ store: table.store }).read(cookie ?? '')).resolves.toMatchObject({ user: 'alice' });
  });

  test('takes the cookie name and the epoch of the table', async () => {
    const text = await createFor('--cookie-name', '__Host-id', '--epoch', 'v2');

    const cookie = /Cookie: (__Host-id=[\w-]{43})'/.exec(text)?.[1] ?? '';
    const read = (epoch?: string) =>
      createSessions({ store: table.store, cookieName: '__Host-id', epoch }).read(cookie);
    await expect(read('v2')).resolves.toMatchObject({ user: 'alice' });
    await expect(read()).resolves.toBeNull();
  });

  test('takes table and settings from the variables of a connected function', async () => {
    const text = await createSessionCommand(['--user', 'alice'], {
      SESSIONGATE_TABLE_NAME: 'sessions',
      SESSIONGATE_ENDPOINT: table.emulator.endpoint,
      SESSIONGATE_SETTINGS: '{"cookieName":"__Host-id","absoluteTimeoutSeconds":3600}',
    });

    expect(text).toMatch(/^Set-Cookie: __Host-id=.*; Max-Age=3[56]\d\d$/m);
  });

  test.each([
    ['no user', ['--table', 'sessions'], /^--user is missing; name the user/],
    [
      'no table',
      ['--user', 'alice'],
      /^--table is missing; pass the stack's output TableName, or set SESSIONGATE_TABLE_NAME$/,
    ],
    ['an unknown option', ['--name', 'alice'], /^Unknown option '--name'; see sessiongate --help$/],
    ['an option without its value', ['--user'], /^Option '--user <value>' argument missing; see/],
    ['a stray word', ['alice'], /^Unexpected argument 'alice'/],
    [
      'an endpoint that is no URL',
      ['--user', 'a', '--table', 't', '--endpoint', 'localhost'],
      /^--endpoint must be a URL/,
    ],
    ['a wrong cookie name', ['--user', 'a', '--table', 't', '--cookie-name', '__host-x'], /^cookieName must spell/],
  ])('refuses %s in one sentence that names the option', async (_name, words, message) => {
    const attempt = createSessionCommand(words, {});

    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.toThrow(/^[^\n]*$/);
  });

  test('refuses a user name that no session can have', async () => {
    await expect(
      createSessionCommand(['--user', 'two words', '--table', 'sessions', '--endpoint', table.emulator.endpoint], {}),
    ).rejects.toThrow(/user/);
  });
});

describe('the exit code and the one line of error', () => {
  test.each([
    ['a table that does not exist', ['--table', 'none'], 1, /^sessiongate: .*\bnone\b/m],
    [
      'an unreachable endpoint',
      ['--table', 'sessions', '--endpoint', 'http://127.0.0.1:1'],
      1,
      /could not be reached; check region and endpoint/,
    ],
    ['a missing option', [], 2, /^sessiongate: --table is missing/m],
  ])('tell of %s', async (_name, words, exitCode, message) => {
    const endpoint = words.includes('--endpoint') ? [] : ['--endpoint', table.emulator.endpoint];

    const outcome = await run(['sessions', 'create', '--user', 'alice', ...endpoint, ...words]);

    expect(outcome).toMatchObject({ exitCode, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('tell of a command that does not exist', async () => {
    expect(await run(['sessions', 'list'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/no command sessions list/),
    });
  });
});

test('without a command, says how it is used', async () => {
  expect(await run([])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('sessiongate sessions create --user <name>'),
  });
});
