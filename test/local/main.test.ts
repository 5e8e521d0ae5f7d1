// SPDX-License-Identifier: Apache-2.0
/** `npm start` as a process: what it prints, how it fails, how it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataFolder } from '../../local/data-folder';

const running: ChildProcess[] = [];

afterEach(() => {
  for (const { pid } of running.splice(0)) killGroup(pid);
});

/** With the children of a shell; there is no such group any more where all ended. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function start(args: readonly string[], variables: Record<string, string> = {}, shell?: 'sh') {
  const command = [process.execPath, '--import', 'tsx', 'local/main.ts', ...args];
  // Two commands, so that the shell stays and the stack is its child.
  const [file = '', ...rest] = shell === undefined ? command : [shell, '-c', `${command.join(' ')}; true`];
  const child = spawn(file, rest, {
    detached: true,
    cwd: join(__dirname, '../..'),
    env: { PATH: process.env.PATH, PORT: '0', ...variables },
  });
  running.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output }));
  const served = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const url = /^serving on (\S+)\n/m.exec(output.stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
    ended.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)));
  });
  served.catch(() => {});
  return { child, ended, served };
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  'says in its last line where it serves, and ends cleanly on %s',
  async (signal) => {
    const { child, ended, served } = start(['--memory']);

    const url = await served;
    expect((await fetch(`${url}/session`)).status).toBe(401);
    child.kill(signal);

    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`serving on ${url}`);
    expect(stderr).toMatch(/^GET \/session 401 {2}no function invoked {2}0 read, 0 written\n$/);
  },
  60_000,
);

it('ends with the shell of npm, which does not pass SIGTERM on', async () => {
  const { child, ended, served } = start(['--memory'], { npm_lifecycle_event: 'start' }, 'sh');
  const url = await served;

  child.kill('SIGTERM');
  await ended;

  await expect(fetch(url)).rejects.toThrow();
}, 60_000);

describe('ends with one sentence and no stack trace', () => {
  async function expectRefusal(args: readonly string[], variables: Record<string, string>, sentence: RegExp) {
    const { code, stdout, stderr } = await start(args, variables).ended;

    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(sentence)]);
  }

  it('for an unknown argument', () => expectRefusal(['--htps'], {}, /^the argument --htps is not known/), 60_000);

  it('for a port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const PORT = String((server.address() as AddressInfo).port);

    await expectRefusal(['--memory'], { PORT }, new RegExp(`^port ${PORT} is in use; .* PORT `));

    server.close();
  }, 60_000);

  it('for a DYNAMODB_ENDPOINT where nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const DYNAMODB_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.close();
    await once(server, 'close');

    await expectRefusal([], { DYNAMODB_ENDPOINT }, /^DYNAMODB_ENDPOINT http:\S+ does not answer .*ECONNREFUSED/);
  }, 60_000);

  it('for a DYNAMODB_ENDPOINT that is something else', async () => {
    const server = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const DYNAMODB_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    await expectRefusal([], { DYNAMODB_ENDPOINT }, /^DYNAMODB_ENDPOINT http:\S+ does not answer as a DynamoDB/);

    server.close();
    server.closeAllConnections();
  }, 60_000);
});

it('shows its options with --help', async () => {
  const { code, stdout } = await start(['--help']).ended;

  expect(code).toBe(0);
  for (const option of ['--https', '--memory', 'PORT', 'DYNAMODB_ENDPOINT', 'DYNAMODB_TABLE'])
    expect(stdout).toContain(option);
}, 60_000);

describe('the data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sessiongate-folder-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['of another version', 'version.json', '{"version":2}', /has data of version 2.* reads version 1; move it away/],
    ['whose version cannot be read', 'version.json', 'x', /has data of an unknown version/],
    ['that is not its own', 'letters.txt', 'dear', /has data of an unknown version/],
  ])('is refused and left as it is: one %s', (_name, file, content, message) => {
    const other = mkdtempSync(join(folder, 'other-'));
    writeFileSync(join(other, file), content);

    expect(() => openDataFolder(other)).toThrow(
      expect.objectContaining({ name: 'StartError', message: expect.stringMatching(message) }),
    );
    expect(() => openDataFolder(other)).toThrow(other);
    expect(readdirSync(other)).toEqual([file]);
    expect(readFileSync(join(other, file), 'utf8')).toBe(content);
  });

  it('is created, and opened again', () => {
    const fresh = join(folder, 'fresh', 'data');

    openDataFolder(fresh);
    openDataFolder(fresh);

    expect(readdirSync(fresh)).toEqual(['version.json']);
  });
});
