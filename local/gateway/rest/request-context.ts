// SPDX-License-Identifier: Apache-2.0
/** What is known of one request to a REST API, and the parts that its events share. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { StackEnvironment } from '../../template/template';
import { type GatewayRequest, groupByName, headerValues, lastByName } from '../exchange';
import { clfTime, forwardedHeaders, hostOf } from '../request-parts';
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
