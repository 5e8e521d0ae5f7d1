// SPDX-License-Identifier: Apache-2.0
/**
 * The real CDK command against an emulated AWS (moto, a Python program, where it is installed): bootstrap, assets, Lambda and
 * IAM go through. It knows neither the table's type nor authorizers; the template tests speak of those.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');
const hasMoto = spawnSync('python3', ['-c', 'import moto.server']).status === 0;
if (!hasMoto) console.info('deploy: not run, moto is not installed for python3');

(hasMoto ? describe : describe.skip)('npx cdk against an emulated AWS', () => {
  const home = mkdtempSync(join(tmpdir(), 'sessiongate-deploy-'));
  let server: ChildProcess;
  let endpoint: string;

  beforeAll(async () => {
    const port = await freePort();
    // Its CloudFormation reads a template from its own S3 only under this name.
    endpoint = `http://localhost:${port}`;
    server = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    await untilAnswering(endpoint, server);
    await cdk('bootstrap', 'aws://123456789012/us-east-1');
    const app = `npx tsx ${join(__dirname, 'app.ts')}`;
    await cdk('deploy', '--app', app, '--output', join(home, 'cdk.out'), '--require-approval', 'never');
  }, 300_000);
  afterAll(async () => {
    server.kill();
    await once(server, 'exit');
    rmSync(home, { recursive: true, force: true });
  });

  async function cdk(...words: string[]): Promise<void> {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      CI: 'true',
      CDK_VALIDATION: 'false',
      CDK_DISABLE_VERSION_CHECK: 'true',
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    };
    await promisify(execFile)('npx', ['cdk', ...words, '--no-notices'], { cwd: root, env });
  }

  /** The emulator tells services apart by the scope of the credentials, and checks no signature. */
  async function ask(service: string, path: string, form?: Record<string, string>): Promise<string> {
    const authorization = `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`;
    const body = form === undefined ? undefined : new URLSearchParams({ ...form, Version: '2010-05-08' });
    const response = await fetch(`${endpoint}${path}`, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { authorization },
      body,
    });
    return response.text();
  }

  test('the function stands, with its runtime and its variables', async () => {
    const { Functions } = JSON.parse(await ask('lambda', '/2015-03-31/functions/'));

    expect(Functions).toHaveLength(1);
    expect(Functions[0]).toMatchObject({
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Environment: { Variables: { SESSIONGATE_TABLE_NAME: 'sessions' } },
    });
  });

  test('its role may read session items and nothing more of the table', async () => {
    const roles = await ask('iam', '/', { Action: 'ListRoles' });
    const RoleName = /<RoleName>(Deployed-[^<]+)</.exec(roles)?.[1] ?? '';
    const names = await ask('iam', '/', { Action: 'ListRolePolicies', RoleName });
    const PolicyName = /<member>([^<]+)</.exec(names)?.[1] ?? '';
    const policy = await ask('iam', '/', { Action: 'GetRolePolicy', RoleName, PolicyName });

    const { Statement } = JSON.parse(decodeURIComponent(/<PolicyDocument>([^<]+)</.exec(policy)?.[1] ?? ''));
    const onTable = Statement.filter(({ Resource }: { Resource: string }) => Resource.includes(':dynamodb:'));
    expect(onTable).toEqual([
      {
        Effect: 'Allow',
        Action: 'dynamodb:GetItem',
        Resource: 'arn:aws:dynamodb:us-east-1:123456789012:table/sessions',
        Condition: expect.objectContaining({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['S#*'] } }),
      },
    ]);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

async function untilAnswering(url: string, server: ChildProcess): Promise<void> {
  while (server.exitCode === null) {
    const answer = await fetch(`${url}/moto-api/data.json`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the emulated AWS ended before it answered');
}
