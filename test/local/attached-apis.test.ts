// SPDX-License-Identifier: Apache-2.0
/** The shipped authorizer, attached by its constructs to an HTTP and a WebSocket API of one's own. */
import { once } from 'node:events';
import { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { WebSocket } from 'ws';
import { createSessions, DynamoDbSessionStore, type Sessions } from '../../lambda/session';
import { SessionAuthorizerFunction, SessionTable, WebSocketSessionAuthorizer } from '../../lib';
import { createHttpGateway } from '../../local/gateway/http/create-http-gateway';
import { readHttpApis } from '../../local/gateway/http/http-api';
import type { AuthorizerCookies } from '../../local/gateway/http/http-events';
import { serve } from '../../local/gateway/serve';
import { createWebSocketGateway } from '../../local/gateway/web-socket/create-web-socket-gateway';
import { readWebSocketApis } from '../../local/gateway/web-socket/web-socket-api';
import { addOrdersApi } from './support/orders-api';
import { type OwnStack, startOwnStack } from './support/own-stack';
import { send } from './support/send';

// A machine that stands still for half a second makes the reader ask once more, which is what it is for: then the count is taken again.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const ORIGIN = 'https://app.example.com';
const HANDLER = `exports.handler = async (event) => ({
  statusCode: 200, body: JSON.stringify(event.requestContext.authorizer?.lambda ?? event.requestContext.authorizer) });`;

const urls: Partial<Record<AuthorizerCookies | 'webSocket', string>> = {};
let own: OwnStack;
let sessions: Sessions<Record<string, unknown>>;

beforeAll(async () => {
  own = await startOwnStack(HANDLER, (stack, handler) => {
    const sessionTable = new SessionTable(stack, 'Sessions', { allowedOrigins: [ORIGIN] });
    const authorizerFunction = new SessionAuthorizerFunction(stack, 'AuthorizerFunction', { sessionTable });
    addOrdersApi(stack, authorizerFunction, handler);
    const webSocketApi = new WebSocketApi(stack, 'WebSocketApi', {
      connectRouteOptions: {
        integration: new WebSocketLambdaIntegration('Connect', handler),
        authorizer: new WebSocketSessionAuthorizer(stack, 'WebSocketAuthorizer', { authorizerFunction }),
      },
    });
    new WebSocketStage(stack, 'Live', { webSocketApi, stageName: 'live', autoDeploy: true });
  });
  const { client, tableName, resolver, gateway } = own;
  sessions = createSessions({ store: new DynamoDbSessionStore({ tableName, client }) });
  const [httpApi] = readHttpApis(resolver);
  const [webSocketApi] = readWebSocketApis(resolver);
  if (httpApi === undefined || webSocketApi === undefined) throw new Error('the template lacks an API');
  for (const authorizerCookies of ['array', 'header', 'both'] as const) {
    const server = await serve(createHttpGateway(httpApi, { ...gateway, authorizerCookies }));
    own.onClose(server.close);
    urls[authorizerCookies] = server.url;
  }
  const webSocket = createWebSocketGateway(webSocketApi, gateway);
  const server = await serve(async () => ({ statusCode: 404, headers: [], body: '' }));
  server.server.on('upgrade', webSocket.handleUpgrade);
  own.onClose(server.close, webSocket.close);
  urls.webSocket = server.url.replace('http:', 'ws:');
  // The first request loads code on both sides; where that takes long, the authorizer reads a second time.
  const { cookie } = await logIn();
  await send(urls.both ?? '', 'GET', '/orders', [['Cookie', cookie]]);
}, 120_000);

afterAll(() => own?.close());

async function logIn(): Promise<{ cookie: string; token: string }> {
  const { token } = await sessions.create({ user: 'alice', claims: { plan: 'pro' } });
  own.emulator.resetCounts();
  return { cookie: `__Host-session=${token}`, token };
}

describe.each(['array', 'header', 'both'] as const)('an HTTP API whose events have cookies in: %s', (cookies) => {
  const call = (method: string, headers: readonly (readonly [string, string])[]) =>
    send(urls[cookies] ?? '', method, '/orders', headers);

  it('lets a session in with one read, and refuses it after logout', async () => {
    const { cookie, token } = await logIn();

    const before = await call('GET', [['Cookie', `theme=dark; ${cookie}`]]);
    const { readUnits, requests } = own.emulator.counts();
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
    expect(own.emulator.counts().requests).toBe(0);
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
    expect(own.emulator.counts().requests).toBe(0);
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
    expect(own.emulator.counts()).toMatchObject({ requests: 1, readUnits: 1 });
  });

  it('refuses other origins before any read, and ended sessions', async () => {
    const { cookie, token } = await logIn();

    expect(await connect({ Cookie: cookie, Origin: 'https://attacker.example' })).toBe(403);
    expect(await connect({ Cookie: cookie })).toBe(403);
    expect(own.emulator.counts().requests).toBe(0);
    await sessions.destroy(token);
    expect(await connect({ Cookie: cookie, Origin: ORIGIN })).toBe(403);
    expect(await connect({ Origin: ORIGIN })).toBe(401);
  });
});
