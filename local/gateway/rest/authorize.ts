// SPDX-License-Identifier: Apache-2.0
/** Asks a REST API's authorizer about one request, and says what becomes of the request. */
import type { InvokeFunction } from '../../functions/invocation';
import { type AuthorizerPolicy, evaluatePolicy, readAuthorizerPolicy, stringifyContext } from '../authorizer-policy';
import type { ResultCache } from '../result-cache';
import { authorizerEvent } from './events';
import type { GatewayResponseType } from './gateway-response';
import { identityValue } from './identity-source';
import { methodArn, type RestRequestContext } from './request-context';
import type { RestAuthorizer } from './rest-api';

/** `authorizer` becomes the `requestContext.authorizer` of the integration's event. */
export type Authorization =
  | { readonly allowed: true; readonly authorizer: Record<string, unknown> }
  | {
      readonly allowed: false;
      readonly type: GatewayResponseType;
      readonly message: string | null;
      readonly reason?: string;
    };

export interface AuthorizeDependencies {
  readonly invoke: InvokeFunction;
  readonly cache: ResultCache<AuthorizerPolicy>;
  readonly nowMillis: () => number;
}

/**
 * Outcomes and statuses as in the Developer Guide, "Use API Gateway Lambda authorizers": an absent identity source and
 * the error `Unauthorized` are 401, a policy that does not allow is 403, everything else that is not an Allow is 500.
 */
export async function authorize(
  context: RestRequestContext,
  authorizer: RestAuthorizer,
  { invoke, cache, nowMillis }: AuthorizeDependencies,
): Promise<Authorization> {
  const identity = authorizer.identitySources.map((source) => identityValue(context, source));
  // Answered without asking: nothing is invoked, and nothing is charged.
  if (!identity.every((value) => value !== undefined && value !== '')) return refusal('UNAUTHORIZED', 'Unauthorized');

  const startMillis = nowMillis();
  // The policy is kept, and held against each later request; nothing but the identity is in the key.
  const key = [authorizer.id, context.api.stage, ...(identity as string[])];
  let policy = authorizer.cacheSeconds > 0 ? cache.get(key) : undefined;
  if (policy === undefined) {
    const outcome = await invoke(authorizer.functionArn, authorizerEvent(context));
    if ('failure' in outcome) {
      const { kind, errorMessage } = outcome.failure;
      // The exact message is the only way for an authorizer to say 401 itself.
      if (kind === 'handler' && errorMessage === 'Unauthorized') return refusal('UNAUTHORIZED', 'Unauthorized');
      return refusal('AUTHORIZER_FAILURE', null, errorMessage);
    }
    const read = readAuthorizerPolicy(outcome.result);
    if ('fault' in read) return refusal('AUTHORIZER_CONFIGURATION_ERROR', null, read.fault);
    const stringified = stringifyContext(read.policy.context);
    if ('fault' in stringified) return refusal('AUTHORIZER_CONFIGURATION_ERROR', null, stringified.fault);
    policy = { ...read.policy, context: stringified.context };
    // A refusal is kept like a permission; an error is not.
    if (authorizer.cacheSeconds > 0) cache.set(key, policy, authorizer.cacheSeconds);
  }

  switch (evaluatePolicy(policy, methodArn(context))) {
    case 'allow':
      return {
        allowed: true,
        authorizer: {
          ...policy.context,
          principalId: policy.principalId,
          integrationLatency: nowMillis() - startMillis,
        },
      };
    case 'explicitDeny':
      return refusal('ACCESS_DENIED', 'User is not authorized to access this resource with an explicit deny');
    case 'implicitDeny':
      return refusal('ACCESS_DENIED', 'User is not authorized to access this resource');
  }
}

function refusal(type: GatewayResponseType, message: string | null, reason?: string): Authorization {
  return { allowed: false, type, message, ...(reason === undefined ? {} : { reason }) };
}
