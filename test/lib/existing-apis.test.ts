// SPDX-License-Identifier: Apache-2.0
/** SessionStack with ids of existing APIs: an authorizer for each, and the next step in the outputs. */
import { Template } from 'aws-cdk-lib/assertions';
import { SessionStack, type SessionStackProps } from '../../lib';
import { textOf } from './attaching';
import { createApp, resourcesOf } from './synthesis';

function createSessionStack(props: SessionStackProps): SessionStack {
  return new SessionStack(createApp(), 'Sessions', { allowedOrigins: ['https://app.example.com'], ...props });
}

function outputsOf(stack: SessionStack): Record<string, string> {
  const outputs: Record<string, { Value: unknown }> = Template.fromStack(stack).toJSON().Outputs;
  return Object.fromEntries(Object.entries(outputs).map(([name, { Value }]) => [name, textOf(Value)]));
}

test.each<[string, SessionStackProps, string, string, string]>([
  [
    'REST',
    { attachRestApiIds: ['abc123'] },
    'AWS::ApiGateway::Authorizer',
    'RestApiabc123',
    'aws apigateway update-method --rest-api-id abc123 --resource-id <resource> --http-method <method> --patch-operations ' +
      'op=replace,path=/authorizationType,value=CUSTOM op=replace,path=/authorizerId,value=ID ' +
      '&& aws apigateway create-deployment --rest-api-id abc123 --stage-name <stage>',
  ],
  [
    'HTTP',
    { attachHttpApiIds: ['abc123'] },
    'AWS::ApiGatewayV2::Authorizer',
    'HttpApiabc123',
    'aws apigatewayv2 update-route --api-id abc123 --route-id <route> --authorization-type CUSTOM --authorizer-id ID',
  ],
  [
    'WebSocket',
    { attachWebSocketApiIds: ['abc123'] },
    'AWS::ApiGatewayV2::Authorizer',
    'WebSocketApiabc123',
    'aws apigatewayv2 update-route --api-id abc123 --route-id <route of $connect> --authorization-type CUSTOM --authorizer-id ID',
  ],
])('a %s API gets an authorizer, whose id and next step are outputs', (_kind, props, type, name, nextStep) => {
  const stack = createSessionStack(props);

  const outputs = outputsOf(stack);
  const id = outputs[`${name}AuthorizerId`] ?? '';
  const authorizer = resourcesOf(stack, type)[id.replace(/[<>]/g, '')];
  expect(authorizer?.Properties.RestApiId ?? authorizer?.Properties.ApiId).toBe('abc123');
  expect(outputs[`${name}NextStep`]).toBe(nextStep.replace('ID', id));
});

test('an id given twice is attached once, several ids each for itself', () => {
  const stack = createSessionStack({ attachHttpApiIds: ['abc123', 'def456', 'abc123'] });

  expect(Object.keys(resourcesOf(stack, 'AWS::ApiGatewayV2::Authorizer'))).toHaveLength(2);
});

test('the function may be invoked by the authorizer of each API, and by no other', () => {
  const stack = createSessionStack({ attachRestApiIds: ['abc123'], attachHttpApiIds: ['def456'] });

  const sources = Object.values(resourcesOf(stack, 'AWS::Lambda::Permission')).map(({ Properties }) =>
    textOf(Properties.SourceArn),
  );
  expect(sources).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/:abc123\/authorizers\/</),
      expect.stringMatching(/:def456\/authorizers\/</),
    ]),
  );
});

test.each<[string, SessionStackProps, RegExp]>([
  [
    'a URL',
    { attachRestApiIds: ['https://abc123.execute-api.eu-west-1.amazonaws.com'] },
    /^attachRestApiIds must hold ids of APIs/,
  ],
  ['an ARN', { attachHttpApiIds: ['arn:aws:apigateway:eu-west-1::/apis/abc123'] }, /^attachHttpApiIds must hold ids/],
  ['an empty id', { attachWebSocketApiIds: [''] }, /^attachWebSocketApiIds must hold ids/],
  [
    'a WebSocket API without origins',
    { attachWebSocketApiIds: ['abc123'], allowedOrigins: [] },
    /needs allowedOrigins/,
  ],
])('%s is refused', (_name, props, message) => {
  expect(() => createSessionStack(props)).toThrow(message);
});
