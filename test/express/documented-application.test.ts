// SPDX-License-Identifier: Apache-2.0
/** The application of docs/express.md stands there as it was tried here. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fixture } from '../session/fixtures';
import { createApplication } from './documented-application';

test('docs/express.md shows the application as it is', () => {
  const document = readFileSync(join(__dirname, '../../docs/express.md'), 'utf8');
  const [, ...source] = readFileSync(join(__dirname, 'documented-application.ts'), 'utf8').split(/(?<=\*\/\n)/);

  expect(/```ts\n(.*?)```/s.exec(document)?.[1]).toBe(source.join(''));
});

describe('the application', () => {
  const { sessions } = fixture();
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = await new Promise<Server>((resolve) => {
      const listening = createApplication(sessions).listen(0, '127.0.0.1', () => resolve(listening));
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function login(password: string): Promise<Response> {
    return fetch(`${url}/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'alice', password }),
    });
  }
  async function userOf(cookie: string): Promise<unknown> {
    return ((await (await fetch(`${url}/me`, { headers: { Cookie: cookie } })).json()) as { user: unknown }).user;
  }

  test('logs in and out', async () => {
    const answer = await login('correct horse');
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

    expect(answer.status).toBe(204);
    expect(await userOf(cookie)).toBe('alice');
    expect(await sessions.read(cookie)).toMatchObject({ user: 'alice' });

    const logout = await fetch(`${url}/logout`, { method: 'POST', headers: { Cookie: cookie } });
    expect(logout.headers.getSetCookie()).toEqual([sessions.clearCookie]);
    expect(await userOf(cookie)).toBeNull();
  });

  test('sets no cookie for a wrong password', async () => {
    const answer = await login('wrong');

    expect(answer.status).toBe(401);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });
});
