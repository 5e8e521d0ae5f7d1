// SPDX-License-Identifier: Apache-2.0
/** The whole stack as `npm start` serves it: the synthesized template, the built functions, real HTTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalStack, startLocalStack } from '../../local/app';
import type { RequestCost } from '../../local/request-meter';

// A machine that stands still for half a second makes the reader ask once more, which is what it is for: then the count is taken again.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const lines: string[] = [];
let stack: LocalStack;
const folder = mkdtempSync(join(tmpdir(), 'sessiongate-data-'));

const startHere = () => startLocalStack({ port: 0, https: false, folder }, { log: (line) => lines.push(line) });

beforeAll(async () => {
  stack = await startHere();
}, 120_000);

afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

async function call(
  method: string,
  path: string,
  { cookie, ...init }: RequestInit & { cookie?: string } = {},
): Promise<{ status: number; body: unknown; setCookie: string | undefined; cost: RequestCost }> {
  const response = await fetch(`${stack.url}${path}`, {
    method,
    ...init,
    headers: { ...(cookie === undefined ? {} : { cookie }), ...init.headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    setCookie: response.headers.getSetCookie()[0],
    cost: JSON.parse(response.headers.get('x-local-cost') ?? 'null'),
  };
}

async function logIn(username: string, cookie?: string): Promise<string> {
  const answer = await call('POST', '/login', {
    ...(cookie === undefined ? {} : { cookie }),
    body: JSON.stringify({ username, password: username }),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(200);
  return answer.setCookie?.split(';')[0] ?? '';
}

it('refuses a request without a cookie, and invokes nothing for it', async () => {
  for (const path of ['/session', '/hello', '/sessions']) {
    const { status, body, cost } = await call('GET', path);

    expect([status, body]).toEqual([401, { message: 'Unauthorized' }]);
    expect(cost).toMatchObject({ invoked: [], readUnits: 0, writeUnits: 0 });
  }
});

it.each(['demo', 'alice'])('lets %s log in, be known, log out and be refused', async (user) => {
  const cookie = await logIn(user);

  const session = await call('GET', '/session', { cookie });
  const hello = await call('GET', '/hello', { cookie });
  const logout = await call('DELETE', '/session', { cookie });
  const after = await call('GET', '/session', { cookie });

  expect([session.status, session.body]).toEqual([200, expect.objectContaining({ user })]);
  expect([hello.status, hello.body]).toEqual([200, { message: `Hello, ${user}!` }]);
  expect(logout.status).toBe(204);
  expect([after.status, after.body]).toEqual([401, { message: 'Unauthorized' }]);
});

it('authorizes with one consistent read, and with none for a malformed or repeated cookie', async () => {
  const cookie = await logIn('demo');

  expect((await call('GET', '/hello', { cookie })).cost).toEqual({
    invoked: ['AuthorizerFunction', 'Hello'],
    operations: [{ operation: 'GetItem', keyKind: 'S#', succeeded: true, requests: 1 }],
    readUnits: 1,
    writeUnits: 0,
    isMeasured: true,
    hasOverlapped: false,
  });
  for (const refused of ['session=short', `${cookie}; ${cookie}`, 'other=1']) {
    const { status, cost } = await call('GET', '/hello', { cookie: refused });
    expect([status, cost.invoked, cost.readUnits]).toEqual([401, ['AuthorizerFunction'], 0]);
  }
});

it('logs in with two writes and three reads', async () => {
  const body = new URLSearchParams({ username: 'demo', password: 'demo' });

  const { status, setCookie, cost } = await call('POST', '/login', { body });

  expect(status).toBe(200);
  // Less the second or two that a login may take.
  expect(setCookie).toMatch(/^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2(592000|5919\d\d)$/);
  expect(cost).toMatchObject({ readUnits: 3, writeUnits: 2 });
});

it('takes JSON that calls itself a form, as curl sends it', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };

  expect((await call('POST', '/login', { body: '{"username":"demo","password":"demo"}', headers })).status).toBe(200);
});

it.each<[string, number, RequestInit]>([
  ['a wrong password', 401, { body: JSON.stringify({ username: 'demo', password: 'wrong' }) }],
  ['an unknown user', 401, { body: JSON.stringify({ username: 'nobody', password: '' }) }],
  ['a user name that cannot be one', 401, { body: JSON.stringify({ username: 'a b', password: 'x' }) }],
  ['no JSON', 400, { body: '{' }],
  ['null', 400, { body: 'null' }],
  ['a number for a password', 400, { body: JSON.stringify({ username: 'demo', password: 1 }) }],
])('gives no cookie for %s', async (_name, status, init) => {
  const answer = await call('POST', '/login', init);

  expect([answer.status, answer.setCookie]).toEqual([status, undefined]);
});

it('ends the session that a new login replaces', async () => {
  const first = await logIn('demo');
  const second = await logIn('alice', first);

  expect((await call('GET', '/session', { cookie: first })).status).toBe(401);
  expect((await call('GET', '/session', { cookie: second })).body).toMatchObject({ user: 'alice' });
});

it('refuses a page of another site, before any read', async () => {
  const cookie = await logIn('demo');

  const { status, cost } = await call('DELETE', '/session', {
    cookie,
    headers: { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' },
  });

  expect([status, cost.readUnits]).toEqual([401, 0]);
  expect((await call('GET', '/session', { cookie })).status).toBe(200);
});

it('answers requests at once, and says so where it cannot tell their cost apart', async () => {
  const cookie = await logIn('demo');

  const answers = await Promise.all(Array.from({ length: 8 }, () => call('GET', '/hello', { cookie })));

  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(answers.some(({ cost }) => cost.hasOverlapped)).toBe(true);
});

it('says in a few words what it cost to sign out of many sessions', async () => {
  const cookies: string[] = [];
  for (let index = 0; index < 20; index += 1) cookies.push(await logIn('alice'));

  const { status, cost } = await call('DELETE', '/sessions', { cookie: cookies[0] ?? '' });

  expect(status).toBe(200);
  expect(cost.writeUnits).toBeGreaterThanOrEqual(40);
  expect(cost.operations.length).toBeLessThan(10);
  for (const cookie of cookies) expect((await call('GET', '/session', { cookie })).status).toBe(401);
}, 60_000);

it('answers an unknown route without asking anyone', async () => {
  expect(await call('GET', '/nowhere')).toMatchObject({ status: 404, cost: { invoked: [] } });
});

it('logs nobody out when it restarts, and writes no token to its log', async () => {
  const cookie = await logIn('alice');

  await stack.close();
  stack = await startHere();

  expect((await call('GET', '/session', { cookie })).body).toMatchObject({ user: 'alice' });
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('\n')).not.toContain(cookie.replace('session=', ''));
}, 120_000);
