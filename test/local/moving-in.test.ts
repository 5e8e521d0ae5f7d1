// SPDX-License-Identifier: Apache-2.0
/**
 * The recipe of docs/migration-express.md from the stack to the browser: a REST API as it is synthesized, the assets and the
 * package as they are shipped, and an application on the real express-session beside them.
 */
import { join } from 'node:path';
import { LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import {
  ExpressStorePackage,
  LegacyMode,
  LegacySessions,
  SessionApi,
  SessionAuthorizerFunction,
  SessionTable,
} from '../../lib';
import { createRestGateway } from '../../local/gateway/rest/create-rest-gateway';
import { readRestApis } from '../../local/gateway/rest/rest-api';
import { serve } from '../../local/gateway/serve';
import {
  Browser,
  connectDynamoDbStore,
  expressSession,
  type OldApplication,
  startOldApplication,
} from '../legacy/express-app';
import { type OwnStack, startOwnStack } from './support/own-stack';
import { startParameterStore } from './support/parameter-store';
import { send } from './support/send';

const OLD_TABLE = 'old-sessions';
const PACKAGE = join(__dirname, '../../dist/lambda');
/** An application's handler, on the package as it is built. */
const HANDLER = `
const { createSessions, withSession } = require(${JSON.stringify(join(PACKAGE, 'session'))});
const { legacyFromEnvironment } = require(${JSON.stringify(join(PACKAGE, 'legacy'))});
const sessions = createSessions({
  legacy: { ...legacyFromEnvironment(), asSession: ({ data }) => ({ data: { csrf: data._csrf } }) },
});
exports.handler = withSession(sessions, async (event, { session }) => ({
  statusCode: 200,
  body: JSON.stringify({ user: session?.user ?? null, csrf: session?.data.csrf ?? null }),
}));`;

let own: OwnStack;
let old: OldApplication;
let url = '';

beforeAll(async () => {
  const parameters = await startParameterStore({ 'express-secrets': JSON.stringify(['new-secret', 'old-secret']) });
  own = await startOwnStack(
    HANDLER,
    (stack, orders) => {
      const sessionTable = new SessionTable(stack, 'Sessions');
      const authorizerFunction = new SessionAuthorizerFunction(stack, 'AuthorizerFunction', {
        sessionTable,
        legacyMode: LegacyMode.ON,
        legacySessions: [
          LegacySessions.expressSession({
            table: Table.fromTableName(stack, 'OldSessions', OLD_TABLE),
            storePackage: ExpressStorePackage.CONNECT_DYNAMODB,
            parameter: StringParameter.fromStringParameterName(stack, 'OldSecrets', 'express-secrets'),
            csrfTokenPath: '_csrf',
          }),
        ],
      });
      sessionTable.connect(orders);
      authorizerFunction.connectLegacy(orders);
      const { api } = new SessionApi(stack, 'SessionApi', { sessionTable, authorizerFunction });
      api.root.addResource('orders').addMethod('GET', new LambdaIntegration(orders));
    },
    { AWS_ENDPOINT_URL_SSM: parameters.url },
  );
  own.onClose(parameters.close);
  old = await startOldApplication(expressSession({ store: await connectDynamoDbStore(own.client, OLD_TABLE) }));
  own.onClose(old.close);
  const [api] = readRestApis(own.resolver);
  if (api === undefined) throw new Error('the template lacks an API');
  const server = await serve(createRestGateway(api, own.gateway));
  own.onClose(server.close);
  url = server.url;
}, 120_000);

afterAll(() => own?.close());

async function logInToExpress(user: string): Promise<Browser> {
  const browser = new Browser();
  await browser.visit(`${old.url}/login?user=${user}`);
  return browser;
}

async function call(browser: Browser, method: string, path: string) {
  const answer = await send(url, method, path, [['Cookie', browser.cookieHeader]]);
  browser.take([answer.headers['set-cookie'] ?? []].flat());
  return { status: answer.status, body: answer.body === '' ? undefined : JSON.parse(answer.body) };
}

test('a user of the old application is in without a second login, moves in once, and is out after a logout', async () => {
  const browser = await logInToExpress('alice');
  const early = browser.copy();

  expect(await call(browser, 'GET', '/session')).toMatchObject({ status: 200, body: { user: 'alice' } });
  expect([...browser.cookies.keys()]).toEqual(['connect.sid']);

  expect(await call(browser, 'GET', '/orders')).toEqual({
    status: 200,
    body: { user: 'alice', csrf: 'csrf of alice' },
  });
  expect([...browser.cookies.keys()]).toEqual(['connect.sid', '__Host-session']);
  expect(await call(browser, 'GET', '/orders')).toMatchObject({ status: 200, body: { user: 'alice' } });
  expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
  expect(await early.copy().visit(`${old.url}/me`)).toEqual({ user: null });

  expect(await call(browser, 'DELETE', '/session')).toMatchObject({ status: 204 });
  expect([...browser.cookies.keys()]).toEqual([]);
  expect((await call(early, 'GET', '/orders')).status).toBe(401);
});

test('a logout before anything moved in ends the old session, for good', async () => {
  const browser = await logInToExpress('bob');
  const copy = browser.copy();

  expect(await call(browser, 'DELETE', '/session')).toMatchObject({ status: 204 });

  expect([...browser.cookies.keys()]).toEqual([]);
  expect(await copy.copy().visit(`${old.url}/me`)).toEqual({ user: null });
  // The old application writes its session once more.
  await copy.copy().visit(`${old.url}/login?user=bob`);
  expect((await call(copy, 'GET', '/session')).status).toBe(401);
});

test('a logout everywhere reaches the device that has not moved in', async () => {
  const [moved, other] = [await logInToExpress('carol'), await logInToExpress('carol')];
  await call(moved, 'GET', '/orders');
  await call(moved, 'GET', '/orders');

  expect(await call(moved, 'DELETE', '/sessions')).toMatchObject({ status: 200, body: { ended: 1 } });

  expect((await call(moved, 'GET', '/session')).status).toBe(401);
  expect((await call(other, 'GET', '/session')).status).toBe(401);
  expect((await call(other, 'GET', '/orders')).status).toBe(401);
});
