// SPDX-License-Identifier: Apache-2.0
/** The shipped authorizer, attached by its constructs to an HTTP and a WebSocket API of one's own. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { HttpApi, HttpMethod, WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration, WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { WebSocket } from 'ws';
import { context } from '../../cdk.json';
import { createSessions, DynamoDbSessionStore, type Sessions } from '../../lambda/session';
import { HttpSessionAuthorizer, SessionAuthorizerFunction, SessionTable, WebSocketSessionAuthorizer } from '../../lib';
import { ensureTable, readTable } from '../../local/create-table';
import { type Emulator, startEmulator } from '../../local/emulator/start-emulator';
import { localEnvironment } from '../../local/function-environment';
import { readFunctionDefinitions } from '../../local/functions/function-definition';
import { startFunctions } from '../../local/functions/start-functions';
import { createHttpGateway } from '../../local/gateway/http/create-http-gateway';
import { readHttpApis } from '../../local/gateway/http/http-api';
import type { AuthorizerCookies } from '../../local/gateway/http/http-events';
import { serve } from '../../local/gateway/serve';
import { createWebSocketGateway } from '../../local/gateway/web-socket/create-web-socket-gateway';
import { readWebSocketApis } from '../../local/gateway/web-socket/web-socket-api';
import { LOCAL_CREDENTIALS } from '../../local/options';
import { readAssembly } from '../../local/template/read-assembly';
import { createResolver } from '../../local/template/resolver';
import { ENVIRONMENT } from './support/rest-template';
import { send } from './support/send';

const ORIGIN = 'https://app.example.com';
const HANDLER = `exports.handler = async (event) => ({
  statusCode: 200, body: JSON.stringify(event.requestContext.authorizer?.lambda ?? event.requestContext.authorizer) });`;

const folder = mkdtempSync(join(tmpdir(), 'sessiongate-attached-'));
const closers: (() => Promise<unknown> | unknown)[] = [() => rmSync(folder, { recursive: true })];
const urls: Partial<Record<AuthorizerCookies | 'webSocket', string>> = {};
let emulator: Emulator;
let sessions: Sessions<Record<string, unknown>>;

/** An application that has two APIs and puts the authorizer in front of them. */
function synthesize() {
  const app = new App({ context, outdir: join(folder, 'assembly'), analyticsReporting: false });
  const stack = new Stack(app, 'Attached');
  mkdirSync(join(folder, 'handler'));
  writeFileSync(join(folder, 'handler', 'index.js'), HANDLER);
  const handler = new LambdaFunction(stack, 'Handler', {
    code: Code.fromAsset(join(folder, 'handler')),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
  });
  const sessionTable = new SessionTable(stack, 'Sessions', { allowedOrigins: [ORIGIN] });
  const authorizerFunction = new SessionAuthorizerFunction(stack, 'AuthorizerFunction', { sessionTable });
  const httpApi = new HttpApi(stack, 'HttpApi', {
    defaultAuthorizer: new HttpSessionAuthorizer(stack, 'HttpAuthorizer', { authorizerFunction }),
  });
  httpApi.addRoutes({
    path: '/orders',
    methods: [HttpMethod.ANY],
    integration: new HttpLambdaIntegration('Orders', handler),
  });
  const webSocketApi = new WebSocketApi(stack, 'WebSocketApi', {
    connectRouteOptions: {
      integration: new WebSocketLambdaIntegration('Connect', handler),
      authorizer: new WebSocketSessionAuthorizer(stack, 'WebSocketAuthorizer', { authorizerFunction }),
    },
  });
  new WebSocketStage(stack, 'Live', { webSocketApi, stageName: 'live', autoDeploy: true });
  return readAssembly(app, stack);
}

beforeAll(async () => {
  const { template, assetFolder } = synthesize();
  const resolver = createResolver(template, ENVIRONMENT);
  emulator = await startEmulator();
  closers.push(emulator.close);
  const { name: tableName, properties } = readTable(resolver);
  const table = { endpoint: emulator.endpoint, region: 'eu-central-1', credentials: LOCAL_CREDENTIALS, tableName };
  await ensureTable(properties, table);
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = LOCAL_CREDENTIALS;
  const client = new DynamoDBClient({
    endpoint: emulator.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId, secretAccessKey },
  });
  closers.push(() => client.destroy());
  sessions = createSessions({
    store: new DynamoDbSessionStore({
      tableName,
      client,
    }),
  });
  // The settings stay those of the deployment, cookie name and all: only the address of the table is another.
  const functions = startFunctions(readFunctionDefinitions(resolver, assetFolder), {
    environment: ({ environment }) => localEnvironment(environment, { table, origin: 'https://localhost' }),
    log: () => {},
  });
  closers.push(functions.close);
  const dependencies = { invoke: functions.invoke, environment: ENVIRONMENT };

  const [httpApi] = readHttpApis(resolver);
  const [webSocketApi] = readWebSocketApis(resolver);
  if (httpApi === undefined || webSocketApi === undefined) throw new Error('the template lacks an API');
  for (const authorizerCookies of ['array', 'header', 'both'] as const) {
    const server = await serve(createHttpGateway(httpApi, { ...dependencies, authorizerCookies }));
    closers.push(server.close);
    urls[authorizerCookies] = server.url;
  }
  const webSocket = createWebSocketGateway(webSocketApi, dependencies);
  const server = await serve(async () => ({ statusCode: 404, headers: [], body: '' }));
  server.server.on('upgrade', webSocket.handleUpgrade);
  closers.push(server.close, webSocket.close);
  urls.webSocket = server.url.replace('http:', 'ws:');
  // The first request loads code on both sides; where that takes long, the authorizer reads a second time.
  const { cookie } = await logIn();
  await send(urls.both ?? '', 'GET', '/orders', [['Cookie', cookie]]);
}, 120_000);

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function logIn(): Promise<{ cookie: string; token: string }> {
  const { token } = await sessions.create({ user: 'alice', claims: { plan: 'pro' } });
  emulator.resetCounts();
  return { cookie: `__Host-session=${token}`, token };
}

describe.each(['array', 'header', 'both'] as const)('an HTTP API whose events have cookies in: %s', (cookies) => {
  const call = (method: string, headers: readonly (readonly [string, string])[]) =>
    send(urls[cookies] ?? '', method, '/orders', headers);

  it('lets a session in with one read, and refuses it after logout', async () => {
    const { cookie, token } = await logIn();

    const before = await call('GET', [['Cookie', `theme=dark; ${cookie}`]]);
    const { readUnits, requests } = emulator.counts();
    await sessions.destroy(token);
    const after = await call('GET', [['Cookie', cookie]]);

    expect([before.status, JSON.parse(before.body)]).toEqual([
      200,
      expect.objectContaining({ user: 'alice', plan: 'pro' }),
    ]);
    expect([requests, readUnits]).toEqual([1, 1]);
    expect([after.status, after.body]).toEqual([403, '{"message":"Forbidden"}']);
  });

  it('answers 401 without a cookie, 403 to a malformed or repeated one, and reads nothing', async () => {
    const { cookie } = await logIn();

    expect((await call('GET', [])).status).toBe(401);
    for (const value of ['__Host-session=short', `${cookie}; ${cookie}`, 'theme=dark'])
      expect((await call('GET', [['Cookie', value]])).status).toBe(403);
    expect(emulator.counts().requests).toBe(0);
  });

  it('refuses an unsafe request of another site before any read', async () => {
    const { cookie } = await logIn();
    const from = (origin: string) =>
      [
        ['Cookie', cookie],
        ['Origin', origin],
        ['Sec-Fetch-Site', 'same-site'],
      ] as const;

    expect((await call('POST', from('https://attacker.example'))).status).toBe(403);
    expect(emulator.counts().requests).toBe(0);
    expect((await call('POST', from(ORIGIN))).status).toBe(200);
  });
});

describe('a WebSocket API', () => {
  async function connect(headers: Record<string, string>): Promise<number> {
    const client = new WebSocket(urls.webSocket ?? '', { headers });
    client.on('error', () => {});
    return new Promise((resolve) => {
      client.once('open', () => {
        client.close();
        once(client, 'close').then(() => resolve(101));
      });
      client.once('unexpected-response', (request, response) => {
        resolve(response.statusCode ?? 0);
        request.destroy();
      });
    });
  }

  it('opens for a session from an allowed origin, with one read', async () => {
    const { cookie } = await logIn();

    expect(await connect({ Cookie: cookie, Origin: ORIGIN })).toBe(101);
    expect(emulator.counts()).toMatchObject({ requests: 1, readUnits: 1 });
  });

  it('refuses other origins before any read, and ended sessions', async () => {
    const { cookie, token } = await logIn();

    expect(await connect({ Cookie: cookie, Origin: 'https://attacker.example' })).toBe(403);
    expect(await connect({ Cookie: cookie })).toBe(403);
    expect(emulator.counts().requests).toBe(0);
    await sessions.destroy(token);
    expect(await connect({ Cookie: cookie, Origin: ORIGIN })).toBe(403);
    expect(await connect({ Origin: ORIGIN })).toBe(401);
  });
});
