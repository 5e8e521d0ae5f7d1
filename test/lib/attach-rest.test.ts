// SPDX-License-Identifier: Apache-2.0
/** RestSessionAuthorizer on APIs that exist already: imported, of other stacks, accounts and regions. */
import { App, CfnOutput, Fn, Stack } from 'aws-cdk-lib';
import {
  ApiDefinition,
  AuthorizationType,
  Deployment,
  type IRestApi,
  MockIntegration,
  RestApi,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { RestSessionAuthorizer, SessionAuthorizerFunction } from '../../lib';
import { AMERICA, createAuthorizerFunction, EUROPE, OTHER_ACCOUNT_ARN, synthesisOf, textOf } from './attaching';
import { createApp, createStack, messagesOf, onlyResource, resourcesOf, routesOf } from './synthesis';

const AUTHORIZER = 'AWS::ApiGateway::Authorizer';
const PERMISSION = 'AWS::Lambda::Permission';

function importApi(stack: Stack): IRestApi {
  return RestApi.fromRestApiAttributes(stack, 'Imported', { restApiId: 'abc123', rootResourceId: 'root' });
}

describe('an imported API', () => {
  function attach(openRoutes?: string[]) {
    const stack = createStack();
    const api = importApi(stack);
    const authorizerFunction = createAuthorizerFunction(stack);
    const authorizer = new RestSessionAuthorizer(stack, 'Authorizer', { authorizerFunction, restApi: api, openRoutes });
    return { stack, api, authorizer };
  }

  test('gets the authorizer and its permission, also without a new method', () => {
    const { stack } = attach();

    expect(onlyResource(stack, AUTHORIZER).RestApiId).toBe('abc123');
    const [authorizerId] = Object.keys(resourcesOf(stack, AUTHORIZER));
    expect(textOf(onlyResource(stack, PERMISSION).SourceArn)).toBe(
      `arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:abc123/authorizers/<${authorizerId}>`,
    );
  });

  test('protects a method that is given the authorizer', () => {
    const { stack, api, authorizer } = attach();
    api.root.addResource('orders').addMethod('GET', new MockIntegration(), { authorizer });

    expect(routesOf(stack)['GET /orders']).toMatchObject({ authorizationType: 'CUSTOM' });
  });

  test('never gets a public method by accident: synthesis fails and lists it', () => {
    const { stack, api } = attach();
    api.root.addResource('orders').addMethod('GET', new MockIntegration());

    expect(synthesisOf(stack)).toThrow(
      /methods added to the imported API without authorization: GET \/orders; pass auth/,
    );
  });

  test('gets a public method where that is wanted', () => {
    const { stack, api } = attach(['GET /health']);
    api.root.addResource('health').addMethod('GET', new MockIntegration());

    expect(synthesisOf(stack)).not.toThrow();
  });

  test('leaves methods with another authorization alone', () => {
    const { stack, api } = attach();
    const iam = { authorizationType: AuthorizationType.IAM };
    api.root.addResource('internal').addMethod('GET', new MockIntegration(), iam);

    expect(synthesisOf(stack)).not.toThrow();
  });

  test('says that nothing is live before a deployment, with the command', () => {
    expect(messagesOf(attach().stack, 'info')).toContainEqual(
      expect.stringContaining('aws apigateway create-deployment --rest-api-id abc123 --stage-name'),
    );
  });
});

test('an imported API with a deployment needs no such word', () => {
  const stack = createStack();
  const api = importApi(stack);
  const authorizerFunction = createAuthorizerFunction(stack);
  const authorizer = new RestSessionAuthorizer(stack, 'Authorizer', { authorizerFunction, restApi: api });
  authorizer.redeployOnChange(new Deployment(stack, 'Deployment', { api, stageName: 'prod' }));

  expect(messagesOf(stack, 'info')).toEqual([]);
});

describe('a deployment of an imported API', () => {
  function deploymentWith(paths: readonly string[], redeploy = true) {
    const stack = createStack();
    const api = importApi(stack);
    const authorizerFunction = createAuthorizerFunction(stack);
    const authorizer = new RestSessionAuthorizer(stack, 'Authorizer', { authorizerFunction, restApi: api });
    const deployment = new Deployment(stack, 'Deployment', { api, stageName: 'prod' });
    if (redeploy) authorizer.redeployOnChange(deployment);
    for (const path of paths) api.root.addResource(path).addMethod('GET', new MockIntegration(), { authorizer });
    const [found] = Object.entries(resourcesOf(stack, 'AWS::ApiGateway::Deployment'));
    const methods = Object.keys(resourcesOf(stack, 'AWS::ApiGateway::Method'));
    return { id: found?.[0], dependsOn: found?.[1].DependsOn ?? [], methods };
  }

  test('is made anew when a method is added, which CDK alone does not do', () => {
    expect(deploymentWith(['a']).id).not.toBe(deploymentWith(['a', 'b']).id);
    expect(deploymentWith(['a']).id).toBe(deploymentWith(['a']).id);
    expect(deploymentWith(['a'], false).id).toBe(deploymentWith(['a', 'b'], false).id);
  });

  test('waits for the methods, also for those added after it', () => {
    const { dependsOn, methods } = deploymentWith(['a', 'b']);

    expect(methods).toHaveLength(2);
    expect(dependsOn).toEqual(expect.arrayContaining(methods));
  });
});

describe('a function known by its ARN', () => {
  function attachTo(functionArn: (stack: Stack) => string, stack = createStack()) {
    const authorizerFunction = SessionAuthorizerFunction.fromFunctionArn(stack, 'Function', functionArn(stack));
    new RestSessionAuthorizer(stack, 'Authorizer', { authorizerFunction, restApi: importApi(stack) });
    return stack;
  }

  test.each([
    ['an export of another stack', () => Fn.importValue('AuthorizerFunctionArn')],
    ['an SSM parameter', (stack: Stack) => StringParameter.valueForStringParameter(stack, '/sessiongate/function')],
    ['a literal of this account', () => 'arn:aws:lambda:eu-west-1:111122223333:function:authorizer'],
  ])('gets its permission when the ARN is %s', (_name, functionArn) => {
    const stack = attachTo(functionArn, createStack({ env: EUROPE }));

    expect(onlyResource(stack, PERMISSION)).toMatchObject({ Principal: 'apigateway.amazonaws.com' });
    expect(textOf(onlyResource(stack, AUTHORIZER).AuthorizerUri)).toMatch(
      /:apigateway:eu-west-1:lambda:path\/2015-03-31\/functions\/.*\/invocations$/,
    );
  });

  test("of another region is called there, and asks for its owner's permission", () => {
    const stack = attachTo(() => OTHER_ACCOUNT_ARN, createStack({ env: AMERICA }));

    expect(onlyResource(stack, AUTHORIZER).AuthorizerUri).toBe(
      `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/${OTHER_ACCOUNT_ARN}/invocations`,
    );
    expect(resourcesOf(stack, PERMISSION)).toEqual({});
    expect(messagesOf(stack, 'info')).toContainEqual(
      expect.stringMatching(/of another account or region: call allowApi/),
    );
  });
});

describe("the team's own API", () => {
  test('with the authorizer as its default leaves OPTIONS and what is exempt open', () => {
    const stack = createStack();
    const authorizer = new RestSessionAuthorizer(stack, 'Authorizer', {
      authorizerFunction: createAuthorizerFunction(stack),
    });
    const api = new RestApi(stack, 'Api', {
      defaultMethodOptions: { authorizer },
      defaultCorsPreflightOptions: { allowOrigins: ['https://app.example.com'], allowCredentials: true },
    });
    api.root.addResource('orders').addMethod('GET', new MockIntegration());
    const exempt = { authorizationType: AuthorizationType.NONE };
    api.root.addResource('health').addMethod('GET', new MockIntegration(), exempt);

    const types = Object.entries(routesOf(stack)).map(([route, { authorizationType }]) => [route, authorizationType]);
    expect(Object.fromEntries(types)).toEqual({
      'OPTIONS /': 'NONE',
      'GET /orders': 'CUSTOM',
      'OPTIONS /orders': 'NONE',
      'GET /health': 'NONE',
      'OPTIONS /health': 'NONE',
    });
  });

  test('with every method exempt says that the authorizer is not used', () => {
    const stack = createStack();
    const authorizer = new RestSessionAuthorizer(stack, 'Authorizer', {
      authorizerFunction: createAuthorizerFunction(stack),
    });
    const api = new RestApi(stack, 'Api', { defaultMethodOptions: { authorizer } });
    api.root.addMethod('GET', new MockIntegration(), { authorizationType: AuthorizationType.NONE });

    expect(synthesisOf(stack)).toThrow(/no REST API uses this authorizer/);
  });

  test('is deployed again on a change also without the feature flags of this checkout', () => {
    const deploymentFor = (asset: string) => {
      const stack = new Stack(new App(), 'Stack');
      const authorizerFunction = SessionAuthorizerFunction.fromFunctionArn(
        stack,
        'Function',
        `arn:aws:lambda:eu-west-1:111122223333:function:${asset}`,
      );
      const authorizer = new RestSessionAuthorizer(stack, 'Authorizer', { authorizerFunction });
      new RestApi(stack, 'Api').root.addMethod('GET', new MockIntegration(), { authorizer });
      return Object.keys(resourcesOf(stack, 'AWS::ApiGateway::Deployment'))[0];
    };

    expect(deploymentFor('one')).toBe(deploymentFor('one'));
    expect(deploymentFor('one')).not.toBe(deploymentFor('two'));
  });

  test('in a third stack, with methods in a fourth, needs no cycle', () => {
    const app = createApp();
    const [functionStack, apiStack, methodStack] = ['Function', 'Api', 'Methods'].map((id) => new Stack(app, id)) as [
      Stack,
      Stack,
      Stack,
    ];
    const api = new RestApi(apiStack, 'Api', { deploy: false });
    api.root.addMethod('GET', new MockIntegration(), { authorizationType: AuthorizationType.IAM });
    const authorizer = new RestSessionAuthorizer(apiStack, 'Authorizer', {
      authorizerFunction: createAuthorizerFunction(functionStack),
      restApi: api,
    });
    const imported = RestApi.fromRestApiAttributes(methodStack, 'Api', {
      restApiId: api.restApiId,
      rootResourceId: api.restApiRootResourceId,
    });
    imported.root.addResource('orders').addMethod('GET', new MockIntegration(), { authorizer });

    expect(() => app.synth()).not.toThrow();
    expect(Object.keys(resourcesOf(methodStack, 'AWS::ApiGateway::Method'))).toHaveLength(1);
    expect(functionStack.dependencies).toEqual([]);
  });

  test('described by OpenAPI takes the authorizer for methods added in CDK', () => {
    const stack = createStack();
    const authorizer = new RestSessionAuthorizer(stack, 'Authorizer', {
      authorizerFunction: createAuthorizerFunction(stack),
    });
    const api = new SpecRestApi(stack, 'Api', {
      apiDefinition: ApiDefinition.fromInline({ openapi: '3.0.1', info: { title: 'a', version: '1' }, paths: {} }),
    });
    api.root.addResource('orders').addMethod('GET', new MockIntegration(), { authorizer });

    expect(Object.keys(resourcesOf(stack, AUTHORIZER))).toHaveLength(1);
    expect(routesOf(stack)['GET /orders']).toMatchObject({ authorizationType: 'CUSTOM' });
  });
});

test('the authorizer id can be an output, to be used by hand', () => {
  const stack = createStack();
  const authorizer = new RestSessionAuthorizer(stack, 'Authorizer', {
    authorizerFunction: createAuthorizerFunction(stack),
    restApi: importApi(stack),
  });
  new CfnOutput(stack, 'AuthorizerId', { value: authorizer.authorizerId });

  expect(synthesisOf(stack)).not.toThrow();
});
