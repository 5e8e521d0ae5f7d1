// SPDX-License-Identifier: Apache-2.0
/** What an HTTP API does beside its functions: CORS, and keeping what its authorizer answered. */
import {
  allowed,
  httpAuthorizer,
  httpRoute,
  httpTemplate,
  type Recorded,
  startHttpGateway,
} from './support/http-gateway';
import { COOKIE, failure, policy } from './support/rest-gateway';
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

describe('CORS', () => {
  const CorsConfiguration = {
    AllowOrigins: ['https://app.example.com'],
    AllowMethods: ['GET', 'DELETE'],
    AllowHeaders: ['content-type'],
    AllowCredentials: true,
    MaxAge: 600,
  };
  const Api = { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP', CorsConfiguration } };
  const preflightFrom = (origin: string) =>
    [
      ['Origin', origin],
      ['Access-Control-Request-Method', 'GET'],
    ] as const;

  it('answers a preflight itself, without a route and without a cookie', async () => {
    const gateway = await start(httpTemplate({ Api }));

    const answer = await send(gateway.url, 'OPTIONS', '/hello', preflightFrom('https://app.example.com'));

    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET,DELETE',
      'access-control-max-age': '600',
    });
    expect(gateway.backendEvents).toEqual([]);
  });

  it('tells another origin nothing', async () => {
    const gateway = await start(httpTemplate({ Api }));

    const answer = await send(gateway.url, 'OPTIONS', '/hello', preflightFrom('https://attacker.example'));

    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('leaves a preflight to an authorizer on $default, which refuses it', async () => {
    const gateway = await start(httpTemplate({ Api, Default: httpRoute('$default') }));

    const answer = await send(gateway.url, 'OPTIONS', '/any', preflightFrom('https://app.example.com'));

    expect(answer.status).toBe(401);
  });

  it("puts the API's headers in place of those of the function", async () => {
    const result = { statusCode: 200, headers: { 'Access-Control-Allow-Origin': '*', 'X-Own': '1' } };
    const gateway = await start(httpTemplate({ Api }), { respond: () => ({ result }) });

    const answer = await send(gateway.url, 'GET', '/hello', [COOKIE, ['Origin', 'https://app.example.com']]);

    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': 'https://app.example.com', 'x-own': '1' });
  });
});

describe('result caching', () => {
  it('is off where the template says nothing', async () => {
    const gateway = await start(httpTemplate());

    for (const _ of [1, 2]) await send(gateway.url, 'GET', '/hello', [COOKIE]);

    expect(gateway.authorizerEvents).toHaveLength(2);
  });

  it('holds a policy against each route, but a simple answer for all of them', async () => {
    const cached = { AuthorizerResultTtlInSeconds: 60 };
    const byPolicy = await start(httpTemplate({ SessionAuthorizer: httpAuthorizer(cached) }), {
      authorize: (event) => allowed(event.routeArn),
    });
    const simply = await start(
      httpTemplate({ SessionAuthorizer: httpAuthorizer({ ...cached, EnableSimpleResponses: true }) }),
      { authorize: (event) => ({ result: { isAuthorized: event.routeKey === 'GET /hello' } }) },
    );

    const statuses = async ({ url }: Recorded) => [
      (await send(url, 'GET', '/hello', [COOKIE])).status,
      (await send(url, 'DELETE', '/devices/1', [COOKIE])).status,
    ];
    expect(await statuses(byPolicy)).toEqual([200, 403]);
    expect(await statuses(simply)).toEqual([200, 200]);
    for (const { authorizerEvents } of [byPolicy, simply]) expect(authorizerEvents).toHaveLength(1);
  });

  it('lets a session in that ended since, until the time is over, and keeps no error', async () => {
    const outcomes = [failure('down'), allowed('*'), { result: policy('Deny', '*') }];
    const cached = httpAuthorizer({ AuthorizerResultTtlInSeconds: 60 });
    const gateway = await start(httpTemplate({ SessionAuthorizer: cached }), {
      authorize: () => outcomes.shift() ?? failure('asked too often'),
    });
    const statusAfter = async (seconds: number) => {
      gateway.pass(seconds);
      return (await send(gateway.url, 'GET', '/hello', [COOKIE])).status;
    };

    expect([await statusAfter(0), await statusAfter(0), await statusAfter(59), await statusAfter(1)]).toEqual([
      500, 200, 200, 403,
    ]);
  });
});
