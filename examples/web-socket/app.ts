// SPDX-License-Identifier: Apache-2.0
/** Sessions in front of a WebSocket API: verified when the connection opens, with the origin of the page. */
import { App, Stack } from 'aws-cdk-lib';
import { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SessionAuthorizerFunction, SessionTable, WebSocketSessionAuthorizer } from 'sessiongate';

export const app = new App();

const stack = new Stack(app, 'Chat');
const sessionTable = new SessionTable(stack, 'Sessions', { allowedOrigins: ['https://app.example.com'] });
const authorizerFunction = new SessionAuthorizerFunction(stack, 'AuthorizerFunction', { sessionTable });
const authorizer = new WebSocketSessionAuthorizer(stack, 'Authorizer', { authorizerFunction });

// Only $connect can have an authorizer; whoever got through it stays connected for up to two hours.
const webSocketApi = new WebSocketApi(stack, 'Api', {
  connectRouteOptions: { integration: answering(stack, 'Connect'), authorizer },
  defaultRouteOptions: { integration: answering(stack, 'Message'), returnResponse: true },
});
new WebSocketStage(stack, 'Stage', { webSocketApi, stageName: 'prod', autoDeploy: true });

function answering(scope: Stack, name: string): WebSocketLambdaIntegration {
  const handler = new LambdaFunction(scope, `${name}Function`, {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(
      'exports.handler = async (event) => ({ statusCode: 200, body: event.requestContext.authorizer?.user ?? "" })',
    ),
  });
  return new WebSocketLambdaIntegration(`${name}Integration`, handler);
}
