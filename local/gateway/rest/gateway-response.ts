// SPDX-License-Identifier: Apache-2.0
/** What a REST API answers itself, without a function: its gateway responses, customised or not. */
import type { Properties } from '../../template/resolver';
import { TemplateError } from '../../template/template';
import { type GatewayAnswer, headerValues } from '../exchange';
import { assertRenderable, contextVariables, renderTemplate } from './mapping-template';
import type { RestRequestContext } from './request-context';

/** Developer Guide, "Gateway response types for API Gateway". */
const RESPONSE_TYPES = {
  ACCESS_DENIED: { statusCode: 403, errorType: 'AccessDeniedException' },
  API_CONFIGURATION_ERROR: { statusCode: 500, errorType: 'InternalServerErrorException' },
  AUTHORIZER_CONFIGURATION_ERROR: { statusCode: 500, errorType: 'AuthorizerConfigurationException' },
  AUTHORIZER_FAILURE: { statusCode: 500, errorType: 'AuthorizerFailureException' },
  INTEGRATION_FAILURE: { statusCode: 504, errorType: 'InternalServerErrorException' },
  INTEGRATION_TIMEOUT: { statusCode: 504, errorType: 'InternalServerErrorException' },
  MISSING_AUTHENTICATION_TOKEN: { statusCode: 403, errorType: 'MissingAuthenticationTokenException' },
  REQUEST_TOO_LARGE: { statusCode: 413, errorType: 'RequestTooLargeException' },
  UNAUTHORIZED: { statusCode: 401, errorType: 'UnauthorizedException' },
  /** A function that failed or answered with something else than a response; there is no own type for it. */
  DEFAULT_5XX: { statusCode: 502, errorType: 'InternalServerErrorException' },
} as const;

export type GatewayResponseType = keyof typeof RESPONSE_TYPES;

/** A customised response. */
export interface GatewayResponse {
  readonly statusCode?: number;
  /** Header names and the expressions that give their values. */
  readonly headers: Readonly<Record<string, string>>;
  /** Templates by content type; none: the default one. */
  readonly templates: Readonly<Record<string, string>>;
}

const DEFAULT_TEMPLATES = { 'application/json': '{"message":$context.error.messageString}' };
const HEADER_PREFIX = 'gatewayresponse.header.';

/** @throws TemplateError for expressions and templates that the local gateway cannot render */
export function readGatewayResponse(logicalId: string, properties: Properties): GatewayResponse {
  const parameters = Object.entries((properties.ResponseParameters ?? {}) as Record<string, string>);
  for (const [name, value] of parameters) {
    if (!name.startsWith(HEADER_PREFIX)) throw new TemplateError(`the local gateway does not emulate ${name}`);
    readExpression(value, () => '', logicalId);
  }
  const templates = (properties.ResponseTemplates ?? {}) as Record<string, string>;
  for (const template of Object.values(templates)) assertRenderable(template, logicalId);
  return {
    ...(properties.StatusCode === undefined ? {} : { statusCode: Number(properties.StatusCode) }),
    headers: Object.fromEntries(parameters.map(([name, value]) => [name.slice(HEADER_PREFIX.length), value])),
    templates,
  };
}

/** The answer of this type; `message` null where AWS says nothing either. */
export function gatewayResponse(
  context: RestRequestContext,
  type: GatewayResponseType,
  message: string | null,
): GatewayAnswer {
  const { statusCode, errorType } = RESPONSE_TYPES[type];
  const custom = findResponse(context, type, statusCode);
  const variables = contextVariables(context, { responseType: type, message });
  const [contentType, template] = chooseTemplate(context, custom?.templates ?? {});
  const headers = Object.entries(custom?.headers ?? {}).map(
    ([name, value]) => [name, readExpression(value, (path) => lookUp(context, variables, path), type)] as const,
  );
  const isOwnContentType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    statusCode: custom?.statusCode ?? statusCode,
    headers: [
      ...(isOwnContentType ? [] : [['Content-Type', contentType] as const]),
      ['x-amzn-RequestId', context.requestId],
      ['x-amzn-ErrorType', errorType],
      ['x-amz-apigw-id', context.extendedRequestId],
      ...headers,
    ],
    body: renderTemplate(template, variables),
  };
}

/** Every type but UNAUTHORIZED is documented to fall back to the default of its class, status included. */
function findResponse(context: RestRequestContext, type: GatewayResponseType, statusCode: number) {
  const { gatewayResponses } = context.api;
  const own = gatewayResponses.get(type);
  if (own !== undefined || type === 'UNAUTHORIZED') return own;
  return gatewayResponses.get(statusCode < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
}

function chooseTemplate(
  context: RestRequestContext,
  custom: Readonly<Record<string, string>>,
): readonly [contentType: string, template: string] {
  const templates = Object.entries(Object.keys(custom).length > 0 ? custom : DEFAULT_TEMPLATES);
  const accepted = headerValues(context.request.headers, 'accept').join(',');
  return (
    templates.find(([type]) => accepted.includes(type)) ??
    templates.find(([type]) => type === 'application/json') ??
    templates[0] ?? ['application/json', '']
  );
}

/** A literal in single quotes, or a path such as `method.request.header.Origin` or `context.requestId`. */
function readExpression(expression: string, lookUpPath: (path: string) => string, owner: string): string {
  const literal = /^'(.*)'$/s.exec(expression)?.[1];
  if (literal !== undefined) return literal;
  if (/^(method\.request\.header|context|stageVariables)\../.test(expression)) return lookUpPath(expression);
  throw new TemplateError(`the local gateway cannot map ${expression} in ${owner}; literals stand in single quotes`);
}

function lookUp(context: RestRequestContext, variables: ReadonlyMap<string, string>, path: string): string {
  const header = /^method\.request\.header\.(.+)$/.exec(path)?.[1];
  if (header !== undefined) return headerValues(context.request.headers, header)[0] ?? '';
  const stageVariable = /^stageVariables\.(.+)$/.exec(path)?.[1];
  if (stageVariable !== undefined) return context.api.stageVariables[stageVariable] ?? '';
  return variables.get(path) ?? '';
}
