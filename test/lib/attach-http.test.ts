// SPDX-License-Identifier: Apache-2.0
/** HttpSessionAuthorizer: what it puts before the routes of an HTTP API. */
import { Duration, Stack } from 'aws-cdk-lib';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  type IHttpApi,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpSessionAuthorizer, SessionAuthorizerFunction } from '../../lib';
import {
  AMERICA,
  backend,
  createAuthorizerFunction,
  OTHER_ACCOUNT_ARN,
  orders,
  synthesisOf,
  textOf,
} from './attaching';
import { createApp, createStack, messagesOf, onlyResource, resourcesOf } from './synthesis';

const AUTHORIZER = 'AWS::ApiGatewayV2::Authorizer';
const PERMISSION = 'AWS::Lambda::Permission';

function createAuthorizer(stack: Stack, id = 'Authorizer') {
  return new HttpSessionAuthorizer(stack, id, { authorizerFunction: createAuthorizerFunction(stack) });
}

function authorizationOf(stack: Stack): Record<string, string> {
  return Object.fromEntries(
    Object.values(resourcesOf(stack, 'AWS::ApiGatewayV2::Route')).map(({ Properties }) => [
      Properties.RouteKey,
      Properties.AuthorizationType,
    ]),
  );
}

function importApi(stack: Stack): IHttpApi {
  return HttpApi.fromHttpApiAttributes(stack, 'Imported', { httpApiId: 'abc123' });
}

test('says everything that API Gateway or the CDK would otherwise choose: payload, policy, source, no cache', () => {
  const stack = createStack();
  new HttpApi(stack, 'Api').addRoutes({ ...orders(), authorizer: createAuthorizer(stack) });

  expect(onlyResource(stack, AUTHORIZER)).toMatchObject({
    AuthorizerType: 'REQUEST',
    AuthorizerPayloadFormatVersion: '2.0',
    EnableSimpleResponses: false,
    IdentitySource: ['$request.header.Cookie'],
    AuthorizerResultTtlInSeconds: 0,
  });
  expect(onlyResource(stack, 'AWS::ApiGatewayV2::Route')).toMatchObject({
    AuthorizationType: 'CUSTOM',
    AuthorizerId: { Ref: Object.keys(resourcesOf(stack, AUTHORIZER))[0] },
  });
});

test('is the only one that may invoke the function', () => {
  const stack = createStack();
  new HttpApi(stack, 'Api').addRoutes({ ...orders(), authorizer: createAuthorizer(stack) });

  const [apiId] = Object.keys(resourcesOf(stack, 'AWS::ApiGatewayV2::Api'));
  const [authorizerId] = Object.keys(resourcesOf(stack, AUTHORIZER));
  expect(textOf(onlyResource(stack, PERMISSION).SourceArn)).toBe(
    `arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<${apiId}>/authorizers/<${authorizerId}>`,
  );
});

test('is a default for every route but those exempt from it', () => {
  const stack = createStack();
  const api = new HttpApi(stack, 'Api', { defaultAuthorizer: createAuthorizer(stack) });
  api.addRoutes(orders());
  api.addRoutes({ ...orders(), path: '/health', authorizer: new HttpNoneAuthorizer() });

  expect(authorizationOf(stack)).toEqual({ 'GET /orders': 'CUSTOM', 'GET /health': 'NONE' });
});

test('warns of $default, which would ask preflights for a session', () => {
  const stack = createStack();
  new HttpApi(stack, 'Api', { defaultAuthorizer: createAuthorizer(stack), defaultIntegration: backend() });

  expect(messagesOf(stack, 'warning')).toContainEqual(expect.stringMatching(/\$default route also catches OPTIONS/));
});

test('caches within the same rules as on a REST API', () => {
  const stack = createStack();
  const authorizerFunction = createAuthorizerFunction(stack, { csrf: 'off' });
  const resultsCacheTtl = Duration.seconds(30);
  const authorizer = new HttpSessionAuthorizer(stack, 'Authorizer', { authorizerFunction, resultsCacheTtl });
  new HttpApi(stack, 'Api').addRoutes({ ...orders(), authorizer });

  expect(onlyResource(stack, AUTHORIZER).AuthorizerResultTtlInSeconds).toBe(30);
  expect(
    () => new HttpSessionAuthorizer(stack, 'Long', { authorizerFunction, resultsCacheTtl: Duration.hours(2) }),
  ).toThrow(/at most 60 seconds, got 7200/);
});

test('of one API refuses another; one function serves both', () => {
  const stack = createStack();
  const authorizerFunction = createAuthorizerFunction(stack);
  const authorizer = new HttpSessionAuthorizer(stack, 'Authorizer', { authorizerFunction });
  new HttpApi(stack, 'Api').addRoutes({ ...orders(), authorizer });
  const other = new HttpApi(stack, 'Other');

  expect(() => other.addRoutes({ ...orders(), authorizer })).toThrow(
    /belongs to the HTTP API Stack\/Api; create another HttpSessionAuthorizer with the same authorizerFunction/,
  );
});

test('one function serves several APIs, each with its own authorizer and permission', () => {
  const stack = createStack();
  const authorizerFunction = createAuthorizerFunction(stack);
  for (const id of ['First', 'Second'])
    new HttpApi(stack, id).addRoutes({
      ...orders(),
      authorizer: new HttpSessionAuthorizer(stack, `${id}Authorizer`, { authorizerFunction }),
    });

  expect(Object.keys(resourcesOf(stack, AUTHORIZER))).toHaveLength(2);
  expect(Object.keys(resourcesOf(stack, PERMISSION))).toHaveLength(2);
  expect(Object.keys(resourcesOf(stack, 'AWS::Lambda::Function'))).toHaveLength(1);
});

test('function and API can be in different stacks without a cycle', () => {
  const app = createApp();
  const [functionStack, apiStack] = [new Stack(app, 'Function'), new Stack(app, 'Api')];
  const authorizer = createAuthorizer(functionStack);
  new HttpApi(apiStack, 'Api').addRoutes({ ...orders(), authorizer });

  expect(() => app.synth()).not.toThrow();
  expect(Object.keys(resourcesOf(apiStack, PERMISSION))).toHaveLength(1);
  expect(functionStack.dependencies).toEqual([]);
});

describe('an imported API', () => {
  function attach(stack = createStack()) {
    const httpApi = importApi(stack);
    const authorizer = new HttpSessionAuthorizer(stack, 'Authorizer', {
      authorizerFunction: createAuthorizerFunction(stack),
      httpApi,
    });
    return { stack, httpApi, authorizer };
  }
  const routeKey = HttpRouteKey.with('/orders', HttpMethod.GET);

  test('gets the authorizer and its permission, also without a new route', () => {
    const { stack } = attach();

    expect(onlyResource(stack, AUTHORIZER).ApiId).toBe('abc123');
    expect(textOf(onlyResource(stack, PERMISSION).SourceArn)).toContain(':abc123/authorizers/<');
  });

  test('protects a route that is given the authorizer', () => {
    const { stack, httpApi, authorizer } = attach();
    new HttpRoute(stack, 'Orders', { httpApi, routeKey, integration: backend(), authorizer });

    expect(authorizationOf(stack)).toEqual({ 'GET /orders': 'CUSTOM' });
  });

  test('never gets a public route by accident', () => {
    const { stack, httpApi } = attach();
    new HttpRoute(stack, 'Orders', { httpApi, routeKey, integration: backend() });

    expect(synthesisOf(stack)).toThrow(/routes added to the imported API without authorization: GET \/orders; pass/);
  });

  test("calls a function of another region there, where the CDK takes the API's", () => {
    const stack = createStack({ env: AMERICA });
    const authorizerFunction = SessionAuthorizerFunction.fromFunctionArn(stack, 'Function', OTHER_ACCOUNT_ARN);
    new HttpSessionAuthorizer(stack, 'Authorizer', { authorizerFunction, httpApi: importApi(stack) });

    expect(onlyResource(stack, AUTHORIZER).AuthorizerUri).toContain(':apigateway:eu-west-1:lambda:');
    expect(resourcesOf(stack, PERMISSION)).toEqual({});
  });
});

test('says so when the API is of another kind', () => {
  const stack = createStack();
  const restApi = new RestApi(stack, 'Rest');
  restApi.root.addMethod('GET', new MockIntegration());
  const authorizerFunction = createAuthorizerFunction(stack);

  expect(() => new HttpSessionAuthorizer(stack, 'A', { authorizerFunction, httpApi: restApi as never })).toThrow(
    'Stack/Rest is a REST API; use the SessionAuthorizer for REST APIs',
  );
});

test('that no API uses fails synthesis', () => {
  const stack = createStack();
  createAuthorizer(stack);

  expect(synthesisOf(stack)).toThrow(/no HTTP API uses this authorizer; give it to a route, or set httpApi/);
});
