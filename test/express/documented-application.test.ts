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
  const { sessions, cookie } = fixture();
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

  function post(body: string): Promise<Response> {
    return fetch(`${url}/login`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  }
  function login(password: string): Promise<Response> {
    return post(JSON.stringify({ username: 'alice', password }));
  }
  async function userOf(cookie: string): Promise<unknown> {
    return ((await (await fetch(`${url}/me`, { headers: { Cookie: cookie } })).json()) as { user: unknown }).user;
  }

  test('logs in and out', async () => {
    const answer = await login('correct horse');
    const handedOut = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

    expect(answer.status).toBe(204);
    expect(await userOf(handedOut)).toBe('alice');
    expect(await sessions.read(handedOut)).toMatchObject({ user: 'alice' });

    const logout = await fetch(`${url}/logout`, { method: 'POST', headers: { Cookie: handedOut } });
    expect(logout.headers.getSetCookie()).toEqual([sessions.clearCookie]);
    expect(await userOf(handedOut)).toBeNull();
  });

  test.each([
    ['a wrong password', '{"username":"alice","password":"wrong"}'],
    ['no password', '{"username":"alice"}'],
    ['no username', '{}'],
    ['a username that is no user’s id', '{"username":"alice and bob","password":"correct horse"}'],
    ['a username that is no text', '{"username":{"id":1},"password":"correct horse"}'],
    ['an empty body', ''],
  ])('answers 401 to %s, without a cookie', async (_, body) => {
    const answer = await post(body);

    expect(answer.status).toBe(401);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('answers 403 to a user who is disabled, without a cookie', async () => {
    await sessions.disable('alice');
    const answer = await login('correct horse');
    await sessions.enable('alice');

    expect(answer.status).toBe(403);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('knows whoever logged in elsewhere, and logs out there, too', async () => {
    const { token } = await sessions.create({ user: 'bob' });

    expect(await userOf(cookie(token))).toBe('bob');

    await fetch(`${url}/logout`, { method: 'POST', headers: { Cookie: cookie(token) } });
    expect(await sessions.read(cookie(token))).toBeNull();
  });
});
