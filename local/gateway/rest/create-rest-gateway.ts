// SPDX-License-Identifier: Apache-2.0
/** A REST API of a template, as a function from requests to answers. */
import type { InvokeFunction } from '../../functions/invocation';
import type { StackEnvironment } from '../../template/template';
import type { AuthorizerPolicy } from '../authorizer-policy';
import type { GatewayAnswer, GatewayHandler } from '../exchange';
import { readProxyAnswer } from '../proxy-answer';
import { createResultCache } from '../result-cache';
import { within } from '../within';
import { authorize } from './authorize';
import { proxyEvent } from './events';
import { gatewayResponse } from './gateway-response';
import type { Integration } from './integration';
import { matchRoute } from './match-route';
import { createRequestContext, methodArn, type RestRequestContext } from './request-context';
import type { RestApi } from './rest-api';

export interface RestGatewayDependencies {
  readonly invoke: InvokeFunction;
  readonly environment: StackEnvironment;
  /** Takes the reason of an answer that says only 500 or 502; default nothing. */
  readonly log?: (line: string) => void;
  /** Default the clock. */
  readonly nowMillis?: () => number;
}

/** Quotas of REST APIs: header values in total, length of the request's ARN, payload. */
const MAX_HEADER_BYTES = 10_240;
const MAX_ARN_LENGTH = 1600;
const MAX_BODY_BYTES = 10 * 1024 * 1024;

export function createRestGateway(api: RestApi, dependencies: RestGatewayDependencies): GatewayHandler {
  const { invoke, environment, log = () => {}, nowMillis = Date.now } = dependencies;
  const cache = createResultCache<AuthorizerPolicy>(() => nowMillis() / 1000);

  return async (request) => {
    const bare = createRequestContext(request, api, environment, nowMillis());
    const refused = refuseTooLarge(bare);
    if (refused !== undefined) return refused;
    const match = matchRoute(api.routes, request.method, request.path);
    if (match === undefined)
      return gatewayResponse(bare, 'MISSING_AUTHENTICATION_TOKEN', 'Missing Authentication Token');
    const { route, pathParameters } = match;
    const context: RestRequestContext = { ...bare, route, pathParameters };

    if (route.authorizer === undefined) return integrate(context, route.integration, undefined);
    const authorization = await authorize(context, route.authorizer, { invoke, cache, nowMillis });
    if (authorization.allowed) return integrate(context, route.integration, authorization.authorizer);
    const { type, message, reason } = authorization;
    if (reason !== undefined) log(`${request.method} ${route.resourcePath}: ${type}: ${reason}`);
    return gatewayResponse(context, type, message);
  };

  async function integrate(
    context: RestRequestContext,
    integration: Integration,
    authorizer: Record<string, unknown> | undefined,
  ): Promise<GatewayAnswer> {
    if (integration.type === 'mock')
      return { ...integration.answer, headers: withIds(context, integration.answer.headers) };
    const { functionArn, timeoutMillis } = integration;
    const outcome = await within(timeoutMillis, invoke(functionArn, proxyEvent(context, authorizer)));
    if (outcome === undefined) return gatewayResponse(context, 'INTEGRATION_TIMEOUT', 'Endpoint request timed out');
    const answer = 'failure' in outcome ? undefined : readProxyAnswer(outcome.result);
    if (answer !== undefined) return { ...answer, headers: withIds(context, answer.headers) };
    const reason = 'failure' in outcome ? outcome.failure.errorMessage : 'the function did not answer with a response';
    log(`${context.request.method} ${context.route?.resourcePath}: ${reason}`);
    return gatewayResponse(context, 'DEFAULT_5XX', 'Internal server error');
  }
}

function withIds(context: RestRequestContext, headers: GatewayAnswer['headers']): GatewayAnswer['headers'] {
  return [...headers, ['x-amzn-RequestId', context.requestId], ['x-amz-apigw-id', context.extendedRequestId]];
}

function refuseTooLarge(context: RestRequestContext): GatewayAnswer | undefined {
  const { headers, body } = context.request;
  const headerBytes = headers.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  // The quota is documented, its status is not; this is the one that says so (RFC 6585, section 5).
  if (headerBytes > MAX_HEADER_BYTES) return plainAnswer(431, 'Request Header Fields Too Large');
  if (methodArn(context).length > MAX_ARN_LENGTH) return plainAnswer(414, 'Request URI Too Long');
  if (body.length > MAX_BODY_BYTES) return gatewayResponse(context, 'REQUEST_TOO_LARGE', 'Request Too Long');
  return undefined;
}

function plainAnswer(statusCode: number, message: string): GatewayAnswer {
  return { statusCode, headers: [['Content-Type', 'application/json']], body: JSON.stringify({ message }) };
}
