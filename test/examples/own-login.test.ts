// SPDX-License-Identifier: Apache-2.0
/** The login handler of the example, on the emulated table. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createSessions } from '../../lambda/session';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

let table: EmulatedTable;
let login: (event: APIGatewayProxyEvent) => Promise<unknown>;
beforeAll(async () => {
  table = await startEmulatedTable();
  Object.assign(process.env, {
    SESSIONGATE_TABLE_NAME: 'sessions',
    SESSIONGATE_SETTINGS: '{}',
    SESSIONGATE_ENDPOINT: table.emulator.endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  login = require('../../examples/own-login/login-handler').handler;
});
afterAll(() => table.close());

function loginEvent(credentials: object, headers: Record<string, string> = {}): APIGatewayProxyEvent {
  const multiValueHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  return {
    resource: '/login',
    path: '/login',
    httpMethod: 'POST',
    headers,
    multiValueHeaders,
    requestContext: { domainName: 'api.example.com' },
    body: JSON.stringify(credentials),
  } as unknown as APIGatewayProxyEvent;
}

const alice = { username: 'alice', password: 'correct horse battery staple' };

test('the right password gives a cookie with a session of the user', async () => {
  const response = (await login(loginEvent(alice))) as { statusCode: number };

  expect(response.statusCode).toBe(204);
  const cookie = /__Host-session=[\w-]{43}/.exec(JSON.stringify(response))?.[0] ?? '';
  await expect(createSessions({ store: table.store }).read(cookie)).resolves.toMatchObject({
    user: 'alice',
    claims: { role: 'admin' },
  });
});

test.each([
  ['a wrong password', { ...alice, password: 'guess' }],
  ['a user who does not exist', { ...alice, username: 'mallory' }],
  ['nothing', {}],
])('%s gives no cookie', async (_name, credentials) => {
  const response = await login(loginEvent(credentials));

  expect(response).toMatchObject({ statusCode: 401 });
  expect(JSON.stringify(response)).not.toContain('__Host-session=');
});

test('a page of another site cannot log its visitor in', async () => {
  const response = await login(
    loginEvent(alice, { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://attacker.example' }),
  );

  expect(response).toMatchObject({ statusCode: 403 });
});
