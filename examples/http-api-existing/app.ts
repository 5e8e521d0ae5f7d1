// SPDX-License-Identifier: Apache-2.0
/** Sessions in front of HTTP APIs that exist already: one of this app, and one that is known by its id only. */
import { App, Stack } from 'aws-cdk-lib';
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { HttpSessionAuthorizer, SessionAuthorizerFunction, SessionTable } from 'sessiongate';

// An HTTP API answers several origins, each with its own name.
const allowedOrigins = ['https://app.example.com', 'https://admin.example.com'];

export const app = new App();

const platform = new Stack(app, 'SessionPlatform');
const sessionTable = new SessionTable(platform, 'Sessions', { allowedOrigins });
const authorizerFunction = new SessionAuthorizerFunction(platform, 'AuthorizerFunction', { sessionTable });

// The team's own API: every route wants a session, but for those that say otherwise.
const shop = new Stack(app, 'Shop');
const api = new HttpApi(shop, 'Api', {
  defaultAuthorizer: new HttpSessionAuthorizer(shop, 'Authorizer', { authorizerFunction }),
  corsPreflight: {
    allowOrigins: allowedOrigins,
    allowCredentials: true,
    allowMethods: [CorsHttpMethod.GET],
  },
});
api.addRoutes({ path: '/orders', methods: [HttpMethod.GET], integration: greeting(shop, 'Orders') });
api.addRoutes({
  path: '/health',
  methods: [HttpMethod.GET],
  integration: greeting(shop, 'Health'),
  authorizer: new HttpNoneAuthorizer(),
});

// Another team's API: routes are added to it from here. A route without an authorizer would fail synthesis.
const partner = new Stack(app, 'Partner');
const httpApi = HttpApi.fromHttpApiAttributes(partner, 'Api', { httpApiId: 'a1b2c3d4e5' });
new HttpRoute(partner, 'Invoices', {
  httpApi,
  routeKey: HttpRouteKey.with('/invoices', HttpMethod.GET),
  integration: greeting(partner, 'Invoices'),
  authorizer: new HttpSessionAuthorizer(partner, 'Authorizer', { authorizerFunction, httpApi }),
});

function greeting(stack: Stack, name: string): HttpLambdaIntegration {
  const handler = new LambdaFunction(stack, `${name}Function`, {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the template literal is the function's own
      'exports.handler = async (event) => `Hello, ${event.requestContext.authorizer?.lambda.user ?? "world"}!`',
    ),
  });
  return new HttpLambdaIntegration(`${name}Integration`, handler);
}
