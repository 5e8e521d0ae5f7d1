// SPDX-License-Identifier: Apache-2.0
/** PHP itself, where it is installed: the judge of what is read and written here. */
import { execFile, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Absent: the tests that need PHP are left out, and say so. */
const hasPhp = spawnSync('php', ['--version']).status === 0;

/** `describe` where PHP is installed; elsewhere a notice takes its place. */
export function describeWithPhp(name: string, tests: () => void): void {
  if (hasPhp) describe(name, tests);
  else
    describe(name, () => {
      it('is left out: php is not installed (Debian: php-cli)', () => {
        console.warn(`left out, because php is not installed: ${name}`);
      });
    });
}

/** Runs code that reads JSON from `$in` and prints JSON; sessions are kept nowhere. */
export function runPhp(code: string, input: unknown): unknown {
  const script = `
    ini_set('serialize_precision', '-1');
    ini_set('session.use_cookies', '0');
    ini_set('session.cache_limiter', '');
    session_set_save_handler(new class implements SessionHandlerInterface {
      public function open($path, $name): bool { return true; }
      public function close(): bool { return true; }
      public function read($id): string { return ''; }
      public function write($id, $data): bool { return true; }
      public function destroy($id): bool { return true; }
      public function gc($max): int { return 0; }
    });
    $in = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
    ${code}`;
  const ran: SpawnSyncReturns<string> = spawnSync('php', ['-d', 'display_errors=stderr', '-r', script], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (ran.status !== 0 || ran.stderr !== '') throw new Error(`php failed: ${ran.stderr}${ran.stdout}`);
  return JSON.parse(ran.stdout);
}

export interface PhpPage {
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** Runs a PHP application's page within its session; the emulator goes on answering meanwhile. */
export function runPhpPage(input: {
  readonly endpoint: string;
  readonly table: string;
  readonly name: string;
  /** Absent: PHP makes one. */
  readonly id?: string;
  readonly format?: string;
  readonly code: string;
}): Promise<PhpPage> {
  return new Promise((resolve, reject) => {
    const script = join(__dirname, 'dynamodb-session.php');
    const child = execFile('php', ['-d', 'display_errors=stderr', script], (error, stdout, stderr) => {
      if (error !== null || stderr !== '') reject(new Error(`php failed: ${stderr}${stdout}`, { cause: error }));
      else resolve(JSON.parse(stdout));
    });
    child.stdin?.end(JSON.stringify({ ...input, id: input.id ?? null }));
  });
}
