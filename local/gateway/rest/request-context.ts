// SPDX-License-Identifier: Apache-2.0
/** What is known of one request to a REST API, and the parts that its events share. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { StackEnvironment } from '../../template/template';
import { type GatewayRequest, groupByName, type HeaderList, headerValues, lastByName } from '../exchange';
import type { RestApi, RestRoute } from './rest-api';

export interface RestRequestContext {
  readonly request: GatewayRequest;
  readonly api: RestApi;
  readonly environment: StackEnvironment;
  readonly requestId: string;
  readonly extendedRequestId: string;
  readonly timeMillis: number;
  /** Absent where no route fits. */
  readonly route?: RestRoute;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** Headers that API Gateway keeps for itself (Developer Guide, "Amazon API Gateway important notes"). */
const DROPPED_HEADERS = new Set(
  'connection content-length expect keep-alive max-forwards proxy-authenticate te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

export function createRequestContext(
  request: GatewayRequest,
  api: RestApi,
  environment: StackEnvironment,
  timeMillis: number,
): RestRequestContext {
  const extendedRequestId = `${randomBytes(11).toString('base64url')}=`;
  return { request, api, environment, requestId: randomUUID(), extendedRequestId, timeMillis, pathParameters: {} };
}

/** ARN of the request: with the path as it was sent, never the route's template. */
export function methodArn({ request, api, environment }: RestRequestContext): string {
  const { region, accountId } = environment;
  const stage = `arn:aws:execute-api:${region}:${accountId}:${api.id}/${api.stage}`;
  return `${stage}/${request.method}/${request.path.replace(/^\//, '')}`;
}

/** The part of the events that holds headers and query parameters. */
export function eventParameters(context: RestRequestContext): {
  readonly headers: Record<string, string>;
  readonly multiValueHeaders: Record<string, string[]>;
  readonly query: Record<string, string>;
  readonly multiValueQuery: Record<string, string[]>;
} {
  const multiValueHeaders = groupByName(forwardedHeaders(context.request));
  const multiValueQuery = groupByName(new URLSearchParams(context.request.query));
  return {
    headers: lastByName(multiValueHeaders),
    multiValueHeaders,
    query: lastByName(multiValueQuery),
    multiValueQuery,
  };
}

/** The client's headers in their own casing, and those that API Gateway adds. */
function forwardedHeaders(request: GatewayRequest): HeaderList {
  const forwardedFor = [...headerValues(request.headers, 'x-forwarded-for'), request.sourceIp].join(', ');
  const replaced = new Set(['x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto', 'x-amzn-trace-id']);
  const port = /:(\d+)$/.exec(hostOf(request))?.[1] ?? (request.scheme === 'https' ? '443' : '80');
  return [
    ...request.headers.filter(([name]) => {
      const lowerCaseName = name.toLowerCase();
      return !DROPPED_HEADERS.has(lowerCaseName) && !replaced.has(lowerCaseName);
    }),
    ['X-Amzn-Trace-Id', `Root=1-${randomBytes(4).toString('hex')}-${randomBytes(12).toString('hex')}`],
    ['X-Forwarded-For', forwardedFor],
    ['X-Forwarded-Port', port],
    ['X-Forwarded-Proto', request.scheme],
  ];
}

/** The events' `requestContext`, without what an authorizer adds. */
export function eventRequestContext(context: RestRequestContext): Record<string, unknown> {
  const { request, api, environment, route, requestId, extendedRequestId, timeMillis } = context;
  const domainName = hostOf(request);
  return {
    accountId: environment.accountId,
    apiId: api.id,
    deploymentId: api.deploymentId,
    domainName,
    domainPrefix: domainName.split('.')[0],
    extendedRequestId,
    httpMethod: request.method,
    identity: {
      accessKey: null,
      accountId: null,
      caller: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: request.sourceIp,
      user: null,
      userAgent: headerValues(request.headers, 'user-agent')[0] ?? null,
      userArn: null,
    },
    path: request.path,
    protocol: `HTTP/${request.httpVersion}`,
    requestId,
    requestTime: clfTime(timeMillis),
    requestTimeEpoch: timeMillis,
    resourceId: route?.resourceId,
    resourcePath: route?.resourcePath,
    stage: api.stage,
  };
}

/** Host and port of the URL; on AWS there is no port, because it is always the scheme's own. */
function hostOf(request: GatewayRequest): string {
  return headerValues(request.headers, 'host')[0] ?? 'localhost';
}

/** Such as `30/Nov/2026:17:11:00 +0000`. */
function clfTime(timeMillis: number): string {
  const [, day, month, year, time] = new Date(timeMillis).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
