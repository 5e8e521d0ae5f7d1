// SPDX-License-Identifier: Apache-2.0
/** WebSocketSessionAuthorizer: what it puts before `$connect`. */
import { Stack } from 'aws-cdk-lib';
import { HttpApi, type IWebSocketApi, WebSocketApi, WebSocketRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketMockIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { WebSocketSessionAuthorizer } from '../../lib';
import { createAuthorizerFunction, synthesisOf, textOf } from './attaching';
import { createApp, createStack, onlyResource, resourcesOf } from './synthesis';

const AUTHORIZER = 'AWS::ApiGatewayV2::Authorizer';
const PERMISSION = 'AWS::Lambda::Permission';
const mock = () => new WebSocketMockIntegration('Mock');

function createAuthorizer(stack: Stack, webSocketApi?: IWebSocketApi) {
  return new WebSocketSessionAuthorizer(stack, 'Authorizer', {
    authorizerFunction: createAuthorizerFunction(stack),
    webSocketApi,
  });
}

test('stands before $connect, with the Cookie header as its source and nothing that WebSocket APIs lack', () => {
  const stack = createStack();
  new WebSocketApi(stack, 'Api', { connectRouteOptions: { integration: mock(), authorizer: createAuthorizer(stack) } });

  const { Name, AuthorizerUri, ApiId, ...others } = onlyResource(stack, AUTHORIZER);
  expect(others).toEqual({ AuthorizerType: 'REQUEST', IdentitySource: ['route.request.header.Cookie'] });
  expect(onlyResource(stack, 'AWS::ApiGatewayV2::Route')).toMatchObject({
    RouteKey: '$connect',
    AuthorizationType: 'CUSTOM',
    AuthorizerId: { Ref: Object.keys(resourcesOf(stack, AUTHORIZER))[0] },
  });
  expect(textOf(onlyResource(stack, PERMISSION).SourceArn)).toMatch(/:<\w+>\/authorizers\/<\w+>$/);
});

test('on a later route is refused by the CDK: only $connect can have an authorizer', () => {
  const stack = createStack();
  const webSocketApi = new WebSocketApi(stack, 'Api');

  expect(
    () =>
      new WebSocketRoute(stack, 'R', {
        webSocketApi,
        routeKey: 'say',
        integration: mock(),
        authorizer: createAuthorizer(stack),
      }),
  ).toThrow(/only set a WebSocket authorizer to a \$connect route/);
});

test('needs the origins of the pages that may connect', () => {
  const stack = createStack();
  const authorizerFunction = createAuthorizerFunction(stack, { allowedOrigins: [] });

  expect(() => new WebSocketSessionAuthorizer(stack, 'Authorizer', { authorizerFunction })).toThrow(
    /needs allowedOrigins on the SessionTable/,
  );
});

test('is made for an imported API, with or without its $connect route', () => {
  const stack = createStack();
  const api = WebSocketApi.fromWebSocketApiAttributes(stack, 'Imported', { webSocketId: 'abc123' });
  const authorizer = createAuthorizer(stack, api);
  new WebSocketRoute(stack, 'Connect', { webSocketApi: api, routeKey: '$connect', integration: mock(), authorizer });

  expect(onlyResource(stack, AUTHORIZER).ApiId).toBe('abc123');
  expect(textOf(onlyResource(stack, PERMISSION).SourceArn)).toContain(':abc123/authorizers/<');
});

test('function and API can be in different stacks without a cycle', () => {
  const app = createApp();
  const [functionStack, apiStack] = [new Stack(app, 'Function'), new Stack(app, 'Api')];
  new WebSocketApi(apiStack, 'Api', {
    connectRouteOptions: { integration: mock(), authorizer: createAuthorizer(functionStack) },
  });

  expect(() => app.synth()).not.toThrow();
  expect(Object.keys(resourcesOf(apiStack, PERMISSION))).toHaveLength(1);
  expect(functionStack.dependencies).toEqual([]);
});

test('of one API refuses another', () => {
  const stack = createStack();
  const authorizer = createAuthorizer(stack, new WebSocketApi(stack, 'Api'));

  expect(() => new WebSocketApi(stack, 'Other', { connectRouteOptions: { integration: mock(), authorizer } })).toThrow(
    /belongs to the WebSocket API Stack\/Api; create another WebSocketSessionAuthorizer/,
  );
});

test('says so when the API is of another kind, or there is none', () => {
  const stack = createStack();
  expect(() => createAuthorizer(stack, new HttpApi(stack, 'Http') as never)).toThrow(/Stack\/Http is a HTTP API/);

  const other = createStack();
  createAuthorizer(other);
  expect(synthesisOf(other)).toThrow(/no WebSocket API uses this authorizer; give it to a route, or set webSocketApi/);
});
