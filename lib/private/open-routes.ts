// SPDX-License-Identifier: Apache-2.0
/** Finds the methods of a REST API that anyone may call. */
import { Stack, Tokenization } from 'aws-cdk-lib';
import { CfnMethod, type IRestApi, Method } from 'aws-cdk-lib/aws-apigateway';

/**
 * Routes such as `GET /orders` that have no authorizer, wherever in the app they are defined. OPTIONS is left out: a
 * browser's preflight never carries a cookie.
 */
export function openRoutes(api: IRestApi): string[] {
  return api.node.root.node
    .findAll()
    .filter((construct) => construct instanceof CfnMethod)
    .filter((method) => isSameApi(method, api) && method.httpMethod !== 'OPTIONS' && isOpen(method))
    .map(routeName);
}

function isOpen(method: CfnMethod): boolean {
  return method.authorizationType !== 'CUSTOM' || method.authorizerId === undefined;
}

/** In the API's own stack the ids resolve to the same; elsewhere the token still is the one of the API. */
function isSameApi(method: CfnMethod, api: IRestApi): boolean {
  const id = method.restApiId;
  if (id === api.restApiId) return true;
  const stack = Stack.of(method);
  if (stack !== Stack.of(api))
    return Tokenization.reverseString(id).firstToken === Tokenization.reverseString(api.restApiId).firstToken;
  return JSON.stringify(stack.resolve(id)) === JSON.stringify(stack.resolve(api.restApiId));
}

function routeName(method: CfnMethod): string {
  const owner = method.node.scope;
  return owner instanceof Method
    ? `${method.httpMethod} ${owner.resource.path}`
    : `${method.httpMethod} (${method.node.path})`;
}
