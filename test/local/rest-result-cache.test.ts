// SPDX-License-Identifier: Apache-2.0
/** Result caching of a REST API's authorizer: what is kept, for how long, and what that means for a logout. */
import {
  allow,
  COOKIE,
  type Event,
  failure,
  policy,
  startRestGateway,
  type TestedGateway,
} from './support/rest-gateway';
import { authorizer, restTemplate } from './support/rest-template';

const gateways: TestedGateway[] = [];

async function start(...options: Parameters<typeof startRestGateway>): Promise<TestedGateway> {
  const gateway = await startRestGateway(...options);
  gateways.push(gateway);
  return gateway;
}

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

describe('result caching', () => {
  const cached = restTemplate({ SessionAuthorizer: authorizer({ AuthorizerResultTtlInSeconds: 60 }) });

  it('is on for 300 seconds where the template does not switch it off', async () => {
    const unset = authorizer({ AuthorizerResultTtlInSeconds: { Ref: 'AWS::NoValue' } });
    const gateway = await start(restTemplate({ SessionAuthorizer: unset }));

    for (const seconds of [0, 299, 1]) {
      gateway.pass(seconds);
      await gateway.send('GET', '/session', [COOKIE]);
    }

    expect(gateway.authorizerEvents).toHaveLength(2);
  });

  it('lets a session in that ended since, until the time is over: why it is off by default', async () => {
    let isLoggedIn = true;
    const answerNow = () => (isLoggedIn ? allow() : { result: policy('Deny', '*') });
    const gateway = await start(cached, { authorize: answerNow });
    const statusAfter = async (seconds: number) => {
      gateway.pass(seconds);
      return (await gateway.send('GET', '/session', [COOKIE])).status;
    };

    expect(await statusAfter(0)).toBe(200);
    isLoggedIn = false;
    expect(await statusAfter(59)).toBe(200);
    expect(await statusAfter(1)).toBe(403);
  });

  it('is off with a lifetime of 0: the session that ended is refused at once', async () => {
    let isLoggedIn = true;
    const gateway = await start(restTemplate(), {
      authorize: () => (isLoggedIn ? allow() : { result: policy('Deny', '*') }),
    });

    expect((await gateway.send('GET', '/session', [COOKIE])).status).toBe(200);
    isLoggedIn = false;
    expect((await gateway.send('GET', '/session', [COOKIE])).status).toBe(403);
  });

  it('keeps the policy and holds it against each ARN anew', async () => {
    const gateway = await start(cached, {
      authorize: (event: Event) => ({ result: policy('Allow', event.methodArn) }),
    });

    expect((await gateway.send('GET', '/session', [COOKIE])).status).toBe(200);
    expect((await gateway.send('DELETE', '/session', [COOKIE])).status).toBe(403);
    expect(gateway.authorizerEvents).toHaveLength(1);
  });

  it('keeps denials, by the identity only, and never errors', async () => {
    const outcomes = [failure('down'), { result: policy('Deny', '*') }, allow()];
    const gateway = await start(cached, { authorize: () => outcomes.shift() ?? failure('asked too often') });

    expect((await gateway.send('GET', '/session', [COOKIE])).status).toBe(500);
    expect((await gateway.send('GET', '/session', [COOKIE])).status).toBe(403);
    expect((await gateway.send('GET', '/session', [COOKIE])).status).toBe(403);
    expect((await gateway.send('GET', '/session', [['Cookie', 'session=other']])).status).toBe(200);
  });
});
