// SPDX-License-Identifier: Apache-2.0
/** What becomes of a request by what the authorizer of a REST API says, over real HTTP. */
import type { InvocationOutcome } from '../../local/functions/invocation';
import { allow, COOKIE, failure, policy, startRestGateway, type TestedGateway } from './support/rest-gateway';
import { authorizer, gatewayResponse, restTemplate, STAGE_ARN } from './support/rest-template';

const DENIED = 'User is not authorized to access this resource';
const gateways: TestedGateway[] = [];

async function start(...options: Parameters<typeof startRestGateway>): Promise<TestedGateway> {
  const gateway = await startRestGateway(...options);
  gateways.push(gateway);
  return gateway;
}

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

describe('the identity source', () => {
  it.each<[string, readonly (readonly [string, string])[]]>([
    ['is missing', []],
    ['is empty', [['Cookie', '']]],
  ])('answers 401 without asking the authorizer when it %s', async (_name, headers) => {
    const gateway = await start(restTemplate());

    const answer = await gateway.send('GET', '/session', headers);

    expect(answer.status).toBe(401);
    expect(answer.body).toBe('{"message":"Unauthorized"}');
    expect(answer.headers['x-amzn-errortype']).toBe('UnauthorizedException');
    expect(gateway.authorizerEvents).toEqual([]);
    expect(gateway.backendEvents).toEqual([]);
  });

  it('is found in any casing', async () => {
    const gateway = await start(restTemplate());

    expect((await gateway.send('GET', '/session', [['cookie', 'a=b']])).status).toBe(200);
  });

  it('must be complete: one of two is not enough', async () => {
    const both = 'method.request.header.Cookie, method.request.querystring.tenant';
    const gateway = await start(restTemplate({ SessionAuthorizer: authorizer({ IdentitySource: both }) }));

    expect((await gateway.send('GET', '/session', [COOKIE])).status).toBe(401);
    expect((await gateway.send('GET', '/session?tenant=one', [COOKIE])).status).toBe(200);
  });
});

describe('the answer of the authorizer decides', () => {
  const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: `${STAGE_ARN}/*` };
  const document = (Statement: unknown, Version = '2012-10-17') => ({
    result: { principalId: 'alice', policyDocument: { Version, Statement } },
  });

  type Expected = [status: number, message: string | null, errorType: string];
  const EXPLICIT_DENY: Expected = [403, `${DENIED} with an explicit deny`, 'AccessDeniedException'];
  const IMPLICIT_DENY: Expected = [403, DENIED, 'AccessDeniedException'];
  const FAILURE: Expected = [500, null, 'AuthorizerFailureException'];
  const MALFORMED: Expected = [500, null, 'AuthorizerConfigurationException'];

  it.each<[string, InvocationOutcome, ...Expected]>([
    ['Unauthorized thrown', failure('Unauthorized'), 401, 'Unauthorized', 'UnauthorizedException'],
    ['an explicit Deny', { result: policy('Deny', `${STAGE_ARN}/*`) }, ...EXPLICIT_DENY],
    ['an Allow of another path', { result: policy('Allow', `${STAGE_ARN}/GET/other`) }, ...IMPLICIT_DENY],
    ['an Allow of another stage', { result: policy('Allow', `${STAGE_ARN.replace('v1', 'v2')}/*`) }, ...IMPLICIT_DENY],
    ['an Allow of another action', document({ ...statement, Action: 'execute-api:InvalidateCache' }), ...IMPLICIT_DENY],
    ['no statements', document([]), ...IMPLICIT_DENY],
    ['Deny and Allow, whatever their order', document([{ ...statement, Effect: 'Deny' }, statement]), ...EXPLICIT_DENY],
    ['another error', failure('unauthorized'), ...FAILURE],
    ['a timeout, even with the message', failure('Unauthorized', 'timeout'), ...FAILURE],
    ['a failed init', failure('missing variable', 'init'), ...FAILURE],
    ['a crash', failure('crashed', 'exit'), ...FAILURE],
    ['null', { result: null }, ...MALFORMED],
    ['text', { result: 'Allow' }, ...MALFORMED],
    ['an HTTP response', { result: { statusCode: 401 } }, ...MALFORMED],
    ['a simple response', { result: { isAuthorized: true } }, ...MALFORMED],
    ['no principal', allow({ principalId: undefined }), ...MALFORMED],
    ['an empty principal', allow({ principalId: '' }), ...MALFORMED],
    ['no policy', allow({ policyDocument: undefined }), ...MALFORMED],
    ['an old policy version', document([statement], '2008-10-17'), ...MALFORMED],
    ['an odd effect', document([{ ...statement, Effect: 'allow' }]), ...MALFORMED],
    ['a statement without resource', document([{ ...statement, Resource: undefined }]), ...MALFORMED],
    ['a condition, which is not evaluated', document([{ ...statement, Condition: {} }]), ...MALFORMED],
    ['a resource of 513 characters', document([{ ...statement, Resource: '*'.repeat(513) }]), ...MALFORMED],
    ['a context with an object', allow({ context: { claims: { admin: true } } }), ...MALFORMED],
    ['a context with a list', allow({ context: { roles: ['admin'] } }), ...MALFORMED],
  ])('%s', async (_name, outcome, status, message, errorType) => {
    const gateway = await start(restTemplate(), { authorize: () => outcome });

    const answer = await gateway.send('GET', '/session', [COOKIE]);

    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ message });
    expect(answer.headers['x-amzn-errortype']).toBe(errorType);
    expect(gateway.backendEvents).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['the whole stage', `${STAGE_ARN}/*`],
    ['everything', '*'],
    ['the exact request', `${STAGE_ARN}/GET/session`],
    ['a question mark for a letter', `${STAGE_ARN}/GE?/sess??n`],
    ['a star that spans slashes', 'arn:aws:execute-api:*/GET/session'],
    ['one of several', ['arn:aws:execute-api:other', `${STAGE_ARN}/*/session`]],
  ])('lets the request in with an Allow of %s', async (_name, resource) => {
    const gateway = await start(restTemplate(), { authorize: () => ({ result: policy('Allow', resource) }) });

    expect((await gateway.send('GET', '/session', [COOKIE])).status).toBe(200);
  });

  it('lets the root in with an Allow whose last star is empty', async () => {
    const gateway = await start(restTemplate(), { authorize: () => ({ result: policy('Allow', `${STAGE_ARN}/*/*`) }) });

    expect((await gateway.send('GET', '/', [COOKIE])).status).toBe(200);
  });

  it('says in the log, and not to the client, why it is a 500', async () => {
    const gateway = await start(restTemplate(), { authorize: () => failure('the table is gone') });

    const answer = await gateway.send('GET', '/session', [COOKIE]);

    expect(answer.body).not.toContain('table');
    expect(gateway.lines).toEqual(['GET /session: AUTHORIZER_FAILURE: the table is gone']);
  });
});

describe('the event of the authorizer', () => {
  it('is that of a REST request authorizer', async () => {
    const gateway = await start(restTemplate());

    await gateway.send('DELETE', '/devices/a%2Fb:1?x=1&x=2&y=', [
      ['Cookie', 'session=one'],
      ['X-Test', 'a'],
      ['x-test', 'b'],
      ['Cookie', 'other=two'],
      ['User-Agent', 'tested/1'],
    ]);

    const [event] = gateway.authorizerEvents;
    const host = gateway.url.replace('http://', '');
    expect(event).toEqual({
      type: 'REQUEST',
      methodArn: `${STAGE_ARN}/DELETE/devices/a%2Fb:1`,
      resource: '/devices/{id}',
      path: '/devices/a%2Fb:1',
      httpMethod: 'DELETE',
      headers: expect.objectContaining({ Host: host, Cookie: 'other=two', 'X-Test': 'a', 'x-test': 'b' }),
      multiValueHeaders: expect.objectContaining({ Cookie: ['session=one', 'other=two'], 'X-Test': ['a'] }),
      queryStringParameters: { x: '2', y: '' },
      multiValueQueryStringParameters: { x: ['1', '2'], y: [''] },
      pathParameters: { id: 'a/b:1' },
      stageVariables: {},
      requestContext: expect.objectContaining({
        accountId: '123456789012',
        apiId: 'Api',
        stage: 'v1',
        httpMethod: 'DELETE',
        resourcePath: '/devices/{id}',
        resourceId: 'DeviceById',
        path: '/devices/a%2Fb:1',
        protocol: 'HTTP/1.1',
        domainName: host,
        requestTime: '15/Jan/2027:08:00:00 +0000',
        requestTimeEpoch: 1_800_000_000_000,
        identity: expect.objectContaining({ sourceIp: '127.0.0.1', userAgent: 'tested/1', caller: null }),
      }),
    });
    expect(event.requestContext).not.toHaveProperty('authorizer');
    expect(event.headers).toMatchObject({ 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Proto': 'http' });
    expect(event).not.toHaveProperty('body');
  });

  it('names the route, not the template, in its ARN when the path is hostile', async () => {
    const gateway = await start(restTemplate());

    await gateway.send('GET', '/files/*?x', [COOKIE]);

    expect(gateway.authorizerEvents[0].methodArn).toBe(`${STAGE_ARN}/GET/files/*`);
  });
});

it('hands the principal and the context, as text, to the integration', async () => {
  const context = { user: 'alice', count: 1, admin: true, none: null };
  const gateway = await start(restTemplate(), { authorize: () => allow({ context }) });

  await gateway.send('GET', '/session', [COOKIE]);

  expect(gateway.backendEvents[0].requestContext.authorizer).toEqual({
    principalId: 'alice',
    integrationLatency: 0,
    user: 'alice',
    count: '1',
    admin: 'true',
    none: null,
  });
});

describe('gateway responses', () => {
  const refused = { authorize: () => ({ result: policy('Deny', '*') }) };

  it('change status, headers and body of a denial', async () => {
    const custom = gatewayResponse('ACCESS_DENIED', {
      StatusCode: '401',
      ResponseParameters: {
        'gatewayresponse.header.Access-Control-Allow-Origin': "'https://app.example.com'",
        'gatewayresponse.header.X-Asked': 'method.request.header.X-Ask',
        'gatewayresponse.header.X-Request': 'context.requestId',
      },
      ResponseTemplates: {
        'application/json': '{"message":$context.error.messageString,"type":"$context.error.responseType"}',
      },
    });
    const gateway = await start(restTemplate({ Denied: custom }), refused);

    const answer = await gateway.send('GET', '/session', [COOKIE, ['X-Ask', 'it']]);

    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toEqual({
      message: `${DENIED} with an explicit deny`,
      type: 'ACCESS_DENIED',
    });
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'x-asked': 'it',
      'x-request': answer.headers['x-amzn-requestid'],
      'content-type': 'application/json',
    });
  });

  it('fall back to the default of their class, but for UNAUTHORIZED', async () => {
    const header = { 'gatewayresponse.header.X-Default': "'4xx'" };
    const template = restTemplate({ Default: gatewayResponse('DEFAULT_4XX', { ResponseParameters: header }) });
    const gateway = await start(template, refused);

    const denied = await gateway.send('GET', '/session', [COOKIE]);
    const unauthorized = await gateway.send('GET', '/session');
    const unknown = await gateway.send('GET', '/nowhere');

    expect([denied.status, denied.headers['x-default']]).toEqual([403, '4xx']);
    expect([unauthorized.status, unauthorized.headers['x-default']]).toEqual([401, undefined]);
    expect([unknown.status, unknown.headers['x-default']]).toEqual([403, '4xx']);
  });
});
