// SPDX-License-Identifier: Apache-2.0
/** `sessiongate sessions delete-expired` against the emulated tables. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { deleteExpiredCommand } from '../../bin/delete-expired-command';
import { UsageError } from '../../bin/usage-error';
import { sessionKey } from '../../lambda/session/session-keys';
import { EmulatedPhpTable, ID, TABLE_NAME } from '../legacy/php/emulated-php-table';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

let table: EmulatedTable;
let php: EmulatedPhpTable;
beforeAll(async () => {
  table = await startEmulatedTable({ partitionKey: 'pk', sortKey: 'sk', expiresAt: 'ttl' });
  php = await EmulatedPhpTable.start();
});
afterAll(() => Promise.all([table.close(), php.close()]));

const NAMES = ['--partition-key-name', 'pk', '--sort-key-name', 'sk', '--time-to-live-attribute', 'ttl'];

async function putExpired(digit: string): Promise<void> {
  const { partitionKey, sortKey } = sessionKey(digit.repeat(64));
  await table.store.put({ pk: { S: partitionKey }, sk: { S: sortKey }, ttl: { N: '1' } });
}

const words = (...more: string[]) => ['--table', 'sessions', '--endpoint', table.emulator.endpoint, ...NAMES, ...more];

it('deletes what has expired and says what it cost; without a terminal it shows no progress', async () => {
  await putExpired('1');
  await putExpired('2');
  const script = join(__dirname, '../../bin/sessiongate.ts');
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
    const args = ['--no-warnings', '--import', 'tsx', script, 'sessions', 'delete-expired', ...words()];
    execFile(process.execPath, args, { env }, (failure, stdout, stderr) =>
      failure === null ? resolve({ stdout, stderr }) : reject(failure),
    );
  });

  expect(stdout).toMatch(/^Deleted 2 of 2 items read, for [\d.]+ read units and 2 write units\.\n$/);
  expect(stderr).toBe('');
});

it('shows its progress on a terminal, on one line', async () => {
  await putExpired('3');
  const shown: string[] = [];
  await deleteExpiredCommand(words('--segments', '2'), {}, { isTTY: true, write: (text) => shown.push(text) });

  expect(shown.slice(0, -1).every((text) => text.startsWith('\r\u{1b}[Kdeleted '))).toBe(true);
  expect(shown.at(-2)).toBe('\r\u{1b}[Kdeleted 1 of 1 items read; part 2 of 2');
  expect(shown.at(-1)).toBe('\n');
});

it('stops on Ctrl-C and says how to go on', async () => {
  const text = await deleteExpiredCommand(
    words('--segments', '4'),
    {},
    {
      isTTY: true,
      write: (shown) => shown.includes('part 2') && process.emit('SIGINT'),
    },
  );

  expect(text).toMatch(/Stopped after \d of 4 parts; run the command again\.$/);
  expect(process.listenerCount('SIGINT')).toBe(0);
});

it('deletes the sessions of one PHP application', async () => {
  await php.putSession('', { expires: { N: '1' } });
  const text = await deleteExpiredCommand(
    ['--table', TABLE_NAME, '--endpoint', php.emulator.endpoint, '--php', '--session-name', 'PHPSESSID'],
    {},
  );

  expect(text).toContain('Deleted 1 of 1 items read');
  expect(await php.get(`PHPSESSID_${ID}`)).toBeUndefined();
});

it('takes table and attribute names from the environment of a connected function', async () => {
  await putExpired('4');
  const text = await deleteExpiredCommand([], {
    SESSIONGATE_TABLE_NAME: 'sessions',
    SESSIONGATE_ENDPOINT: table.emulator.endpoint,
    SESSIONGATE_SETTINGS: JSON.stringify({ attributeNames: { partitionKey: 'pk', sortKey: 'sk', expiresAt: 'ttl' } }),
  });

  expect(text).toContain('Deleted 1 of 1 items read');
});

it('fails when the table does', async () => {
  await expect(deleteExpiredCommand(words('--table', 'absent'), {})).rejects.toMatchObject({
    code: 'ERR_SESSION_STORE_NOT_FOUND',
  });
});

it.each([
  [['--segments', 'many'], '--segments must be a whole number'],
  [['--margin-seconds', '-1'], '--margin-seconds'],
  [['--session-name', 'A'], '--session-name needs --php'],
  [['--tabel', 'x'], "Unknown option '--tabel'"],
])('refuses %j', async (more, message) => {
  await expect(deleteExpiredCommand(words(...more), {})).rejects.toThrow(UsageError);
  await expect(deleteExpiredCommand(words(...more), {})).rejects.toThrow(message);
});

it('wants a table', async () => {
  await expect(deleteExpiredCommand([], {})).rejects.toThrow('--table is missing');
});

it('shows its usage', async () => {
  expect(await deleteExpiredCommand(['--help'], {})).toMatch(/^sessiongate sessions delete-expired --table/);
});
