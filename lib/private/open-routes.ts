// SPDX-License-Identifier: Apache-2.0
/** Finds the methods of a REST API that can be called without what should protect them. */
import { Stack, Tokenization } from 'aws-cdk-lib';
import { CfnMethod, type IRestApi, Method } from 'aws-cdk-lib/aws-apigateway';

/**
 * Routes such as `GET /orders` for which the check fails, wherever in the app they are defined. OPTIONS is left out: a
 * browser's preflight never carries a cookie (Fetch, section 3.3.5).
 */
export function routesFailing(check: (method: CfnMethod) => boolean, api: IRestApi): string[] {
  return api.node.root.node
    .findAll()
    .filter((construct) => construct instanceof CfnMethod)
    .filter((method) => method.httpMethod !== 'OPTIONS' && belongsTo(api, method) && !check(method))
    .map(routeOf);
}

/** Within the API's stack the ids resolve to the same; a method of another stack still holds the API's own token. */
function belongsTo(api: IRestApi, method: CfnMethod): boolean {
  if (method.restApiId === api.restApiId) return true;
  const [one, other] = [method.restApiId, api.restApiId].map((id) => Tokenization.reverseString(id).firstToken);
  if (one !== undefined && one === other) return true;
  const stack = Stack.of(method);
  return stack === Stack.of(api) && same(stack.resolve(method.restApiId), stack.resolve(api.restApiId));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function routeOf(method: CfnMethod): string {
  const owner = method.node.scope;
  return `${method.httpMethod} ${owner instanceof Method ? owner.resource.path : `(${method.node.path})`}`;
}
