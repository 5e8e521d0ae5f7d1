// SPDX-License-Identifier: Apache-2.0
/** What every kind of API needs to call the authorizer function: its URI, the permission, a name, a cache time. */
import { createHash } from 'node:crypto';
import { Annotations, Arn, ArnFormat, type Duration, Names, Stack, Token } from 'aws-cdk-lib';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { type ISessionAuthorizerFunction, SessionAuthorizerFunction } from '../session-authorizer-function';
import { requireDuration } from './seconds';

/** Above this, a logout would lag too far behind. */
const MAX_CACHE_SECONDS = 60;

/**
 * Seconds for which the gateway keeps an answer; 0 unless asked for. A kept answer is given again whatever the method
 * and the origin of the request, and without a read: so neither the CSRF check nor the idle timeout can go with it.
 */
export function resultsCacheSeconds(
  authorizer: IConstruct,
  authorizerFunction: ISessionAuthorizerFunction,
  resultsCacheTtl: Duration | undefined,
): number {
  requireDuration('resultsCacheTtl', resultsCacheTtl);
  const seconds = resultsCacheTtl?.toSeconds() ?? 0;
  if (seconds === 0) return 0;
  if (seconds > MAX_CACHE_SECONDS)
    throw new Error(
      `resultsCacheTtl must be at most ${MAX_CACHE_SECONDS} seconds, got ${seconds}: a logout takes effect only when the cached answer expires`,
    );
  const { settings } = authorizerFunction;
  if (settings === undefined)
    throw new Error(
      'resultsCacheTtl needs the SessionAuthorizerFunction itself: the settings of an imported one cannot be checked',
    );
  if (settings.csrf !== 'off')
    throw new Error(
      `resultsCacheTtl needs csrf 'off', got '${settings.csrf}': origin and method are not part of the cache key; leave caching off, or check origins in your handlers`,
    );
  if (settings.idleTimeoutSeconds !== undefined)
    throw new Error(
      'resultsCacheTtl cannot go with idleTimeout: a request answered from the cache does not renew the session; choose one of the two',
    );
  if (authorizerFunction instanceof SessionAuthorizerFunction) authorizerFunction._announceCache(seconds);
  Annotations.of(authorizer).addInfo(
    `resultsCacheTtl: logout and revocation take effect up to ${seconds} seconds later than without caching`,
  );
  return seconds;
}

/** URI by which API Gateway invokes a function, in the function's region. */
export function invocationUri(api: IConstruct, functionArn: string): string {
  const { partition, region } = Token.isUnresolved(functionArn)
    ? Stack.of(api)
    : Arn.split(functionArn, ArnFormat.COLON_RESOURCE_NAME);
  return `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${functionArn}/invocations`;
}

/**
 * Lets one authorizer, and nothing else, invoke the function. It stands beside the authorizer, in the API's stack, so
 * that the function's stack never depends on an API. A function of another account or region can only allow it itself.
 */
export function allowInvocation(
  scope: IConstruct,
  ids: { readonly functionArn: string; readonly apiId: string; readonly authorizerId: string },
): CfnPermission | undefined {
  if (isForeign(scope, ids.functionArn)) {
    Annotations.of(scope).addInfo(
      'the authorizer function is of another account or region: call allowApi({ account, region, apiId }) in its stack, ' +
        'else every request is answered with 500',
    );
    return undefined;
  }
  return new CfnPermission(scope as never, 'InvokePermission', {
    action: 'lambda:InvokeFunction',
    functionName: ids.functionArn,
    principal: 'apigateway.amazonaws.com',
    sourceArn: Stack.of(scope).formatArn({
      service: 'execute-api',
      resource: ids.apiId,
      resourceName: `authorizers/${ids.authorizerId}`,
    }),
  });
}

/**
 * A name no other authorizer of the API has. When CloudFormation replaces an authorizer, the new one is created first,
 * so the name must change with what makes it replace: its place in the app and its API.
 */
export function authorizerName(authorizer: IConstruct, api: IConstruct, apiId: string): string {
  const identity = JSON.stringify([authorizer.node.addr, api.node.addr, Token.isUnresolved(apiId) ? '' : apiId]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 8);
  return `${Names.uniqueResourceName(authorizer, { maxLength: 100 })}-${hash}`;
}

/** Says so where CloudFormation could not refer from one to the other. */
export function refuseOtherEnvironment(api: IConstruct, authorizerFunction: ISessionAuthorizerFunction): void {
  if (!(authorizerFunction instanceof SessionAuthorizerFunction)) return;
  const [here, there] = [Stack.of(api), Stack.of(authorizerFunction)];
  if (differs(here.region, there.region) || differs(here.account, there.account))
    throw new Error(
      `the authorizer function is deployed to ${there.account}/${there.region} and the API to ${here.account}/${here.region}: ` +
        'use SessionAuthorizerFunction.fromFunctionArn with its literal ARN here, and allowApi on the function',
    );
}

function isForeign(scope: IConstruct, functionArn: string): boolean {
  if (Token.isUnresolved(functionArn)) return false;
  const { account, region } = Arn.split(functionArn, ArnFormat.COLON_RESOURCE_NAME);
  const stack = Stack.of(scope);
  return differs(stack.account, account ?? stack.account) || differs(stack.region, region ?? stack.region);
}

function differs(one: string, other: string): boolean {
  return !Token.isUnresolved(one) && !Token.isUnresolved(other) && one !== other;
}
