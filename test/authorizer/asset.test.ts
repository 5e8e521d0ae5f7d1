// SPDX-License-Identifier: Apache-2.0
/** The authorizer as it is shipped: one small module without the SDK, run in a process of its own against the emulator. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Item, ItemKey } from '../../lambda/session/store';
import { generateSessionToken } from '../../lambda/session/token';
import { resolveSettings, type SessionSettingsInput } from '../../lambda/settings';
import { isDenied, sessionItem } from '../corpus/authorize';
import { ALLOWED_ORIGIN, COOKIE_NAME, corpusLines, EVIL, TOKEN, USER } from '../corpus/corpus';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

// A machine that stands still for half a second makes the reader ask once more, which is what it is for: then the count is taken again.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const FOLDER = join(__dirname, '../../dist/assets/authorizer');
const FILE = join(FOLDER, 'index.mjs');
const LIMIT_BYTES = 16 * 1024;

interface Outcome {
  readonly result?: Parameters<typeof isDenied>[0];
  readonly error?: string;
}

let table: EmulatedTable;
beforeAll(async () => {
  if (!existsSync(FILE)) throw new Error('build the assets first: npm run build:assets');
  table = await startEmulatedTable();
  const now = Math.floor(Date.now() / 1000);
  for (const [token, user] of [
    [TOKEN, USER],
    [EVIL, 'attacker'],
  ] as const)
    await table.store.put({
      ...sessionItem(token, user),
      created_at: { N: String(now - 100) },
      expires_at: { N: String(now + 36_000) },
    });
});
afterAll(() => table.close());

/** Runs the asset on the events; what it said beside the outcomes is its log. */
async function run(
  events: readonly unknown[],
  changes: Record<string, string | undefined> = {},
): Promise<{ outcomes: Outcome[]; log: string }> {
  const child = spawn(process.execPath, [join(__dirname, 'asset-process.mjs'), pathToFileURL(FILE).href], {
    env: {
      PATH: process.env.PATH,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      SESSIONGATE_TABLE_NAME: 'sessions',
      SESSIONGATE_SETTINGS: JSON.stringify(
        resolveSettings({ cookieName: COOKIE_NAME, allowedOrigins: [ALLOWED_ORIGIN] }),
      ),
      SESSIONGATE_ENDPOINT: table.emulator.endpoint,
      ...changes,
    },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  child.stdin.end(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  await new Promise((resolve) => child.on('close', resolve));
  const lines = output.split('\n');
  return {
    outcomes: lines.filter((line) => line.startsWith('outcome ')).map((line) => JSON.parse(line.slice(8))),
    log: lines.filter((line) => !line.startsWith('outcome ')).join('\n'),
  };
}

function restEvent(cookie: unknown): unknown {
  return {
    type: 'REQUEST',
    methodArn: 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/GET/me',
    httpMethod: 'GET',
    headers: { Cookie: cookie },
  };
}

function verdictOf({ result, error }: Outcome): string {
  if (error !== undefined) return 'error500';
  if (isDenied(result)) return 'refused';
  return result !== undefined && 'principalId' in result && result.principalId === USER ? 'allow' : 'wrong user';
}

it(`is one file of at most ${LIMIT_BYTES} bytes`, () => {
  expect(readdirSync(FOLDER)).toEqual(['index.mjs']);
  expect(readFileSync(FILE).length).toBeLessThanOrEqual(LIMIT_BYTES);
});

it('has no SDK and no import in it, and takes what it needs of Node without loading the rest', () => {
  const code = readFileSync(FILE, 'utf8');

  expect(code).not.toMatch(/aws-sdk|smithy|fast-xml-parser/);
  expect(code).not.toMatch(/\bimport\b/);
  expect(code).not.toMatch(/\brequire\(/);
  expect(code).not.toMatch(/\bfetch\(/);
  expect(code).toContain('process.getBuiltinModule');
});

it('gives every event and cookie of the corpus its outcome, says nothing of tokens, and reads what it must', async () => {
  const lines = [
    ...corpusLines('event', ({ input }) => input.fn === 'authorize' && input.ddb === undefined),
    ...corpusLines('cookie-header').map((line) => ({ ...line, input: { event: restEvent(line.input) } })),
  ];
  table.emulator.resetCounts();

  const { outcomes, log } = await run(lines.map(({ input }) => input.event));

  const expected = lines.map(({ id, expect: outcome }) => [
    id,
    outcome === 'deny' || outcome === 'no-read' ? 'refused' : outcome,
  ]);
  expect(outcomes.map((outcome, index) => [lines[index]?.id, verdictOf(outcome)])).toEqual(expected);
  // One for each that may be read for, and one to warm up.
  const readable = lines.filter(({ expect: outcome }) => outcome === 'allow' || outcome === 'deny').length;
  const { operations } = table.emulator.counts();
  expect(Object.keys(operations)).toEqual(['GetItem']);
  expect(operations.GetItem?.requests).toBeLessThanOrEqual(readable + 1);
  for (const secret of [TOKEN, EVIL])
    for (let start = 0; start + 8 <= secret.length; start++) expect(log).not.toContain(secret.slice(start, start + 8));
});

it('connects while it starts, by one read, before any event', async () => {
  table.emulator.resetCounts();

  await run([]);
  expect(table.emulator.counts().operations.GetItem).toMatchObject({ requests: 1, readUnits: 1 });
});

it('starts without a word where the table cannot be reached, and fails the request', async () => {
  const { outcomes, log } = await run([restEvent(`${COOKIE_NAME}=${TOKEN}`), restEvent('a=1')], {
    SESSIONGATE_ENDPOINT: 'http://127.0.0.1:1',
  });

  expect(outcomes[0]?.error).toMatch(/^SessionStoreError: table sessions could not be reached/);
  expect(verdictOf(outcomes[1] ?? {})).toBe('refused');
  expect(log.split('\n').filter((line) => line.includes('SessionStoreError'))).toHaveLength(1);
});

it('fails each request by name while a variable is missing', async () => {
  const { outcomes, log } = await run([restEvent('a=1'), restEvent('a=1')], { SESSIONGATE_SETTINGS: undefined });

  for (const { error } of outcomes) expect(error).toMatch(/^ConfigurationError: .*SESSIONGATE_SETTINGS/);
  expect(outcomes).toHaveLength(2);
  expect(log.match(/SESSIONGATE_SETTINGS/g)).toHaveLength(2);
});

/** Settings as the constructs write them, and a session of now, for what only some deployments ask for. */
function settings(input: SessionSettingsInput): Record<string, string> {
  const complete = resolveSettings({ cookieName: COOKIE_NAME, allowedOrigins: [ALLOWED_ORIGIN], ...input });
  return { SESSIONGATE_SETTINGS: JSON.stringify(complete) };
}

async function putSession(
  attributes: Record<string, { S: string } | { N: string }>,
): Promise<{ cookie: string; key: ItemKey }> {
  const token = generateSessionToken();
  const now = Math.floor(Date.now() / 1000);
  const times = { created_at: { N: String(now - 1000) }, expires_at: { N: String(now + 600) } };
  const item: Item = { ...sessionItem(token, USER), ...times, issued_at: { N: String(now - 1000) }, ...attributes };
  await table.store.put(item);
  return { cookie: `${COOKIE_NAME}=${token}`, key: { partitionKey: item.PK?.S ?? '', sortKey: 'S#' } };
}

it('slides the idle timeout, once per interval', async () => {
  const { cookie, key } = await putSession({});
  const before = await table.store.get(key);

  table.emulator.resetCounts();

  const { outcomes } = await run(
    [restEvent(cookie), restEvent(cookie), restEvent(cookie)],
    settings({ idleTimeoutSeconds: 5000 }),
  );

  expect(outcomes.map(verdictOf)).toEqual(['allow', 'allow', 'allow']);
  const after = await table.store.get(key);
  expect(Number(after?.expires_at?.N)).toBeGreaterThan(Number(before?.expires_at?.N));
  expect(after).toMatchObject({ renewed_at: { N: expect.any(String) } });
  expect(table.emulator.counts().operations.UpdateItem?.requests).toBe(1);
});

it.each([
  ['is moved', '9999999999', 'refused'],
  ['stands before the login', '1', 'allow'],
])('heeds a line that %s in the user record', async (_, line, verdict) => {
  const user = { user_pk: { S: `U#${line}` }, user_sk: { S: 'PROFILE' } };
  await table.store.put({ PK: user.user_pk, SK: user.user_sk, valid_after: { N: line } });
  const { cookie } = await putSession(user);

  const { outcomes } = await run([restEvent(cookie)], settings({ userRecordAttribute: 'valid_after' }));

  expect(outcomes.map(verdictOf)).toEqual([verdict]);
});

it('refuses by the error that API Gateway knows, where it is told to', async () => {
  const { outcomes, log } = await run([restEvent('a=1')], { SESSIONGATE_DENY: 'throw' });

  expect(outcomes).toEqual([{ error: 'Error: Unauthorized' }]);
  expect(log).not.toContain('Unauthorized');
});

it('checks origins in the strict profile, against the origins of the API that it was told', async () => {
  const { cookie } = await putSession({});
  const from = (origin: string) => ({
    ...(restEvent(cookie) as object),
    httpMethod: 'POST',
    headers: { Cookie: cookie, Origin: origin },
  });

  const { outcomes } = await run(
    [from('https://id.example.com'), from(ALLOWED_ORIGIN), from('https://attacker.example'), restEvent(cookie)],
    { ...settings({ csrf: 'strict' }), SESSIONGATE_API_ORIGINS: '["https://id.example.com"]' },
  );

  expect(outcomes.map(verdictOf)).toEqual(['allow', 'allow', 'refused', 'allow']);
});

it('finds sessions under its epoch only', async () => {
  const { cookie, key } = await putSession({});
  const session = await table.store.get(key);
  const epochKey = key.partitionKey.replace('S#', 'S#two#');
  await table.store.put({ ...session, PK: { S: epochKey } });

  const { outcomes } = await run([restEvent(cookie)], settings({ epoch: 'two' }));
  const other = await run([restEvent(cookie)], settings({ epoch: 'three' }));

  expect(outcomes.map(verdictOf)).toEqual(['allow']);
  expect(other.outcomes.map(verdictOf)).toEqual(['refused']);
});

it('hands on claims, and reports a refusal by its reason', async () => {
  const claims = { M: { role: { S: 'admin' } } } as never;
  const { cookie } = await putSession({ claims });

  const { outcomes, log } = await run([restEvent(cookie), restEvent('a=1')]);

  expect(outcomes[0]?.result).toMatchObject({ context: { role: 'admin', user: USER, sessionId: expect.any(String) } });
  expect(JSON.parse(log)).toMatchObject({ Reason: 'cookieMissing', Denied: 1 });
});
