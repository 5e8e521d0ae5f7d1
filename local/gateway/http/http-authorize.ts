// SPDX-License-Identifier: Apache-2.0
/** Asks an HTTP API's authorizer about one request, and says what becomes of the request. */
import type { InvokeFunction } from '../../functions/invocation';
import { evaluatePolicy, readAuthorizerPolicy } from '../authorizer-policy';
import { type GatewayRequest, headerValues } from '../exchange';
import type { ResultCache } from '../result-cache';
import type { HttpAuthorizer } from './http-api';
import { type AuthorizerCookies, type HttpRequestContext, httpAuthorizerEvent, routeArn } from './http-events';

export type HttpAuthorization =
  | { readonly allowed: true; readonly context: Record<string, unknown> }
  | { readonly allowed: false; readonly statusCode: 401 | 403 | 500; readonly reason?: string };

export interface HttpAuthorizeDependencies {
  readonly invoke: InvokeFunction;
  /** Keeps what authorizers answered, not what follows from it for one route. */
  readonly cache: ResultCache<unknown>;
  readonly authorizerCookies: AuthorizerCookies;
}

const UNAUTHORIZED: HttpAuthorization = { allowed: false, statusCode: 401 };
const FORBIDDEN: HttpAuthorization = { allowed: false, statusCode: 403 };

/** Outcomes and statuses as in the Developer Guide, "Control access to HTTP APIs with Lambda authorizers". */
export async function authorizeHttp(
  context: HttpRequestContext,
  authorizer: HttpAuthorizer,
  { invoke, cache, authorizerCookies }: HttpAuthorizeDependencies,
): Promise<HttpAuthorization> {
  const identity = authorizer.identitySources.map((source) => identityValue(context, source));
  // Answered without asking: nothing is invoked, and nothing is charged.
  if (!identity.every((value) => value !== undefined && value !== '')) return UNAUTHORIZED;

  const values = identity as string[];
  const key = [authorizer.id, context.api.stage, ...values];
  let result = authorizer.cacheSeconds > 0 ? cache.get(key) : undefined;
  if (result === undefined) {
    const event = httpAuthorizerEvent(context, authorizer.payloadVersion, values, authorizerCookies);
    const outcome = await invoke(authorizer.functionArn, event);
    if ('failure' in outcome) {
      const { kind, errorMessage } = outcome.failure;
      // Not documented for HTTP APIs, but what is commonly seen.
      if (kind === 'handler' && errorMessage === 'Unauthorized') return UNAUTHORIZED;
      return { allowed: false, statusCode: 500, reason: errorMessage };
    }
    result = outcome.result;
    const decision = decide(context, authorizer, result);
    if (authorizer.cacheSeconds > 0 && (decision.allowed || decision.statusCode !== 500))
      cache.set(key, result, authorizer.cacheSeconds);
    return decision;
  }
  return decide(context, authorizer, result);
}

function decide(context: HttpRequestContext, authorizer: HttpAuthorizer, result: unknown): HttpAuthorization {
  if (authorizer.isSimple) return decideSimply(result);
  const read = readAuthorizerPolicy(result);
  if ('fault' in read) return { allowed: false, statusCode: 500, reason: read.fault };
  if (evaluatePolicy(read.policy, routeArn(context)) !== 'allow') return FORBIDDEN;
  return { allowed: true, context: { ...read.policy.context } };
}

/** With simple responses there is no way to say 401, and a policy is no answer. */
function decideSimply(result: unknown): HttpAuthorization {
  const { isAuthorized, context = {} } = (typeof result === 'object' ? (result ?? {}) : {}) as Record<string, unknown>;
  if (typeof isAuthorized !== 'boolean')
    return { allowed: false, statusCode: 500, reason: 'isAuthorized must be a boolean' };
  if (typeof context !== 'object' || context === null || Array.isArray(context))
    return { allowed: false, statusCode: 500, reason: 'context must be an object' };
  return isAuthorized ? { allowed: true, context: context as Record<string, unknown> } : FORBIDDEN;
}

function identityValue({ request, api, route }: HttpRequestContext, source: string): string | undefined {
  const name = source.replace(/^\$(request\.(header|querystring)|stageVariables|context)\./, '');
  if (source.startsWith('$request.header.')) return headerValues(request.headers, name).join(',');
  if (source.startsWith('$request.querystring.')) return queryValue(request, name);
  if (source.startsWith('$stageVariables.')) return api.stageVariables[name];
  return { routeKey: route.routeKey, 'identity.sourceIp': request.sourceIp, httpMethod: request.method }[name];
}

function queryValue(request: GatewayRequest, name: string): string | undefined {
  return new URLSearchParams(request.query).get(name) ?? undefined;
}
