// SPDX-License-Identifier: Apache-2.0
/** The second asset as it is shipped, in front of an HTTP API: an Express session before, during and after its migration. */
import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { createDynamoDbExpressStore, createExpressSessionSource } from '../../lambda/legacy';
import { signSessionId } from '../../lambda/legacy/express-session/unsign-express-cookie';
import { createSessions, DynamoDbSessionStore, type Sessions } from '../../lambda/session';
import { ExpressStorePackage, LegacySessions, SessionAuthorizerFunction, SessionTable } from '../../lib';
import { createHttpGateway } from '../../local/gateway/http/create-http-gateway';
import { readHttpApis } from '../../local/gateway/http/http-api';
import { serve } from '../../local/gateway/serve';
import { createOldTable } from '../legacy/express-app';
import { addOrdersApi } from './support/orders-api';
import { type OwnStack, startOwnStack } from './support/own-stack';
import { type ParameterStore, startParameterStore } from './support/parameter-store';
import { type RawAnswer, send } from './support/send';

// A machine that stands still for half a second makes the reader ask once more, which is what it is for: then the count is taken again.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const OLD_TABLE = 'old-sessions';
const SECRETS = ['new-secret', 'old-secret'];
const HANDLER = `exports.handler = async (event) => ({
  statusCode: 200, body: JSON.stringify(event.requestContext.authorizer.lambda) });`;

let own: OwnStack;
let secretsManager: ParameterStore;
let sessions: Sessions<Record<string, unknown>>;
let url = '';

beforeAll(async () => {
  secretsManager = await startParameterStore({ express: JSON.stringify(SECRETS) });
  own = await startOwnStack(
    HANDLER,
    (stack, handler) => {
      const authorizerFunction = new SessionAuthorizerFunction(stack, 'AuthorizerFunction', {
        sessionTable: new SessionTable(stack, 'Sessions'),
        legacySessions: [
          LegacySessions.expressSession({
            table: Table.fromTableName(stack, 'OldSessions', OLD_TABLE),
            storePackage: ExpressStorePackage.CONNECT_DYNAMODB,
            secret: Secret.fromSecretNameV2(stack, 'Secret', 'express'),
          }),
        ],
      });
      addOrdersApi(stack, authorizerFunction, handler);
    },
    { AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.url },
  );
  own.onClose(secretsManager.close);
  const { client, tableName, resolver, gateway } = own;
  await createOldTable(client, OLD_TABLE, 'id');
  sessions = createSessions({
    store: new DynamoDbSessionStore({ tableName, client }),
    legacy: {
      sources: [
        createExpressSessionSource({
          store: createDynamoDbExpressStore({ tableName: OLD_TABLE, package: 'connect-dynamodb', client }),
          secrets: SECRETS,
        }),
      ],
      report: () => {},
    },
  });
  const [httpApi] = readHttpApis(resolver);
  if (httpApi === undefined) throw new Error('the template lacks an API');
  const server = await serve(createHttpGateway(httpApi, { ...gateway, authorizerCookies: 'array' }));
  own.onClose(server.close);
  url = server.url;
  // The first request of each kind loads code; where that takes long, a read is repeated.
  await call(await logInToExpress('nobody'));
}, 120_000);

afterAll(() => own?.close());

/** As long as those of express-session. */
function idOf(user: string): string {
  return `session-of-${user}`.padEnd(32, '0');
}

/** Writes the item that connect-dynamodb writes, and returns the cookie that express-session sets. */
async function logInToExpress(user: string): Promise<string> {
  const id = idOf(user);
  const expires = Math.floor(Date.now() / 1000) + 86_400;
  const cookie = { originalMaxAge: 86_400_000, expires: new Date(expires * 1000).toISOString(), path: '/' };
  await own.client.send(
    new PutItemCommand({
      TableName: OLD_TABLE,
      Item: {
        id: { S: `sess:${id}` },
        type: { S: 'connect-session' },
        expires: { N: String(expires) },
        sess: { S: JSON.stringify({ cookie, passport: { user } }) },
      },
    }),
  );
  own.emulator.resetCounts();
  return `connect.sid=${encodeURIComponent(`s:${id}.${signSessionId(id, 'old-secret')}`)}`;
}

function call(cookie: string): Promise<RawAnswer> {
  return send(url, 'GET', '/orders', [['Cookie', cookie]]);
}

/** The old cookie comes to a handler of the library's; returns the new cookie. */
async function moveIn(cookie: string): Promise<string> {
  const arrival = await sessions.legacy?.arrive(cookie, await sessions.read(cookie));
  return `__Host-session=${arrival?.moved?.token}`;
}

async function comeBackWith(cookie: string): Promise<void> {
  await sessions.legacy?.arrive(cookie, await sessions.read(cookie));
}

/** As if every claim had been confirmed a minute earlier. */
async function confirmedLongAgo(): Promise<void> {
  const { Items = [] } = await own.client.send(new ScanCommand({ TableName: own.tableName }));
  for (const item of Items)
    if (item.confirmed_at !== undefined)
      await own.client.send(
        new PutItemCommand({ TableName: own.tableName, Item: { ...item, confirmed_at: { N: '1' } } }),
      );
}

test('an Express session is admitted with three reads and nothing written', async () => {
  const cookie = await logInToExpress('ann');

  const answer = await call(`theme=dark; ${cookie}`);

  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    200,
    expect.objectContaining({ user: 'ann', createdAt: '0', authenticatedAt: '0' }),
  ]);
  expect(own.emulator.counts()).toMatchObject({ requests: 3, writeUnits: 0 });
});

test('the secret is read once', () => {
  expect(secretsManager.reads()).toBe(1);
});

test('a cookie that is signed with another secret is refused, and nothing is read', async () => {
  await logInToExpress('eve');
  const forged = `s:${idOf('eve')}.${signSessionId(idOf('eve'), 'guess')}`;

  expect((await call(`connect.sid=${encodeURIComponent(forged)}`)).status).toBe(403);
  expect(own.emulator.counts().requests).toBe(0);
});

test('it is admitted while its claim is pending, and refused for good once the new cookie has come back', async () => {
  const oldCookie = await logInToExpress('bob');
  const newCookie = await moveIn(oldCookie);

  expect((await call(oldCookie)).status).toBe(200);
  expect(JSON.parse((await call(newCookie)).body)).toMatchObject({ user: 'bob' });

  await comeBackWith(`${newCookie}; ${oldCookie}`);
  // The older system writes its item again, as it does whenever one of its requests ends late.
  await logInToExpress('bob');

  // Sent before the new cookie was there, and late.
  expect(JSON.parse((await call(oldCookie)).body)).toMatchObject({ user: 'bob' });
  await confirmedLongAgo();
  expect((await call(oldCookie)).status).toBe(403);
  expect((await call(`${newCookie}; ${oldCookie}`)).status).toBe(200);
});

test('it is refused after a logout before it ever moved in, although the older system writes it again', async () => {
  const cookie = await logInToExpress('cleo');
  await sessions.legacy?.end(cookie);
  const { Item } = await own.client.send(
    new GetItemCommand({ TableName: OLD_TABLE, Key: { id: { S: `sess:${idOf('cleo')}` } } }),
  );
  await logInToExpress('cleo');

  expect(Item).toBeUndefined();
  expect((await call(cookie)).status).toBe(403);
});

test('it is refused once its user was logged out everywhere or disabled', async () => {
  const dan = await logInToExpress('dan');
  const fay = await logInToExpress('fay');
  await sessions.revokeAll('dan');
  await sessions.disable('fay');

  expect((await call(dan)).status).toBe(403);
  expect((await call(fay)).status).toBe(403);
});

test('a session of our own costs one read, whatever older cookies come with it', async () => {
  const cookie = await logInToExpress('gus');
  const { token } = await sessions.create({ user: 'gus' });
  own.emulator.resetCounts();

  expect((await call(`__Host-session=${token}; ${cookie}`)).status).toBe(200);
  expect(own.emulator.counts()).toMatchObject({ requests: 1, readUnits: 1 });
});
