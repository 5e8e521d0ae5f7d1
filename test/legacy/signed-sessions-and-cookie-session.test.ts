// SPDX-License-Identifier: Apache-2.0
/** Signed sessions with the real cookie-session on the other side: each reads what the other wrote. */
import express from 'express';
import { NOW } from '../session/fixtures';
import { cookieSessionOf } from './express-app';
import { signedWorld as world } from './signed-world';

const NAME = '__Host-signed';

async function serve(handler: (session: Record<string, unknown>) => unknown) {
  const app = express();
  app.use(cookieSessionOf(['k1'], 'sha256', NAME));
  app.get('/', (request, response) => {
    response.json(handler((request as unknown as { session: Record<string, unknown> }).session));
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

it('is read by it', async () => {
  const { browser, login } = world();
  await login({ cart: ['x'] });
  const app = await serve((session) => session);

  expect(await browser.visit(app.url)).toMatchObject({ user: 'alice', iat: NOW, cart: ['x'] });
  app.close();
});

it('reads what it wrote, if the dates are inside', async () => {
  const { browser, read } = world();
  const app = await serve((session) => Object.assign(session, { user: 'bob', iat: NOW, exp: NOW + 60, cart: ['z'] }));
  await browser.visit(app.url);
  app.close();

  expect(await read()).toMatchObject({ user: 'bob', data: { cart: ['z'] } });
});

it('tells logins apart that have no id, and keeps theirs while their data and end change', async () => {
  const { browser, read, signed } = world();
  const idAfter = async (changes: object) => {
    const app = await serve((session) => Object.assign(session, { user: 'bob', iat: NOW, exp: NOW + 60 }, changes));
    await browser.visit(app.url);
    app.close();
    return (await read())?.id;
  };

  const id = await idAfter({});

  expect(id).toMatch(/^[\w-]{22}$/);
  expect(await idAfter({ cart: ['z'], exp: NOW + 90 })).toBe(id);
  expect(await idAfter({ iat: NOW - 1 })).not.toBe(id);
  expect(await idAfter({ user: 'carol' })).not.toBe(id);
  expect(await idAfter({ id: '' })).toBe(id);
  expect(await idAfter({ id: 'own' })).toBe('own');

  const session = await read();
  if (session === null) throw new Error('the session is there');
  browser.take(await signed.write(session));
  expect((await read())?.id).toBe('own');
});

it('does not read what it wrote without dates', async () => {
  const { browser, read } = world();
  const app = await serve((session) => Object.assign(session, { user: 'bob' }));
  await browser.visit(app.url);
  app.close();

  expect(await read()).toBeNull();
});
