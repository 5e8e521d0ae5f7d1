// SPDX-License-Identifier: Apache-2.0
/** Sessions in front of REST APIs that exist already: one of this app, and one that is known by its id only. */
import { App, Stack } from 'aws-cdk-lib';
import { Deployment, LambdaIntegration, ResponseType, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RestSessionAuthorizer, SessionAuthorizerFunction, SessionTable } from 'sessiongate';

export const app = new App();

// Once for all APIs: the table and the function that verifies its sessions.
const platform = new Stack(app, 'SessionPlatform');
const sessionTable = new SessionTable(platform, 'Sessions');
const authorizerFunction = new SessionAuthorizerFunction(platform, 'AuthorizerFunction', { sessionTable });

// The team's own API. New are the authorizer, and what a refused request is answered.
const shop = new Stack(app, 'Shop');
const api = new RestApi(shop, 'Api');
const authorizer = new RestSessionAuthorizer(shop, 'Authorizer', { authorizerFunction });
api.root.addResource('orders').addMethod('GET', new LambdaIntegration(greeter(shop)), { authorizer });
api.addGatewayResponse('AccessDenied', {
  type: ResponseType.ACCESS_DENIED,
  statusCode: '401',
  templates: { 'application/json': '{"message":"Unauthorized"}' },
});

// Another team's API: routes are added to it from here, and its stage gets them with a deployment of our own.
const partner = new Stack(app, 'Partner');
const imported = RestApi.fromRestApiAttributes(partner, 'Api', {
  restApiId: 'a1b2c3d4e5',
  rootResourceId: 'f6g7h8i9j0',
});
const partnerAuthorizer = new RestSessionAuthorizer(partner, 'Authorizer', { authorizerFunction, restApi: imported });
imported.root
  .addResource('invoices')
  .addMethod('GET', new LambdaIntegration(greeter(partner)), { authorizer: partnerAuthorizer });
partnerAuthorizer.redeployOnChange(new Deployment(partner, 'Deployment', { api: imported, stageName: 'prod' }));

function greeter(stack: Stack): LambdaFunction {
  return new LambdaFunction(stack, 'Greeter', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the template literal is the function's own
      'exports.handler = async (event) => ({ statusCode: 200, body: `Hello, ${event.requestContext.authorizer.user}!` })',
    ),
  });
}
