// SPDX-License-Identifier: Apache-2.0
/** One login for an Express application and an API behind the authorizer, on a table in the emulator. */
import { type AuthorizerPolicy, createAuthorizer, createSdkSessionReader } from '../../lambda/authorizer';
import { SessiongateStore } from '../../lambda/express';
import { createSessions } from '../../lambda/session/create-sessions';
import { restEvent } from '../authorizer/set-up';
import { CLIENT_DEFAULTS, type EmulatedTable, startEmulatedTable } from '../session/emulated-table';
import { type Application, startApplication } from './application';
import { Browser } from './browser';

let table: EmulatedTable;
const applications: Application[] = [];
beforeEach(async () => {
  table = await startEmulatedTable();
});
afterEach(async () => {
  for (const application of applications.splice(0)) await application.close();
  await table.close();
});

function sessionsOfTable() {
  return createSessions({ store: table.store });
}

async function start(): Promise<Application> {
  const store = new SessiongateStore({
    sessions: sessionsOfTable(),
    user: (data) => data.userId,
    login: (data) => ({ claims: { plan: `plan of ${data.userId}` } }),
  });
  const application = await startApplication(store.middleware());
  applications.push(application);
  return application;
}

/** The API's authorizer, asked with the browser's cookies: who it lets in, with which claims. */
async function ask(
  browser: Browser,
): Promise<{ readonly effect: unknown; readonly user: unknown; readonly plan: unknown }> {
  const { cookieName } = sessionsOfTable().settings;
  const reader = createSdkSessionReader({
    tableName: 'sessions',
    attributeNames: table.store.attributeNames,
    endpoint: table.emulator.endpoint,
    client: CLIENT_DEFAULTS,
  });
  const authorize = createAuthorizer({ reader }, { cookieName });
  const answer = (await authorize(restEvent({ cookie: browser.cookieHeader }))) as AuthorizerPolicy;
  return { effect: answer.policyDocument.Statement[0]?.Effect, user: answer.principalId, plan: answer.context?.plan };
}

test('whoever logged in with Express is let in by the authorizer, until the logout', async () => {
  const browser = new Browser(await start());
  await browser.get('/visit');
  expect(await ask(browser)).toMatchObject({ effect: 'Deny' });

  await browser.get('/login?user=alice');
  const thief = browser.copy();
  expect(await ask(browser)).toEqual({ effect: 'Allow', user: 'alice', plan: 'plan of alice' });

  await browser.get('/logout');
  expect(await ask(thief)).toMatchObject({ effect: 'Deny' });
});

test('a login that another handler made is Express’s too, saves included, and goes on after a rotation there', async () => {
  const browser = new Browser(await start());
  const sessions = sessionsOfTable();
  browser.take([(await sessions.create({ user: 'alice', data: { userId: 'alice' } })).setCookie]);

  expect((await browser.get('/visit')).body).toEqual({ visits: 1 });
  const current = await sessions.read(browser.cookieHeader);
  const rotated = current && (await sessions.rotate(current));
  browser.take([rotated?.setCookie ?? '']);

  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice', visits: 1 });
  expect(await ask(browser)).toMatchObject({ effect: 'Allow', user: 'alice' });
});

test('a login of another handler whose data names nobody outlives a save of Express', async () => {
  const browser = new Browser(await start());
  browser.take([(await sessionsOfTable().create({ user: 'alice' })).setCookie]);

  await browser.get('/visit');

  expect(await ask(browser)).toMatchObject({ effect: 'Allow', user: 'alice' });
});

test('a log-out-everywhere ends both', async () => {
  const browser = new Browser(await start());
  await browser.get('/login?user=alice');

  await sessionsOfTable().revokeAll('alice');

  expect((await browser.get('/me')).body).toMatchObject({ user: null });
  expect(await ask(browser)).toMatchObject({ effect: 'Deny' });
});

test('a restart logs nobody out', async () => {
  const before = await start();
  const browser = new Browser(before);
  await browser.get('/login?user=alice');
  await before.close();

  const after = new Browser(await start());
  after.take([`__Host-session=${browser.cookies.get('__Host-session')}`]);

  expect((await after.get('/me')).body).toMatchObject({ user: 'alice' });
});
