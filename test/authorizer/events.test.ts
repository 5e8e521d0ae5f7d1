// SPDX-License-Identifier: Apache-2.0
/** Which events are recognized, and which ARNs may stand in a policy. */
import { recognizeEvent } from '../../lambda/authorizer/event-kind';
import { stageResource } from '../../lambda/authorizer/policy';
import { recordedEvent } from './set-up';

const ARN = 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/GET/hello';

describe('an event', () => {
  it.each([
    ['rest', 'rest'],
    ['rest-test-invoke', 'rest'],
    ['http-1.0', 'http1'],
    ['http-2.0', 'http2'],
    ['http-2.0-cookie-header', 'http2'],
    ['web-socket-connect', 'webSocket'],
  ])('recorded as %s is recognized as %s', (name, kind) => {
    expect(recognizeEvent(recordedEvent(name)).kind).toBe(kind);
  });

  it.each([
    ['its event type', { methodArn: ARN, requestContext: { eventType: 'CONNECT' } }],
    ['its connection', { methodArn: ARN, requestContext: { connectionId: 'c=' } }],
    ['its ARN', { methodArn: 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/live/$connect' }],
  ])('is taken for a WebSocket handshake by %s alone', (_, event) => {
    expect(recognizeEvent(event).kind).toBe('webSocket');
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'x'],
    ['an array', []],
    ['an empty object', {}],
    ['an integration event', { version: '2.0', rawPath: '/', type: undefined, routeKey: 'GET /' }],
    ['an unknown version', { version: '3.0', methodArn: ARN }],
    ['a version that is a number', { version: 2, methodArn: ARN }],
    ['a token authorizer', { type: 'TOKEN', methodArn: ARN, authorizationToken: 'x' }],
    ['an inherited ARN', Object.create({ methodArn: ARN })],
  ])('that is %s throws', (_, event) => {
    expect(() => stageResource(recognizeEvent(event).arn)).toThrow(TypeError);
  });
});

describe('a resource', () => {
  it.each([
    [ARN, 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/*'],
    [`${ARN}/*/../?`, 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/*'],
    [
      'arn:aws:execute-api:eu-west-1:123456789012:a1/$default/GET/',
      'arn:aws:execute-api:eu-west-1:123456789012:a1/$default/*',
    ],
    [
      'arn:aws-cn:execute-api:cn-north-1:123456789012:a1/v1/GET/x',
      'arn:aws-cn:execute-api:cn-north-1:123456789012:a1/v1/*',
    ],
    [
      'arn:aws-us-gov:execute-api:us-gov-west-1:123456789012:a1/x_y-z/GET/',
      'arn:aws-us-gov:execute-api:us-gov-west-1:123456789012:a1/x_y-z/*',
    ],
  ])('of %s is its stage', (arn, resource) => {
    expect(stageResource(arn)).toBe(resource);
  });

  it.each([
    ['no text', 42],
    ['no ARN', 'foo'],
    ['of another service', 'arn:aws:s3:::bucket/*'],
    ['without a stage', 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234'],
    ['of any API', 'arn:aws:execute-api:eu-west-1:123456789012:*/prod/GET/x'],
    ['of any stage', 'arn:aws:execute-api:eu-west-1:123456789012:a1/*/GET/x'],
    ['of a stage with a wildcard', 'arn:aws:execute-api:eu-west-1:123456789012:a1/pro?/GET/x'],
    ['of a stage with a variable', `arn:aws:execute-api:eu-west-1:123456789012:a1/$\{aws:username}/GET/x`],
    ['of any region', 'arn:aws:execute-api:*:123456789012:a1/prod/GET/x'],
    ['of any account', 'arn:aws:execute-api:eu-west-1:*:a1/prod/GET/x'],
    ['of any partition', 'arn:*:execute-api:eu-west-1:123456789012:a1/prod/GET/x'],
    ['with a line break', 'arn:aws:execute-api:eu-west-1:123456789012:a1/prod\n/GET/x'],
  ])('is not made of an ARN that is %s', (_, arn) => {
    expect(() => stageResource(arn)).toThrow(TypeError);
  });
});
