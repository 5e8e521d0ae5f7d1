// SPDX-License-Identifier: Apache-2.0
/** The events by which a REST API calls its authorizer and its functions. */
import { eventParameters, eventRequestContext, methodArn, type RestRequestContext } from './request-context';

/** Event of a request authorizer: no body, empty objects where there is nothing (Developer Guide, "Input to a Lambda authorizer"). */
export function authorizerEvent(context: RestRequestContext): Record<string, unknown> {
  const { headers, multiValueHeaders, query, multiValueQuery } = eventParameters(context);
  return {
    type: 'REQUEST',
    methodArn: methodArn(context),
    resource: context.route?.resourcePath,
    path: context.request.path,
    httpMethod: context.request.method,
    headers,
    multiValueHeaders,
    queryStringParameters: query,
    multiValueQueryStringParameters: multiValueQuery,
    pathParameters: context.pathParameters,
    stageVariables: context.api.stageVariables,
    requestContext: eventRequestContext(context),
  };
}

/** Event of a proxy integration: null where there is nothing (Developer Guide, "Lambda proxy integrations"). */
export function proxyEvent(
  context: RestRequestContext,
  authorizer: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const { headers, multiValueHeaders, query, multiValueQuery } = eventParameters(context);
  return {
    resource: context.route?.resourcePath,
    path: context.request.path,
    httpMethod: context.request.method,
    headers,
    multiValueHeaders,
    queryStringParameters: nullIfEmpty(query),
    multiValueQueryStringParameters: nullIfEmpty(multiValueQuery),
    pathParameters: nullIfEmpty(context.pathParameters),
    stageVariables: nullIfEmpty(context.api.stageVariables),
    requestContext: { ...eventRequestContext(context), ...(authorizer === undefined ? {} : { authorizer }) },
    body: context.request.body.length === 0 ? null : context.request.body.toString(),
    isBase64Encoded: false,
  };
}

function nullIfEmpty<Value extends object>(value: Value): Value | null {
  return Object.keys(value).length === 0 ? null : value;
}
