// SPDX-License-Identifier: Apache-2.0
/** Makes authorizers for APIs that exist, and says in the stack's outputs what is left to do by hand. */
import { CfnOutput, type Stack, Token } from 'aws-cdk-lib';
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { HttpSessionAuthorizer } from '../http-session-authorizer';
import { RestSessionAuthorizer } from '../rest-session-authorizer';
import type { ISessionAuthorizerFunction } from '../session-authorizer-function';
import { WebSocketSessionAuthorizer } from '../web-socket-session-authorizer';

/** Ids of existing APIs, by kind. */
export interface ExistingApis {
  readonly attachRestApiIds?: string[];
  readonly attachHttpApiIds?: string[];
  readonly attachWebSocketApiIds?: string[];
}

/**
 * CloudFormation cannot change a route that it does not own, so that the routes themselves are switched over by the
 * command of the output, or by the owner's own app.
 */
export function attachExistingApis(
  stack: Stack,
  authorizerFunction: ISessionAuthorizerFunction,
  { attachRestApiIds, attachHttpApiIds, attachWebSocketApiIds }: ExistingApis,
): void {
  for (const restApiId of distinctIds('attachRestApiIds', attachRestApiIds)) {
    const scope = new Construct(stack, `RestApi${restApiId}`);
    const restApi = RestApi.fromRestApiId(scope, 'Api', restApiId);
    const { authorizerId } = new RestSessionAuthorizer(scope, 'Authorizer', { authorizerFunction, restApi });
    report(stack, `RestApi${restApiId}`, authorizerId, [
      `aws apigateway update-method --rest-api-id ${restApiId} --resource-id <resource> --http-method <method>`,
      `--patch-operations op=replace,path=/authorizationType,value=CUSTOM op=replace,path=/authorizerId,value=${authorizerId}`,
      `&& aws apigateway create-deployment --rest-api-id ${restApiId} --stage-name <stage>`,
    ]);
  }
  for (const httpApiId of distinctIds('attachHttpApiIds', attachHttpApiIds)) {
    const scope = new Construct(stack, `HttpApi${httpApiId}`);
    const httpApi = HttpApi.fromHttpApiAttributes(scope, 'Api', { httpApiId });
    const { authorizerId } = new HttpSessionAuthorizer(scope, 'Authorizer', { authorizerFunction, httpApi });
    report(stack, `HttpApi${httpApiId}`, authorizerId, [
      `aws apigatewayv2 update-route --api-id ${httpApiId} --route-id <route>`,
      `--authorization-type CUSTOM --authorizer-id ${authorizerId}`,
    ]);
  }
  for (const webSocketId of distinctIds('attachWebSocketApiIds', attachWebSocketApiIds)) {
    const scope = new Construct(stack, `WebSocketApi${webSocketId}`);
    const webSocketApi = WebSocketApi.fromWebSocketApiAttributes(scope, 'Api', { webSocketId });
    const { authorizerId } = new WebSocketSessionAuthorizer(scope, 'Authorizer', { authorizerFunction, webSocketApi });
    report(stack, `WebSocketApi${webSocketId}`, authorizerId, [
      `aws apigatewayv2 update-route --api-id ${webSocketId} --route-id <route of $connect>`,
      `--authorization-type CUSTOM --authorizer-id ${authorizerId}`,
    ]);
  }
}

function distinctIds(prop: string, ids: readonly string[] = []): string[] {
  for (const id of ids)
    if (Token.isUnresolved(id) || !/^[a-z0-9]{1,32}$/.test(id))
      throw new Error(
        `${prop} must hold ids of APIs such as a1b2c3d4e5, got ${Token.isUnresolved(id) ? 'a token' : id}`,
      );
  return [...new Set(ids)];
}

function report(stack: Stack, name: string, authorizerId: string, nextStep: readonly string[]): void {
  new CfnOutput(stack, `${name}AuthorizerId`, {
    value: authorizerId,
    description: 'The session authorizer of this API',
  });
  new CfnOutput(stack, `${name}NextStep`, {
    value: nextStep.join(' '),
    description: 'Puts the authorizer before a route; the next deployment by the owner of the API may undo it',
  });
}
