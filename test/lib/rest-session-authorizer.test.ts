// SPDX-License-Identifier: Apache-2.0
/** What RestSessionAuthorizer puts into the template of the API it protects. */
import { type App, Duration, Stack } from 'aws-cdk-lib';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { RestSessionAuthorizer, SessionAuthorizerFunction, SessionTable, type SessionTableProps } from '../../lib';
import { createApp, createStack, messagesOf, onlyResource, resourcesOf } from './synthesis';

function createAuthorizerFunction(stack: Stack, props: SessionTableProps = {}): SessionAuthorizerFunction {
  return new SessionAuthorizerFunction(stack, 'AuthorizerFunction', {
    sessionTable: new SessionTable(stack, 'Sessions', props),
  });
}

function protectedApi(stack: Stack, authorizer: RestSessionAuthorizer, id = 'Api'): RestApi {
  const api = new RestApi(stack, id);
  api.root.addMethod('GET', new MockIntegration(), { authorizer });
  return api;
}

function synthesize(resultsCacheTtl?: Duration, props: SessionTableProps = {}, stack = createStack()) {
  const authorizerFunction = createAuthorizerFunction(stack, props);
  const authorizer = new RestSessionAuthorizer(stack, 'Authorizer', { authorizerFunction, resultsCacheTtl });
  protectedApi(stack, authorizer);
  return { stack, authorizer, authorizerFunction };
}

function deploymentId(stack: Stack): string | undefined {
  return Object.keys(resourcesOf(stack, 'AWS::ApiGateway::Deployment'))[0];
}

describe('the authorizer', () => {
  test('asks for every request, and only for requests with a Cookie header', () => {
    const { stack } = synthesize();

    expect(onlyResource(stack, 'AWS::ApiGateway::Authorizer')).toMatchObject({
      Type: 'REQUEST',
      IdentitySource: 'method.request.header.Cookie',
      AuthorizerResultTtlInSeconds: 0,
    });
  });

  test('stands before the method that uses it', () => {
    const { stack } = synthesize();

    expect(onlyResource(stack, 'AWS::ApiGateway::Method')).toMatchObject({
      AuthorizationType: 'CUSTOM',
      AuthorizerId: { Ref: Object.keys(resourcesOf(stack, 'AWS::ApiGateway::Authorizer'))[0] },
    });
  });

  test('is the only one that may invoke the function', () => {
    const { stack } = synthesize();

    const [authorizerId] = Object.keys(resourcesOf(stack, 'AWS::ApiGateway::Authorizer'));
    const [functionId] = Object.keys(resourcesOf(stack, 'AWS::Lambda::Function'));
    const [apiId] = Object.keys(resourcesOf(stack, 'AWS::ApiGateway::RestApi'));
    const permission = onlyResource(stack, 'AWS::Lambda::Permission');
    expect(permission).toMatchObject({
      Action: 'lambda:InvokeFunction',
      FunctionName: { 'Fn::GetAtt': [functionId, 'Arn'] },
      Principal: 'apigateway.amazonaws.com',
    });
    expect(permission.SourceArn['Fn::Join'][1].slice(-3)).toEqual([
      { Ref: apiId },
      '/authorizers/',
      { Ref: authorizerId },
    ]);
  });

  test('has a name that changes with its API, because a replacement is created before the old one goes', () => {
    const nameOf = (apiId: string) => {
      const stack = createStack();
      const restApi = RestApi.fromRestApiAttributes(stack, 'Api', { restApiId: apiId, rootResourceId: 'root' });
      new RestSessionAuthorizer(stack, 'Authorizer', { authorizerFunction: createAuthorizerFunction(stack), restApi });
      return onlyResource(stack, 'AWS::ApiGateway::Authorizer').Name;
    };

    expect(nameOf('abc123')).toBe(nameOf('abc123'));
    expect(nameOf('abc123')).not.toBe(nameOf('def456'));
  });

  test('that no API uses fails synthesis and says what to do', () => {
    const stack = createStack();
    new RestSessionAuthorizer(stack, 'Authorizer', { authorizerFunction: createAuthorizerFunction(stack) });

    expect(() => (stack.node.root as App).synth()).toThrow(
      /no REST API uses this authorizer; give it to a route, or set restApi/,
    );
  });

  test('of one API refuses another, and says how to share the function instead', () => {
    const { stack, authorizer } = synthesize();

    expect(() => protectedApi(stack, authorizer, 'Other')).toThrow(
      /belongs to the REST API Stack\/Api; create another RestSessionAuthorizer with the same authorizerFunction/,
    );
  });

  test('is one per API, with one function for all of them', () => {
    const { stack, authorizerFunction } = synthesize();
    protectedApi(stack, new RestSessionAuthorizer(stack, 'Second', { authorizerFunction }), 'Other');

    expect(Object.keys(resourcesOf(stack, 'AWS::ApiGateway::Authorizer'))).toHaveLength(2);
    expect(Object.keys(resourcesOf(stack, 'AWS::Lambda::Permission'))).toHaveLength(2);
    expect(Object.keys(resourcesOf(stack, 'AWS::Lambda::Function'))).toHaveLength(1);
  });
});

describe('result caching', () => {
  const uncheckedSettings: SessionTableProps = { csrf: 'off' };

  test('is possible up to a minute where nothing depends on the single request, and says what it costs', () => {
    const { stack } = synthesize(Duration.seconds(60), uncheckedSettings);

    expect(onlyResource(stack, 'AWS::ApiGateway::Authorizer').AuthorizerResultTtlInSeconds).toBe(60);
    expect(onlyResource(stack, 'AWS::Lambda::Function').Environment.Variables.SESSIONGATE_CACHE_SECONDS).toBe('60');
    expect(messagesOf(stack, 'info')).toContainEqual(
      expect.stringMatching(/logout and revocation take effect up to 60 seconds later/),
    );
  });

  test.each<[string, Duration, SessionTableProps, RegExp]>([
    ['above a minute', Duration.seconds(61), uncheckedSettings, /must be at most 60 seconds, got 61/],
    [
      'as a number',
      30 as never,
      uncheckedSettings,
      /^resultsCacheTtl must be a Duration, got a number; pass Duration.seconds\(30\)/,
    ],
    ['with a CSRF check', Duration.seconds(10), {}, /needs csrf 'off', got 'compatible'/],
    [
      'with an idle timeout',
      Duration.seconds(10),
      { ...uncheckedSettings, idleTimeout: Duration.hours(1) },
      /cannot go with idleTimeout/,
    ],
  ])('is refused %s', (_name, resultsCacheTtl, props, message) => {
    expect(() => synthesize(resultsCacheTtl, props)).toThrow(message);
  });

  test('is refused for a function whose settings are not known', () => {
    const stack = createStack();
    const authorizerFunction = SessionAuthorizerFunction.fromFunctionArn(
      stack,
      'Imported',
      'arn:aws:lambda:eu-west-1:111122223333:function:authorizer',
    );

    expect(
      () =>
        new RestSessionAuthorizer(stack, 'Authorizer', { authorizerFunction, resultsCacheTtl: Duration.seconds(1) }),
    ).toThrow(/needs the SessionAuthorizerFunction itself/);
  });
});

describe('the stage', () => {
  test('is deployed again when the authorizer changes, and not otherwise', () => {
    const withCache = (seconds: number) => deploymentId(synthesize(Duration.seconds(seconds), { csrf: 'off' }).stack);

    expect(withCache(10)).toBe(withCache(10));
    expect(withCache(10)).not.toBe(withCache(20));
  });

  test('is deployed after the authorizer', () => {
    const { stack } = synthesize();

    const [deployment] = Object.values(resourcesOf(stack, 'AWS::ApiGateway::Deployment'));
    expect(deployment?.DependsOn).toEqual(
      expect.arrayContaining(Object.keys(resourcesOf(stack, 'AWS::ApiGateway::Authorizer'))),
    );
  });
});

describe('function and API in different stacks', () => {
  test.each(['the stack of the API', 'the stack of the function'])(
    'need no cycle with the authorizer in %s',
    (place) => {
      const app = createApp();
      const functionStack = new Stack(app, 'FunctionStack');
      const apiStack = new Stack(app, 'ApiStack');
      const authorizerFunction = createAuthorizerFunction(functionStack);
      const scope = place === 'the stack of the API' ? apiStack : functionStack;
      protectedApi(apiStack, new RestSessionAuthorizer(scope, 'Authorizer', { authorizerFunction }));

      expect(Object.keys(resourcesOf(apiStack, 'AWS::ApiGateway::Authorizer'))).toHaveLength(1);
      expect(Object.keys(resourcesOf(apiStack, 'AWS::Lambda::Permission'))).toHaveLength(1);
      expect(resourcesOf(functionStack, 'AWS::Lambda::Permission')).toEqual({});
      expect(apiStack.dependencies).toEqual([functionStack]);
      expect(functionStack.dependencies).toEqual([]);
    },
  );

  test('of different regions are refused with the way to do it', () => {
    const app = createApp();
    const functionStack = new Stack(app, 'FunctionStack', { env: { account: '111122223333', region: 'eu-west-1' } });
    const apiStack = new Stack(app, 'ApiStack', { env: { account: '111122223333', region: 'us-east-1' } });
    const authorizerFunction = createAuthorizerFunction(functionStack);
    const authorizer = new RestSessionAuthorizer(apiStack, 'Authorizer', { authorizerFunction });

    expect(() => protectedApi(apiStack, authorizer)).toThrow(/fromFunctionArn with its literal ARN here, and allowApi/);
  });
});
