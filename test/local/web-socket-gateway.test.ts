// SPDX-License-Identifier: Apache-2.0
/** A WebSocket API: who may connect, and what its functions see, over real connections. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { InvocationOutcome } from '../../local/functions/invocation';
import { readWebSocketApis } from '../../local/gateway/web-socket/web-socket-api';
import { createResolver } from '../../local/template/resolver';
import type { TemplateResource } from '../../local/template/template';
import {
  allowed,
  httpAuthorizer,
  httpIntegration,
  httpRoute,
  type Recorded,
  startWebSocketGateway,
  webSocketTemplate,
} from './support/http-gateway';
import { failure, policy } from './support/rest-gateway';
import { ENVIRONMENT } from './support/rest-template';

const CONNECT_ARN = 'arn:aws:execute-api:eu-central-1:123456789012:Api/live/$connect';
const HEADERS = { Cookie: 'session=token', Origin: 'https://app.example.com' };
const gateways: Recorded[] = [];

async function start(...options: Parameters<typeof startWebSocketGateway>): Promise<Recorded> {
  const gateway = await startWebSocketGateway(...options);
  gateways.push(gateway);
  return gateway;
}

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

/** The open connection, or the status of the refused handshake. */
async function connect(url: string, headers: Record<string, string> = HEADERS): Promise<WebSocket | number> {
  const client = new WebSocket(url, { headers });
  client.on('error', () => {});
  return new Promise((resolve) => {
    client.once('open', () => resolve(client));
    client.once('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
  });
}

async function connected(url: string): Promise<WebSocket> {
  const client = await connect(url);
  if (typeof client === 'number') throw new Error(`the handshake was refused with ${client}`);
  return client;
}

describe('the handshake is refused', () => {
  it.each([
    ['without a cookie', {}],
    ['with an empty one', { Cookie: '' }],
  ])('with 401 %s, without asking', async (_name, headers) => {
    const gateway = await start(webSocketTemplate());

    expect(await connect(gateway.url, headers as Record<string, string>)).toBe(401);
    expect([gateway.authorizerEvents, gateway.backendEvents]).toEqual([[], []]);
  });

  it.each<[string, InvocationOutcome, number]>([
    ['Unauthorized thrown', failure('Unauthorized'), 401],
    ['an explicit Deny', { result: policy('Deny', '*') }, 403],
    ['an Allow of another route', allowed(CONNECT_ARN.replace('$connect', 'other')), 403],
    ['another error', failure('down'), 500],
    ['no policy', { result: {} }, 500],
    ['a context with an object', allowed('*', { claims: {} }), 500],
  ])('for %s', async (_name, outcome, status) => {
    const gateway = await start(webSocketTemplate(), { authorize: () => outcome });

    expect(await connect(gateway.url)).toBe(status);
    expect(gateway.backendEvents).toEqual([]);
  });

  it('with the status that the function of $connect answers', async () => {
    const gateway = await start(webSocketTemplate(), { respond: () => ({ result: { statusCode: 429 } }) });

    expect(await connect(gateway.url)).toBe(429);
  });
});

it('opens with an Allow of $connect, and shows authorizer and function the handshake', async () => {
  const gateway = await start(webSocketTemplate(), {
    authorize: () => allowed(CONNECT_ARN, { user: 'alice', count: 1 }),
  });

  await connected(`${gateway.url}/?room=1`);

  const handshake = {
    headers: expect.objectContaining({ Cookie: 'session=token', Origin: HEADERS.Origin, Upgrade: 'websocket' }),
    multiValueHeaders: expect.objectContaining({ Cookie: ['session=token'] }),
    queryStringParameters: { room: '1' },
  };
  const requestContext = {
    routeKey: '$connect',
    eventType: 'CONNECT',
    messageDirection: 'IN',
    stage: 'live',
    apiId: 'Api',
    connectedAt: 1_800_000_000_000,
    identity: { sourceIp: '127.0.0.1' },
  };
  const [authorizerEvent] = gateway.authorizerEvents;
  expect(authorizerEvent).toMatchObject({ type: 'REQUEST', methodArn: CONNECT_ARN, ...handshake, requestContext });
  expect(authorizerEvent).not.toHaveProperty('httpMethod');
  expect(gateway.backendEvents).toEqual([
    expect.objectContaining({
      ...handshake,
      requestContext: expect.objectContaining({
        connectionId: authorizerEvent.requestContext.connectionId,
        authorizer: { principalId: 'alice', user: 'alice', count: '1' },
      }),
    }),
  ]);
});

it('hands messages to the route they name, else to $default, and tells of the end', async () => {
  const gateway = await start(webSocketTemplate({ Default: httpRoute('$default', {}) }));
  const client = await connected(gateway.url);

  for (const [body, routeKey] of [
    ['{"action":"say","text":"hi"}', 'say'],
    ['{"action":"other"}', '$default'],
    ['{"action":"$disconnect"}', '$default'],
    ['no JSON', '$default'],
  ] as const) {
    const next = gateway.nextBackendEvent();
    client.send(body);
    expect(await next).toMatchObject({ body, requestContext: { routeKey, eventType: 'MESSAGE' } });
  }

  const next = gateway.nextBackendEvent();
  client.close(1000);
  expect(await next).toMatchObject({
    requestContext: { routeKey: '$disconnect', eventType: 'DISCONNECT', disconnectStatusCode: 1000 },
  });
});

it('answers a message of no route', async () => {
  const gateway = await start(webSocketTemplate());
  const client = await connected(gateway.url);

  client.send('{"action":"other"}');

  const [answer] = await once(client, 'message');
  expect(JSON.parse(String(answer))).toMatchObject({ message: 'Forbidden' });
});

it('asks again for each connection, and closes those that are open with the stack', async () => {
  const gateway = await start(webSocketTemplate());
  const clients = [await connected(gateway.url), await connected(gateway.url)];
  const closed = clients.map((client) => once(client, 'close'));

  gateways.pop();
  await gateway.close();

  expect(gateway.authorizerEvents).toHaveLength(2);
  expect((await Promise.all(closed)).map(([code]) => code)).toEqual([1001, 1001]);
});

it.each<[string, Record<string, TemplateResource>, RegExp]>([
  ['IAM', { Connect: httpRoute('$connect', { AuthorizationType: 'AWS_IAM' }) }, /Connect .* AWS_IAM/],
  ['a source of HTTP APIs', { SessionAuthorizer: httpAuthorizer() }, /identity source/],
  ['a mock', { BackendIntegration: httpIntegration({ IntegrationType: 'MOCK' }) }, /MOCK/],
])('a template with %s is refused by name', (_name, changes, message) => {
  expect(() => readWebSocketApis(createResolver(webSocketTemplate(changes), ENVIRONMENT))).toThrow(message);
});
