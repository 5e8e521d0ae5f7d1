// SPDX-License-Identifier: Apache-2.0
/** An HTTP API: its authorizer, its events, its answers and its CORS, over real HTTP. */
import type { InvocationOutcome } from '../../local/functions/invocation';
import { readHttpApis } from '../../local/gateway/http/http-api';
import { createResolver } from '../../local/template/resolver';
import type { TemplateResource } from '../../local/template/template';
import {
  allowed,
  HTTP_STAGE_ARN,
  httpAuthorizer,
  httpIntegration,
  httpRoute,
  httpTemplate,
  type Recorded,
  startHttpGateway,
} from './support/http-gateway';
import { COOKIE, failure, policy } from './support/rest-gateway';
import { ENVIRONMENT } from './support/rest-template';
import { send } from './support/send';

const gateways: Recorded[] = [];

async function start(...options: Parameters<typeof startHttpGateway>): Promise<Recorded> {
  const gateway = await startHttpGateway(...options);
  gateways.push(gateway);
  return gateway;
}

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

describe('the authorizer decides', () => {
  const simple = { SessionAuthorizer: httpAuthorizer({ EnableSimpleResponses: true }) };
  const deny: InvocationOutcome = { result: policy('Deny', '*') };
  const yes = (isAuthorized: unknown): InvocationOutcome => ({ result: { isAuthorized } });

  it.each<[string, Record<string, TemplateResource>, InvocationOutcome, number, string]>([
    ['an Allow', {}, allowed(`${HTTP_STAGE_ARN}/*`), 200, 'served'],
    ['an explicit Deny', {}, deny, 403, '{"message":"Forbidden"}'],
    ['an Allow of another path', {}, allowed(`${HTTP_STAGE_ARN}/GET/other`), 403, '{"message":"Forbidden"}'],
    ['Unauthorized thrown', {}, failure('Unauthorized'), 401, '{"message":"Unauthorized"}'],
    ['another error', {}, failure('down'), 500, '{"message":"Internal Server Error"}'],
    ['a timeout', {}, failure('Unauthorized', 'timeout'), 500, '{"message":"Internal Server Error"}'],
    ['null', {}, { result: null }, 500, '{"message":"Internal Server Error"}'],
    ['a simple answer where a policy is due', {}, yes(true), 500, '{"message":"Internal Server Error"}'],
    ['a simple yes', simple, yes(true), 200, 'served'],
    ['a simple no', simple, yes(false), 403, '{"message":"Forbidden"}'],
    ['a simple "true" that is text', simple, yes('true'), 500, '{"message":"Internal Server Error"}'],
    ['a policy where a simple answer is due', simple, allowed('*'), 500, '{"message":"Internal Server Error"}'],
  ])('%s', async (_name, changes, outcome, status, body) => {
    const gateway = await start(httpTemplate(changes), { authorize: () => outcome });

    const answer = await send(gateway.url, 'GET', '/hello', [COOKIE]);

    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  it.each([[[]], [[['Cookie', '']]]])(
    '401 without asking where the cookie is missing or empty: %j',
    async (headers) => {
      const gateway = await start(httpTemplate());

      const answer = await send(gateway.url, 'GET', '/hello', headers as never);

      expect([answer.status, answer.body]).toEqual([401, '{"message":"Unauthorized"}']);
      expect(gateway.authorizerEvents).toEqual([]);
    },
  );
});

describe('the event of the authorizer', () => {
  const HEADERS = [
    ['Cookie', 'a=1; b=2'],
    ['cookie', 'c=3'],
    ['X-Test', 'x'],
    ['x-test', 'y'],
  ] as const;

  it('is of payload 2.0', async () => {
    const gateway = await start(httpTemplate());

    await send(gateway.url, 'DELETE', '/devices/a%20b?x=1&x=2', HEADERS);

    const [event] = gateway.authorizerEvents;
    expect(event).toEqual({
      version: '2.0',
      type: 'REQUEST',
      routeArn: `${HTTP_STAGE_ARN}/DELETE/devices/a%20b`,
      identitySource: ['a=1; b=2,c=3'],
      routeKey: 'DELETE /devices/{id}',
      rawPath: '/devices/a%20b',
      rawQueryString: 'x=1&x=2',
      cookies: ['a=1', 'b=2', 'c=3'],
      headers: expect.objectContaining({ cookie: 'a=1; b=2; c=3', 'x-test': 'x,y' }),
      queryStringParameters: { x: '1,2' },
      pathParameters: { id: 'a b' },
      stageVariables: {},
      requestContext: expect.objectContaining({
        apiId: 'Api',
        stage: '$default',
        routeKey: 'DELETE /devices/{id}',
        http: expect.objectContaining({ method: 'DELETE', path: '/devices/a%20b', protocol: 'HTTP/1.1' }),
        timeEpoch: 1_800_000_000_000,
      }),
    });
    expect(Object.keys(event.headers).every((name) => name === name.toLowerCase())).toBe(true);
  });

  it.each([
    ['array', ['a=1'], undefined],
    ['header', undefined, 'a=1'],
  ] as const)('may have its cookies only in the %s', async (placement, cookies, header) => {
    const gateway = await start(httpTemplate(), {}, placement);

    await send(gateway.url, 'GET', '/hello', [['Cookie', 'a=1']]);

    const [event] = gateway.authorizerEvents;
    expect([event.cookies, event.headers.cookie]).toEqual([cookies, header]);
  });

  it('is of payload 1.0', async () => {
    const version = httpAuthorizer({ AuthorizerPayloadFormatVersion: '1.0' });
    const gateway = await start(httpTemplate({ SessionAuthorizer: version }));

    await send(gateway.url, 'GET', '/hello', HEADERS);

    expect(gateway.authorizerEvents[0]).toMatchObject({
      version: '1.0',
      type: 'REQUEST',
      methodArn: `${HTTP_STAGE_ARN}/GET/hello`,
      identitySource: 'a=1; b=2,c=3',
      authorizationToken: 'a=1; b=2,c=3',
      resource: '/hello',
      httpMethod: 'GET',
      headers: { cookie: 'c=3' },
      multiValueHeaders: { cookie: ['a=1; b=2', 'c=3'] },
      requestContext: { resourceId: 'GET /hello', stage: '$default' },
    });
  });
});

describe('a function', () => {
  it('gets the context with its types under authorizer.lambda, and cookies only in the array', async () => {
    const context = { user: 'alice', count: 1, roles: ['a'] };
    const gateway = await start(httpTemplate(), { authorize: () => allowed('*', context) });

    await send(gateway.url, 'GET', '/hello', [COOKIE]);

    const [event] = gateway.backendEvents;
    expect(event.requestContext.authorizer).toEqual({ lambda: context });
    expect([event.cookies, event.headers.cookie]).toEqual([['session=token'], undefined]);
    expect(event).not.toHaveProperty('body');
    expect(event).not.toHaveProperty('queryStringParameters');
  });

  it.each([
    ['application/json; charset=utf-8', '{}', false],
    ['application/x-www-form-urlencoded', 'YT1i', true],
    ['text/plain', 'a=b', false],
  ])('gets a body of type %s as %s', async (type, body, isBase64Encoded) => {
    const gateway = await start(httpTemplate());

    await send(gateway.url, 'POST', '/login', [['Content-Type', type]], isBase64Encoded ? 'a=b' : body);

    expect(gateway.backendEvents[0]).toMatchObject({ body, isBase64Encoded });
    expect(gateway.backendEvents[0].requestContext).not.toHaveProperty('authorizer');
  });

  it.each<[string, InvocationOutcome, number, string]>([
    ['a response', { result: { statusCode: 201, body: 'made' } }, 201, 'made'],
    ['base64', { result: { statusCode: 200, body: 'bWFkZQ==', isBase64Encoded: true } }, 200, 'made'],
    ['any JSON', { result: { hello: 'you' } }, 200, '{"hello":"you"}'],
    ['text', { result: 'hello' }, 200, 'hello'],
    ['a status that is text', { result: { statusCode: 'ok' } }, 500, '{"message":"Internal Server Error"}'],
    [
      'cookies that are none',
      { result: { statusCode: 200, cookies: 'a=b' } },
      500,
      '{"message":"Internal Server Error"}',
    ],
    ['an error', failure('broken'), 500, '{"message":"Internal Server Error"}'],
  ])('may answer with %s', async (_name, outcome, status, body) => {
    const gateway = await start(httpTemplate(), { respond: () => outcome });

    const answer = await send(gateway.url, 'GET', '/hello', [COOKIE]);

    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  it('sets cookies by the array of payload 2.0, and by multiValueHeaders of 1.0', async () => {
    const one = await start(httpTemplate(), {
      respond: () => ({ result: { statusCode: 200, cookies: ['a=1', 'b=2'] } }),
    });
    const other = await start(httpTemplate({ BackendIntegration: httpIntegration({ PayloadFormatVersion: '1.0' }) }), {
      respond: () => ({ result: { statusCode: 200, multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] } } }),
    });

    for (const { url } of [one, other])
      expect((await send(url, 'GET', '/hello', [COOKIE])).headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(other.backendEvents[0]).toMatchObject({ version: '1.0', requestContext: { authorizer: {} } });
  });
});

it.each([
  ['GET', '/hello', 'GET /hello'],
  ['PUT', '/files/a/b', 'ANY /files/{proxy+}'],
  ['GET', '/files/readme', 'GET /files/{name}'],
  ['GET', '/hello/', '$default'],
  ['POST', '/nowhere', '$default'],
])('%s %s reaches %s', async (method, path, routeKey) => {
  const more = { Name: httpRoute('GET /files/{name}'), Default: httpRoute('$default') };
  const gateway = await start(httpTemplate(more));

  await send(gateway.url, method, path, [COOKIE]);

  expect(gateway.backendEvents[0].routeKey).toBe(routeKey);
});

it('answers 404 where there is no route and no default', async () => {
  const gateway = await start(httpTemplate());

  const answer = await send(gateway.url, 'GET', '/nowhere', [COOKIE]);

  expect([answer.status, answer.body]).toEqual([404, '{"message":"Not Found"}']);
});

it.each<[string, Record<string, TemplateResource>, RegExp]>([
  ['JWT', { Hello: httpRoute('GET /hello', { AuthorizationType: 'JWT' }) }, /Hello .* JWT/],
  ['an HTTP proxy', { BackendIntegration: httpIntegration({ IntegrationType: 'HTTP_PROXY' }) }, /HTTP_PROXY/],
  [
    'a source of REST',
    { SessionAuthorizer: httpAuthorizer({ IdentitySource: ['method.request.header.Cookie'] }) },
    /identity source/,
  ],
])('a template with %s is refused by name', (_name, changes, message) => {
  expect(() => readHttpApis(createResolver(httpTemplate(changes), ENVIRONMENT))).toThrow(message);
});
