// SPDX-License-Identifier: Apache-2.0
/** What SessionApi puts into the template, and what it does not let through synthesis. */
import { type App, Stack } from 'aws-cdk-lib';
import { AuthorizationType, CfnMethod, MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { SessionApi, SessionAuthorizerFunction, SessionTable } from '../../lib';
import { createApi } from './created-api';
import {
  createApp,
  createFunction,
  createStack,
  type Resource,
  resourcesOf,
  routesOf,
  statementsOf,
} from './synthesis';

const SESSION_ROUTES = [
  'GET /session',
  'DELETE /session',
  'GET /sessions',
  'DELETE /sessions',
  'DELETE /sessions/{id}',
];

function gatewayResponses(stack: Stack): Record<string, Resource['Properties']> {
  return Object.fromEntries(
    Object.values(resourcesOf(stack, 'AWS::ApiGateway::GatewayResponse')).map(({ Properties }) => [
      Properties.ResponseType,
      Properties,
    ]),
  );
}

describe('routes', () => {
  test('are the session routes, each behind the session authorizer', () => {
    const { stack } = createApi();

    const [authorizerId] = Object.keys(resourcesOf(stack, 'AWS::ApiGateway::Authorizer'));
    const behindAuthorizer = { authorizationType: 'CUSTOM', authorizerId: { Ref: authorizerId } };
    expect(routesOf(stack)).toEqual(Object.fromEntries(SESSION_ROUTES.map((route) => [route, behindAuthorizer])));
  });

  test('added to the API get the authorizer by default', () => {
    const { stack, sessionApi } = createApi();
    sessionApi.api.root.addResource('hello').addMethod('GET', new MockIntegration());

    expect(routesOf(stack)['GET /hello']).toEqual(routesOf(stack)['GET /session']);
  });

  test('include POST /login, open, only with a login handler', () => {
    const stack = createStack();
    createApi({ loginHandler: createFunction(stack) }, stack);

    expect(routesOf(stack)['POST /login']).toEqual({ authorizationType: 'NONE', authorizerId: undefined });
    expect(routesOf(createApi().stack)).not.toHaveProperty('POST /login');
  });

  test('take a login handler later too, connected to the table', () => {
    const { stack, sessionApi, sessionTable } = createApi();
    sessionApi.addLoginHandler(createFunction(stack));

    const handler = Object.values(resourcesOf(stack, 'AWS::Lambda::Function')).find(
      ({ Properties }) => Properties.Description === undefined,
    );
    expect(JSON.parse(handler?.Properties.Environment.Variables.SESSIONGATE_SETTINGS)).toEqual(sessionTable.settings);
    expect(routesOf(stack)['POST /login']?.authorizationType).toBe('NONE');
  });

  test('take one login handler', () => {
    const stack = createStack();
    const { sessionApi } = createApi({ loginHandler: createFunction(stack) }, stack);

    expect(() => sessionApi.addLoginHandler(createFunction(stack, 'Second'))).toThrow(
      'Stack/SessionApi has a login handler already; give it once, as loginHandler or by addLoginHandler',
    );
  });

  test('take a login handler of the same stack, else table, API and handler would refer to each other in a circle', () => {
    const app = createApp();
    const { sessionApi } = createApi({}, new Stack(app, 'Sessions'));
    const handler = createFunction(new Stack(app, 'Login'));

    expect(() => sessionApi.addLoginHandler(handler)).toThrow(
      'define the login handler Login/Handler in the stack Sessions, where table and API are',
    );
  });

  test('take a login handler of another stack where the table is of a third', () => {
    const app = createApp();
    const [tableStack, loginStack, apiStack] = ['Table', 'Login', 'Api'].map((id) => new Stack(app, id)) as [
      Stack,
      Stack,
      Stack,
    ];
    const sessionTable = new SessionTable(tableStack, 'Sessions');
    const authorizerFunction = new SessionAuthorizerFunction(tableStack, 'AuthorizerFunction', { sessionTable });
    const loginHandler = createFunction(loginStack);
    new SessionApi(apiStack, 'Api', { sessionTable, authorizerFunction, loginHandler });

    expect(() => app.synth()).not.toThrow();
    expect(tableStack.dependencies).toEqual([]);
  });

  test('are answered by a function that may manage sessions, and nothing else', () => {
    const { stack } = createApi();

    const statements = statementsOf(stack, 'Answers /session and /sessions');
    const actions = statements.flatMap(({ Action }) => Action).filter((action) => !action.startsWith('logs:'));
    expect(actions).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ]);
    expect(JSON.stringify(statements)).not.toContain('*');
  });
});

describe('a route without the authorizer', () => {
  const synthesize = (stack: Stack) => (stack.node.root as App).synth();

  test('fails synthesis, which lists every such route', () => {
    const { stack, sessionApi } = createApi();
    const open = { authorizationType: AuthorizationType.NONE };
    sessionApi.api.root.addResource('orders').addMethod('GET', new MockIntegration(), open);
    sessionApi.api.root.addResource('health').addMethod('ANY', new MockIntegration(), open);

    expect(() => synthesize(stack)).toThrow(/routes without the session authorizer: GET \/orders, ANY \/health;/);
  });

  test('fails synthesis when it is POST /login without a login handler', () => {
    const { stack, sessionApi } = createApi();
    sessionApi.api.root
      .addResource('login')
      .addMethod('POST', new MockIntegration(), { authorizationType: AuthorizationType.NONE });

    expect(() => synthesize(stack)).toThrow(/without the session authorizer: POST \/login;/);
  });

  test('fails synthesis when another authorization stands there', () => {
    const { stack, sessionApi } = createApi();
    new CfnMethod(stack, 'Raw', {
      restApiId: sessionApi.api.restApiId,
      resourceId: sessionApi.api.restApiRootResourceId,
      httpMethod: 'GET',
      authorizationType: 'AWS_IAM',
    });

    expect(() => synthesize(stack)).toThrow(/without the session authorizer: GET \(Stack\/Raw\);/);
  });

  test('is found in another stack too', () => {
    const app = createApp();
    const { sessionApi } = createApi({}, new Stack(app, 'Stack'));
    const imported = RestApi.fromRestApiAttributes(new Stack(app, 'Routes'), 'Api', {
      restApiId: sessionApi.api.restApiId,
      rootResourceId: sessionApi.api.restApiRootResourceId,
    });
    imported.root.addResource('orders').addMethod('GET', new MockIntegration());

    expect(() => app.synth()).toThrow(/without the session authorizer: GET \/orders;/);
  });

  test('can be wanted', () => {
    const { stack, sessionApi } = createApi({ routesWithoutSession: ['GET /health'] });
    sessionApi.api.root
      .addResource('health')
      .addMethod('GET', new MockIntegration(), { authorizationType: AuthorizationType.NONE });

    expect(() => synthesize(stack)).not.toThrow();
  });

  test('of another API is none of its business', () => {
    const { stack } = createApi();
    new RestApi(stack, 'Other').root.addMethod('GET', new MockIntegration());

    expect(() => synthesize(stack)).not.toThrow();
  });
});

describe('refusals', () => {
  test('look the same with a bad cookie as with none: status, body and headers', () => {
    const { UNAUTHORIZED, ACCESS_DENIED } = gatewayResponses(createApi().stack);

    expect(ACCESS_DENIED).toEqual({ ...UNAUTHORIZED, ResponseType: 'ACCESS_DENIED' });
    expect(UNAUTHORIZED).toMatchObject({
      StatusCode: '401',
      ResponseTemplates: { 'application/json': '{"message":"Unauthorized"}' },
    });
  });

  test('are kept by no cache, and ask for HTTPS', () => {
    for (const response of Object.values(gatewayResponses(createApi().stack)))
      expect(response.ResponseParameters).toEqual({
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.Strict-Transport-Security': "'max-age=63072000'",
      });
  });

  test('are told apart from an unknown route, which is 404', () => {
    expect(gatewayResponses(createApi().stack).MISSING_AUTHENTICATION_TOKEN).toMatchObject({
      StatusCode: '404',
      ResponseTemplates: { 'application/json': '{"message":"Not Found"}' },
    });
  });
});

describe('pages of another origin', () => {
  const table = { allowedOrigins: ['https://app.example.com'] };

  test('can read every answer of the gateway itself, by their exact origin and with cookies', () => {
    const responses = gatewayResponses(createApi({ table }).stack);

    expect(Object.keys(responses).sort()).toEqual([
      'ACCESS_DENIED',
      'DEFAULT_4XX',
      'DEFAULT_5XX',
      'MISSING_AUTHENTICATION_TOKEN',
      'UNAUTHORIZED',
    ]);
    for (const response of Object.values(responses))
      expect(response.ResponseParameters).toMatchObject({
        'gatewayresponse.header.Access-Control-Allow-Origin': "'https://app.example.com'",
        'gatewayresponse.header.Access-Control-Allow-Credentials': "'true'",
        'gatewayresponse.header.Vary': "'Origin'",
      });
  });

  test('may ask beforehand on every path, also on paths added later, without a session', () => {
    const { stack, sessionApi } = createApi({ table });
    sessionApi.api.root.addResource('hello').addMethod('GET', new MockIntegration());

    const routes = routesOf(stack);
    for (const path of ['/', '/session', '/sessions', '/sessions/{id}', '/hello'])
      expect(routes[`OPTIONS ${path}`]).toEqual({ authorizationType: 'NONE', authorizerId: undefined });
    const preflight = Object.values(resourcesOf(stack, 'AWS::ApiGateway::Method')).find(
      ({ Properties }) => Properties.HttpMethod === 'OPTIONS',
    );
    expect(preflight?.Properties.Integration.IntegrationResponses[0].ResponseParameters).toMatchObject({
      'method.response.header.Access-Control-Allow-Origin': "'https://app.example.com'",
      'method.response.header.Access-Control-Allow-Credentials': "'true'",
    });
  });

  test('are answered nothing where no origin is allowed', () => {
    const { stack } = createApi();

    expect(Object.keys(routesOf(stack)).filter((route) => route.startsWith('OPTIONS'))).toEqual([]);
    expect(JSON.stringify(gatewayResponses(stack))).not.toContain('Access-Control');
  });

  test('of several origins are refused, with the ways out', () => {
    expect(() => createApi({ table: { allowedOrigins: ['https://a.example', 'https://b.example'] } })).toThrow(
      /allowedOrigins has 2 origins.*custom domain.*HTTP API/,
    );
  });
});
