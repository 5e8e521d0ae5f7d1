// SPDX-License-Identifier: Apache-2.0
/** An HTTP API of a template, as a function from requests to answers. */
import { randomBytes } from 'node:crypto';
import type { InvokeFunction } from '../../functions/invocation';
import type { StackEnvironment } from '../../template/template';
import type { GatewayAnswer, GatewayHandler } from '../exchange';
import { createResultCache } from '../result-cache';
import { within } from '../within';
import { readHttpAnswer } from './http-answer';
import type { HttpApi } from './http-api';
import { authorizeHttp } from './http-authorize';
import { answerPreflight, isPreflight, withCors } from './http-cors';
import { type AuthorizerCookies, type HttpRequestContext, httpIntegrationEvent } from './http-events';
import { matchHttpRoute } from './match-http-route';

export interface HttpGatewayDependencies {
  readonly invoke: InvokeFunction;
  readonly environment: StackEnvironment;
  /** Takes the reason of an answer that says only 500; default nothing. */
  readonly log?: (line: string) => void;
  /** Default the clock. */
  readonly nowMillis?: () => number;
  /** Default both. */
  readonly authorizerCookies?: AuthorizerCookies;
}

/** Quota of HTTP APIs: request line and header values together. */
const MAX_HEADER_BYTES = 10_240;

export function createHttpGateway(api: HttpApi, dependencies: HttpGatewayDependencies): GatewayHandler {
  const { invoke, environment, log = () => {}, nowMillis = Date.now, authorizerCookies = 'both' } = dependencies;
  const cache = createResultCache<unknown>(() => nowMillis() / 1000);

  return async (request) => {
    const requestId = `${randomBytes(11).toString('base64url')}=`;
    const respond = (given: GatewayAnswer): GatewayAnswer => ({
      ...given,
      headers: [...given.headers, ['apigw-requestid', requestId]],
    });
    const headerBytes = request.headers.reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
    if (headerBytes + request.path.length + request.query.length > MAX_HEADER_BYTES)
      return respond(message(431, 'Request Header Fields Too Large'));
    const match = matchHttpRoute(api.routes, request.method, request.path);
    // The API answers a preflight itself, unless a route with an authorizer catches it.
    if (api.cors !== undefined && isPreflight(request) && match?.route.authorizer === undefined)
      return respond(answerPreflight(api.cors, request));
    if (match === undefined) return respond(message(404, 'Not Found'));

    const context: HttpRequestContext = { request, api, environment, requestId, timeMillis: nowMillis(), ...match };
    let authorizer: Record<string, unknown> | undefined;
    if (match.route.authorizer !== undefined) {
      const dependencies = { invoke, cache, authorizerCookies };
      const authorization = await authorizeHttp(context, match.route.authorizer, dependencies);
      if (!authorization.allowed) {
        if (authorization.reason !== undefined) log(`${match.route.routeKey}: ${authorization.reason}`);
        return respond(message(authorization.statusCode, MESSAGES[authorization.statusCode]));
      }
      authorizer = authorization.context;
    }
    const answer = await integrate(context, authorizer);
    return respond(api.cors === undefined ? answer : withCors(api.cors, request, answer));
  };

  async function integrate(
    context: HttpRequestContext,
    authorizer: Record<string, unknown> | undefined,
  ): Promise<GatewayAnswer> {
    const { functionArn, payloadVersion, timeoutMillis } = context.route.integration;
    const event = httpIntegrationEvent(context, payloadVersion, authorizer);
    const outcome = await within(timeoutMillis, invoke(functionArn, event));
    if (outcome === undefined) return message(503, 'Service Unavailable');
    const answer = 'failure' in outcome ? undefined : readHttpAnswer(outcome.result, payloadVersion);
    if (answer !== undefined) return answer;
    const reason = 'failure' in outcome ? outcome.failure.errorMessage : 'the function did not answer with a response';
    log(`${context.route.routeKey}: ${reason}`);
    return message(500, MESSAGES[500]);
  }
}

const MESSAGES = { 401: 'Unauthorized', 403: 'Forbidden', 500: 'Internal Server Error' } as const;

/** An HTTP API's own answers cannot be customised. */
function message(statusCode: number, text: string): GatewayAnswer {
  return { statusCode, headers: [['Content-Type', 'application/json']], body: JSON.stringify({ message: text }) };
}
