// SPDX-License-Identifier: Apache-2.0
/** Faults that others reported about answers, policies and ARNs, as inputs for this authorizer. */
import { ALLOW, authorizerOver, DENY, type Event, recordedEvent, restEvent, sessionItem } from './set-up';

const API = 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234';

function at(methodArn: string): Event {
  return { ...restEvent(), methodArn };
}

it('issue jwt-rsa-aws-custom-authorizer#6, serverless/examples#474: the thrown message is exactly Unauthorized', async () => {
  const { authorize } = authorizerOver({}, { deny: 'throw' });
  const error = await authorize(restEvent({ cookie: 'a=1' })).catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toBe('Unauthorized');
});

it('issue chalice#971: a refusal is a Deny, not an empty list', async () => {
  const { authorize } = authorizerOver({});

  expect(await authorize(restEvent())).toMatchObject(DENY);
});

it('issue aws-apigateway-lambda-authorizer-blueprints#21: a hundred refusals are no errors of the function', async () => {
  const { authorize } = authorizerOver({});
  const settled = await Promise.allSettled(Array.from({ length: 100 }, () => authorize(restEvent())));

  expect(settled.filter(({ status }) => status === 'rejected')).toEqual([]);
});

it('issue DefinitelyTyped#69823: absent attributes leave no "undefined" in the context', async () => {
  const { issued_at: _, authenticated_at: __, ...item } = sessionItem();
  const { authorize } = authorizerOver({ item });
  const result = await authorize(restEvent());

  expect(result).toMatchObject(ALLOW);
  expect(JSON.stringify(result)).not.toMatch(/undefined|null|NaN/);
});

it('issue powertools-lambda-typescript#3483: identitySource may be null', async () => {
  const { authorize } = authorizerOver({ item: sessionItem() });

  expect(await authorize({ ...recordedEvent('http-2.0'), identitySource: null })).toMatchObject(ALLOW);
});

it.each([[sessionItem()], [undefined]])('issue ministack#1370: isAuthorized is a boolean', async (item) => {
  const { authorize } = authorizerOver({ item }, { response: 'simple' });
  const result = await authorize(recordedEvent('http-2.0'));

  expect(result).toMatchObject({ isAuthorized: item !== undefined });
});

it.each([
  ['serverless#6176: the next path is allowed too', `${API}/prod/GET/a/1`, `${API}/prod/*`],
  ['aws-sam-cli#5777: the root is matched', `${API}/Prod/GET/`, `${API}/Prod/*`],
  ['aws-sam-cli#9155: $default is a name', `${API}/$default/GET/x`, `${API}/$default/*`],
  ['powertools-lambda-python#1047: a greedy path', `${API}/dev/GET/name/a/b/c`, `${API}/dev/*`],
  ['powertools-lambda-python#7979: an encoded template', `${API}/dev/GET/%7Bproxy+%7D`, `${API}/dev/*`],
  ['serverless-offline#273: a path with a wildcard', `${API}/prod/GET/users/*`, `${API}/prod/*`],
])('issue %s', async (_, methodArn, resource) => {
  const { authorize } = authorizerOver({ item: sessionItem() });
  const event = at(methodArn);

  expect(await authorize(event)).toMatchObject({
    policyDocument: { Statement: [{ Effect: 'Allow', Resource: resource }] },
  });
});

it('issue keryx#83, bun#36155: a handshake from another site is refused, cookie and all', async () => {
  const event = recordedEvent('web-socket-connect');
  event.multiValueHeaders.Origin = ['https://attacker.example'];
  const { authorize, calls } = authorizerOver({ item: sessionItem() });

  expect(await authorize(event)).toMatchObject(DENY);
  expect(calls.reads).toEqual([]);
});

it('issue architect#265: a handshake has no method, and its user is passed on', async () => {
  const event = recordedEvent('web-socket-connect');
  expect(event).not.toHaveProperty('httpMethod');
  const { authorize } = authorizerOver({ item: sessionItem() }, { csrf: 'strict' });

  expect(await authorize(event)).toMatchObject({ ...ALLOW, context: { user: 'alice' } });
});
