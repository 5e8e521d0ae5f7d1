// SPDX-License-Identifier: Apache-2.0
/** Routes and integrations of a REST API, over real HTTP. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFunctionDefinitions } from '../../local/functions/function-definition';
import type { InvocationOutcome } from '../../local/functions/invocation';
import { startFunctions } from '../../local/functions/start-functions';
import { readRestApis } from '../../local/gateway/rest/rest-api';
import { createResolver } from '../../local/template/resolver';
import type { TemplateResource } from '../../local/template/template';
import { COOKIE, failure, startRestGateway, type TestedGateway } from './support/rest-gateway';
import { authorizer, BACKEND_ARN, ENVIRONMENT, gatewayResponse, method, restTemplate } from './support/rest-template';

const closers: (() => Promise<unknown> | unknown)[] = [];

async function start(...options: Parameters<typeof startRestGateway>): Promise<TestedGateway> {
  const gateway = await startRestGateway(...options);
  closers.push(gateway.close);
  return gateway;
}

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe('routes', () => {
  it.each([
    ['GET', '/', '/', null],
    ['GET', '/session', '/session', null],
    ['GET', '/session/', '/session', null],
    ['DELETE', '/devices/42', '/devices/{id}', { id: '42' }],
    ['DELETE', '/devices/%E0%A4', '/devices/{id}', { id: '%E0%A4' }],
    ['GET', '/devices/mine', '/devices/mine', null],
    ['PATCH', '/files/a/b%20c', '/files/{proxy+}', { proxy: 'a/b c' }],
  ])('%s %s reaches %s', async (verb, path, resource, pathParameters) => {
    const gateway = await start(restTemplate());

    expect((await gateway.send(verb, path, [COOKIE])).status).toBe(200);
    expect(gateway.backendEvents[0]).toMatchObject({ resource, path, httpMethod: verb, pathParameters });
  });

  it.each([
    ['GET', '/nowhere'],
    ['PUT', '/session'],
    ['DELETE', '/devices/mine'],
    ['GET', '/Session'],
    ['GET', '//session'],
    ['GET', '/devices/a/b'],
    ['GET', '/files'],
    ['GET', '/sessio%6e'],
    ['HEAD', '/session'],
  ])('%s %s is none: 403, as for a missing token', async (verb, path) => {
    const gateway = await start(restTemplate());

    const answer = await gateway.send(verb, path, [COOKIE]);

    expect(answer.status).toBe(403);
    expect(answer.headers['x-amzn-errortype']).toBe('MissingAuthenticationTokenException');
    if (verb !== 'HEAD') expect(answer.body).toBe('{"message":"Missing Authentication Token"}');
    expect(gateway.authorizerEvents).toEqual([]);
  });

  it('without an authorizer are open, and their event has none', async () => {
    const gateway = await start(restTemplate());

    expect((await gateway.send('POST', '/login', [['Content-Type', 'text/plain']], 'ümlaut')).status).toBe(200);
    expect(gateway.authorizerEvents).toEqual([]);
    expect(gateway.backendEvents[0]).toMatchObject({
      body: 'ümlaut',
      isBase64Encoded: false,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      stageVariables: null,
    });
    expect(gateway.backendEvents[0].requestContext).not.toHaveProperty('authorizer');
  });
});

it('answers a preflight by the mock integration, without a cookie', async () => {
  const gateway = await start(restTemplate());

  const answer = await gateway.send('OPTIONS', '/session', [['Origin', 'https://app.example.com']]);

  expect(answer.status).toBe(204);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example.com',
    'access-control-allow-credentials': 'true',
  });
  expect(gateway.authorizerEvents).toEqual([]);
});

describe('the answer of a function', () => {
  it('becomes the response', async () => {
    const result = {
      statusCode: 201,
      headers: { 'X-One': 1, 'set-cookie': 'lost=1', 'X-None': null, Date: 'never' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
      body: 'text',
    };
    const gateway = await start(restTemplate(), { respond: () => ({ result }) });

    const answer = await gateway.send('GET', '/session', [COOKIE]);

    expect(answer).toMatchObject({ status: 201, body: 'text' });
    expect(answer.headers).toMatchObject({
      'x-one': '1',
      'set-cookie': ['a=1', 'b=2'],
      'content-type': 'application/json',
      'x-amzn-remapped-date': 'never',
    });
    expect(answer.headers).not.toHaveProperty('x-none');
  });

  it.each<[string, InvocationOutcome]>([
    ['null', { result: null }],
    ['text', { result: 'hello' }],
    ['no status', { result: { body: 'hello' } }],
    ['an odd status', { result: { statusCode: 'ok' } }],
    ['a body that is an object', { result: { statusCode: 200, body: {} } }],
    ['a header that is an object', { result: { statusCode: 200, headers: { a: {} } } }],
    ['a header with a line break', { result: { statusCode: 200, headers: { a: 'b\r\nc: d' } } }],
    ['headers that are a list', { result: { statusCode: 200, headers: [] } }],
    ['many values that are no list', { result: { statusCode: 200, multiValueHeaders: { a: 'b' } } }],
    ['an error', failure('broken')],
    ['a timeout of the function', failure('timed out', 'timeout')],
  ])('is a 502 when it is %s', async (_name, outcome) => {
    const gateway = await start(restTemplate(), { respond: () => outcome });

    const answer = await gateway.send('GET', '/session', [COOKIE]);

    expect([answer.status, answer.body]).toEqual([502, '{"message":"Internal server error"}']);
    expect(gateway.lines).toHaveLength(1);
  });

  it('is a 504 when it comes after the time of the integration', async () => {
    const slow = method({ Ref: 'Session' }, 'GET', {
      Integration: {
        Type: 'AWS_PROXY',
        TimeoutInMillis: 1,
        Uri: `arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/${BACKEND_ARN}/invocations`,
      },
    });
    const never = new Promise<InvocationOutcome>(() => {});
    const gateway = await start(restTemplate({ SessionGet: slow }), { respond: () => never });

    const answer = await gateway.send('GET', '/session', [COOKIE]);

    expect([answer.status, answer.body]).toEqual([504, '{"message":"Endpoint request timed out"}']);
  });
});

describe('limits', () => {
  it.each([
    [10_240, 200],
    [10_241, 431],
  ])('header values of %i bytes are answered with %i', async (bytes, status) => {
    const gateway = await start(restTemplate());
    const others = `${gateway.url.replace('http://', '')}close`.length;

    const answer = await gateway.send('GET', '/session', [['Cookie', 'x'.repeat(bytes - others)]]);

    expect(answer.status).toBe(status);
  });

  it('a path that makes the ARN too long is refused', async () => {
    const gateway = await start(restTemplate());

    expect((await gateway.send('GET', `/files/${'x'.repeat(1600)}`, [COOKIE])).status).toBe(414);
  });
});

describe('a template is refused, naming what is not emulated:', () => {
  const integration = { Integration: { Type: 'HTTP' } };
  it.each<[string, Record<string, TemplateResource>, RegExp]>([
    ['a resource policy', { Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Policy: {} } } }, /Policy of Api/],
    ['an API key', { SessionGet: method({ Ref: 'Session' }, 'GET', { ApiKeyRequired: true }) }, /ApiKeyRequired/],
    ['IAM', { SessionGet: method({ Ref: 'Session' }, 'GET', { AuthorizationType: 'AWS_IAM' }) }, /SessionGet.*AWS_IAM/],
    ['an HTTP integration', { SessionGet: method({ Ref: 'Session' }, 'GET', integration) }, /HTTP of SessionGet/],
    ['a token authorizer', { SessionAuthorizer: authorizer({ Type: 'TOKEN' }) }, /SessionAuthorizer of type TOKEN/],
    [
      'an odd source',
      { SessionAuthorizer: authorizer({ IdentitySource: '$request.header.Cookie' }) },
      /identity source/,
    ],
    [
      'a cache of nothing',
      { SessionAuthorizer: authorizer({ IdentitySource: '', AuthorizerResultTtlInSeconds: 1 }) },
      /needs an identity source/,
    ],
    [
      'a directive',
      { R: gatewayResponse('UNAUTHORIZED', { ResponseTemplates: { 'application/json': '#set($a = 1)' } }) },
      /#set.* of R/,
    ],
    [
      'a function in a template',
      {
        R: gatewayResponse('UNAUTHORIZED', { ResponseTemplates: { 'application/json': '$util.escapeJavaScript(1)' } }),
      },
      /\$util.* of R/,
    ],
    [
      'a header without quotes',
      { R: gatewayResponse('UNAUTHORIZED', { ResponseParameters: { 'gatewayresponse.header.A': 'x' } }) },
      /single quotes/,
    ],
  ])('%s', (_name, changes, message) => {
    const resolver = createResolver(restTemplate(changes), ENVIRONMENT);

    expect(() => readRestApis(resolver)).toThrow(message);
  });
});

it('runs the functions of a template in workers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sessiongate-asset-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'index.js'),
    `exports.handler = async (event) => event.type === 'REQUEST'
      ? { principalId: 'alice', policyDocument: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: event.methodArn }] } }
      : { statusCode: 200, body: JSON.stringify(event.requestContext.authorizer.principalId) };`,
  );
  const template = restTemplate();
  const definitions = readFunctionDefinitions(createResolver(template, ENVIRONMENT), (key) =>
    key === 'backend.zip' ? folder : undefined,
  );
  const functions = startFunctions(definitions);
  closers.push(functions.close);
  const gateway = await start(template, {
    authorize: (event) => functions.invoke(definitions[0]?.arn ?? '', event),
    respond: (event) => functions.invoke(definitions[1]?.arn ?? '', event),
  });

  const answers = await Promise.all([1, 2, 3].map(() => gateway.send('GET', '/session', [COOKIE])));

  expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([200, '"alice"']));
});
