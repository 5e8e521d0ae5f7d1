// SPDX-License-Identifier: Apache-2.0
/** The whole stack with a login of your own, on a domain of the page's site, with a protected route. */
import { join } from 'node:path';
import { App, Duration } from 'aws-cdk-lib';
import { LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { SessionStack } from 'sessiongate';

export const app = new App();

const stack = new SessionStack(app, 'Sessions', {
  allowedOrigins: ['https://app.example.com'],
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/00000000-0000-0000-0000-000000000000',
  idleTimeout: Duration.days(7),
});

stack.api.addLoginHandler(handler('login-handler'));
stack.api.api.root.addResource('hello').addMethod('GET', new LambdaIntegration(handler('hello-handler')));

function handler(name: string): NodejsFunction {
  return new NodejsFunction(stack, name, { entry: join(__dirname, `${name}.ts`), runtime: Runtime.NODEJS_24_X });
}
