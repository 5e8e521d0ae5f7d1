// SPDX-License-Identifier: Apache-2.0
/** An HTTP API of the application's own, with the authorizer in front of its one route. */
import type { Stack } from 'aws-cdk-lib';
import { HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { HttpSessionAuthorizer, type SessionAuthorizerFunction } from '../../../lib';

export function addOrdersApi(
  stack: Stack,
  authorizerFunction: SessionAuthorizerFunction,
  handler: LambdaFunction,
): void {
  const httpApi = new HttpApi(stack, 'HttpApi', {
    defaultAuthorizer: new HttpSessionAuthorizer(stack, 'HttpAuthorizer', { authorizerFunction }),
  });
  httpApi.addRoutes({
    path: '/orders',
    methods: [HttpMethod.ANY],
    integration: new HttpLambdaIntegration('Orders', handler),
  });
}
