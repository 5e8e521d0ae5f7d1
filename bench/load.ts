// SPDX-License-Identifier: Apache-2.0
/** The whole local stack under load: gateway, authorizer, table and handler on one machine. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
  readonly requests: number;
  /** Anything but a 200 in time. */
  readonly failures: number;
}

const root = join(__dirname, '..');
const AUTOCANNON = join(__dirname, 'node_modules/autocannon/autocannon.js');

export async function measureLoad(seconds: number, connections: number): Promise<LoadResult> {
  const stack = spawn(process.execPath, ['--import', 'tsx', 'local/main.ts', '--memory'], {
    cwd: root,
    env: { ...process.env, PORT: '0', npm_lifecycle_event: undefined },
    // Its log, a line for each request, would bury the result.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const url = await served(stack);
    const cookie = await logIn(url);
    const run = promisify(execFile);
    const { stdout } = await run(
      process.execPath,
      [
        AUTOCANNON,
        '--json',
        '-d',
        String(seconds),
        '-c',
        String(connections),
        '-H',
        `Cookie=${cookie}`,
        `${url}/hello`,
      ],
      { maxBuffer: 10_000_000 },
    );
    const result = JSON.parse(stdout);
    return {
      requestsPerSecond: result.requests.average,
      p50Millis: result.latency.p50,
      p99Millis: result.latency.p99,
      requests: result.requests.total,
      failures: result.errors + result.timeouts + result.non2xx,
    };
  } finally {
    stack.kill('SIGTERM');
    await once(stack, 'exit');
  }
}

/** The stack says in its last line, with the URL, that it serves. */
async function served(stack: ChildProcess): Promise<string> {
  if (stack.stdout === null) throw new Error('the local stack has no output');
  for await (const line of createInterface({ input: stack.stdout })) {
    const url = /^serving on (\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    stack.stdout.resume();
    return url.replace(/\/$/, '');
  }
  throw new Error('the local stack ended before it served');
}

async function logIn(url: string): Promise<string> {
  const response = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'alice', password: 'alice' }),
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (!response.ok || cookie === undefined) throw new Error(`login failed with ${response.status}`);
  return cookie;
}
