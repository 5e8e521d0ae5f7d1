// SPDX-License-Identifier: Apache-2.0
/** The events of an HTTP API, in both payload versions, for its authorizer and its functions. */
import type { StackEnvironment } from '../../template/template';
import { type GatewayRequest, groupByName, headerValues, lastByName } from '../exchange';
import { clfTime, forwardedHeaders, hostOf } from '../request-parts';
import type { HttpApi, HttpRoute, PayloadVersion } from './http-api';

/**
 * Where a 2.0 authorizer event has its cookies: reports of what AWS does differ, so that an authorizer must read both.
 * A 2.0 event of an integration has them in the array only.
 */
export type AuthorizerCookies = 'array' | 'header' | 'both';

export interface HttpRequestContext {
  readonly request: GatewayRequest;
  readonly api: HttpApi;
  readonly environment: StackEnvironment;
  readonly requestId: string;
  readonly timeMillis: number;
  readonly route: HttpRoute;
  readonly pathParameters: Readonly<Record<string, string>>;
}

type Event = Record<string, unknown>;

/** ARN of the request: with the path as it was sent. */
export function routeArn({ request, api, environment }: HttpRequestContext): string {
  const { region, accountId } = environment;
  return `arn:aws:execute-api:${region}:${accountId}:${api.id}/${api.stage}/${request.method}/${request.path.replace(/^\//, '')}`;
}

export function httpAuthorizerEvent(
  context: HttpRequestContext,
  version: PayloadVersion,
  identity: readonly string[],
  cookies: AuthorizerCookies,
): Event {
  if (version === '1.0') {
    const joined = identity.join(',');
    return {
      version,
      type: 'REQUEST',
      methodArn: routeArn(context),
      identitySource: joined,
      authorizationToken: joined,
      ...requestParts1(context),
    };
  }
  return {
    version,
    type: 'REQUEST',
    routeArn: routeArn(context),
    identitySource: identity.length === 0 ? null : identity,
    ...requestParts2(context, cookies),
    pathParameters: context.pathParameters,
    stageVariables: context.api.stageVariables,
  };
}

export function httpIntegrationEvent(
  context: HttpRequestContext,
  version: PayloadVersion,
  authorizer: Event | undefined,
): Event {
  const { body, isBase64Encoded } = encodeBody(context.request);
  if (version === '1.0') {
    const parts = requestParts1(context);
    return {
      version,
      ...parts,
      ...(authorizer === undefined ? {} : { requestContext: { ...parts.requestContext, authorizer } }),
      body: body ?? null,
      isBase64Encoded,
    };
  }
  const parts = requestParts2(context, 'array');
  return {
    version,
    ...parts,
    requestContext: {
      ...parts.requestContext,
      ...(authorizer === undefined ? {} : { authorizer: { lambda: authorizer } }),
    },
    ...omitEmpty('pathParameters', context.pathParameters),
    ...omitEmpty('stageVariables', context.api.stageVariables),
    ...(body === undefined ? {} : { body }),
    isBase64Encoded,
  };
}

function requestParts1(context: HttpRequestContext): Event & { readonly requestContext: Event } {
  const { request, api, environment, requestId, timeMillis, route } = context;
  const multiValueHeaders = groupByName(lowerCaseHeaders(request));
  const multiValueQuery = groupByName(new URLSearchParams(request.query));
  const resource = route.routeKey.split(' ')[1] ?? '$default';
  const domainName = hostOf(request);
  return {
    resource,
    path: request.path,
    httpMethod: request.method,
    headers: lastByName(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: lastByName(multiValueQuery),
    multiValueQueryStringParameters: multiValueQuery,
    pathParameters: context.pathParameters,
    stageVariables: api.stageVariables,
    requestContext: {
      accountId: environment.accountId,
      apiId: api.id,
      domainName,
      domainPrefix: domainName.split('.')[0],
      extendedRequestId: requestId,
      httpMethod: request.method,
      identity: { sourceIp: request.sourceIp, userAgent: userAgentOf(request), user: null, userArn: null },
      path: request.path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      requestTime: clfTime(timeMillis),
      requestTimeEpoch: timeMillis,
      resourceId: route.routeKey,
      resourcePath: resource,
      stage: api.stage,
    },
  };
}

function requestParts2(
  context: HttpRequestContext,
  cookies: AuthorizerCookies,
): Event & { readonly requestContext: Event } {
  const { request, api, environment, requestId, timeMillis, route } = context;
  const headers = groupByName(lowerCaseHeaders(request));
  const cookieList = (headers.cookie ?? []).flatMap((line) => line.split(';').map((pair) => pair.replace(/^ /, '')));
  const { cookie: _, ...others } = headers;
  const query = groupByName(new URLSearchParams(request.query));
  const domainName = hostOf(request);
  return {
    routeKey: route.routeKey,
    rawPath: request.path,
    rawQueryString: request.query,
    ...(cookieList.length > 0 && cookies !== 'header' ? { cookies: cookieList } : {}),
    headers: {
      ...joinByName(others),
      ...(headers.cookie !== undefined && cookies !== 'array' ? { cookie: headers.cookie.join('; ') } : {}),
    },
    ...omitEmpty('queryStringParameters', joinByName(query)),
    requestContext: {
      accountId: environment.accountId,
      apiId: api.id,
      domainName,
      domainPrefix: domainName.split('.')[0],
      http: {
        method: request.method,
        path: request.path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.sourceIp,
        userAgent: userAgentOf(request),
      },
      requestId,
      routeKey: route.routeKey,
      stage: api.stage,
      time: clfTime(timeMillis),
      timeEpoch: timeMillis,
    },
  };
}

/** Header names arrive in lower case, whatever the client sent. */
function lowerCaseHeaders(request: GatewayRequest): (readonly [string, string])[] {
  return forwardedHeaders(request).map(([name, value]) => [name.toLowerCase(), value] as const);
}

/** Payload 2.0 has no multi-value fields: several values stand in one, between commas. */
function joinByName(groups: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, values]) => [name, values.join(',')]));
}

function userAgentOf(request: GatewayRequest): string {
  return headerValues(request.headers, 'user-agent')[0] ?? '';
}

function omitEmpty(name: string, value: Readonly<Record<string, string>>): Event {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}

/** Only text is sent as text; a form is not among it. */
function encodeBody({ body, headers }: GatewayRequest): { readonly body?: string; readonly isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const type = headerValues(headers, 'content-type')[0] ?? 'text/plain';
  const isText = /^(text\/|application\/(json|javascript|xml)\b|[^;]+\+(json|xml)\b)/i.test(type);
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}
