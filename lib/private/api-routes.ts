// SPDX-License-Identifier: Apache-2.0
/** The routes of an API, wherever in the app they are defined, and what stands before each. */
import { type IResolvable, Stack, Token, Tokenization } from 'aws-cdk-lib';
import { CfnMethod, Method } from 'aws-cdk-lib/aws-apigateway';
import { CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IConstruct } from 'constructs';

export interface ApiRoute {
  /** Such as `GET /orders`, or the construct's path where the route's own is not known. */
  readonly name: string;
  /** Absent: anyone may call it. */
  readonly authorization?: string;
  readonly authorizerId?: string;
  readonly resource: CfnMethod | CfnRoute;
}

/**
 * The routes of the API with this id. OPTIONS is left out: a browser's preflight never carries a cookie (Fetch, CORS
 * protocol and credentials), so that it must be open.
 */
export function routesOf(api: IConstruct, apiId: string): ApiRoute[] {
  return api.node.root.node
    .findAll()
    .flatMap((construct) => routeFrom(construct))
    .filter(({ name }) => !name.startsWith('OPTIONS '))
    .filter(({ resource }) => isSameId(api, apiId, resource));
}

/** Routes that anyone may call, other than those that may be so. */
export function openRoutes(api: IConstruct, apiId: string, allowed: readonly string[] = []): string[] {
  return routesOf(api, apiId)
    .filter(({ authorization, name }) => authorization === undefined && !allowed.includes(name))
    .map(({ name }) => name);
}

function routeFrom(resource: IConstruct): ApiRoute[] {
  if (resource instanceof CfnMethod) {
    const owner = resource.node.scope;
    const path = owner instanceof Method ? owner.resource.path : `(${resource.node.path})`;
    return [{ ...protectionOf(resource), name: `${resource.httpMethod} ${path}`, resource }];
  }
  if (resource instanceof CfnRoute) return [{ ...protectionOf(resource), name: resource.routeKey, resource }];
  return [];
}

function protectionOf({
  authorizationType,
  authorizerId,
}: {
  authorizationType?: string;
  authorizerId?: string;
}): Pick<ApiRoute, 'authorization' | 'authorizerId'> {
  return { authorization: authorizationType === 'NONE' ? undefined : authorizationType, authorizerId };
}

/** Within the API's stack the ids resolve to the same; a route of another stack still holds the API's own token. */
function isSameId(api: IConstruct, apiId: string, resource: CfnMethod | CfnRoute): boolean {
  const id = resource instanceof CfnMethod ? resource.restApiId : resource.apiId;
  if (id === apiId) return true;
  const token = tokenIn(id);
  if (token !== undefined && token === tokenIn(apiId)) return true;
  const stack = Stack.of(resource);
  return stack === Stack.of(api) && JSON.stringify(stack.resolve(id)) === JSON.stringify(stack.resolve(apiId));
}

function tokenIn(text: string): IResolvable | undefined {
  return Token.isUnresolved(text) ? Tokenization.reverseString(text).firstToken : undefined;
}
