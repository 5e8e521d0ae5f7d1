// SPDX-License-Identifier: Apache-2.0
/** The integrations of a REST API's methods: a function as a proxy, or a fixed answer. */
import type { Properties } from '../../template/resolver';
import { TemplateError } from '../../template/template';
import { functionArnOf } from '../integration-uri';

export type Integration =
  | { readonly type: 'function'; readonly functionArn: string; readonly timeoutMillis: number }
  | { readonly type: 'mock'; readonly answer: MockAnswer };

export interface MockAnswer {
  readonly statusCode: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** API Gateway waits 29 seconds for an integration unless told otherwise (quotas of REST APIs). */
const DEFAULT_TIMEOUT_MILLIS = 29_000;
const HEADER_PREFIX = 'method.response.header.';

/** @throws TemplateError for other integrations, and for templates that would have to be evaluated */
export function readIntegration(logicalId: string, method: Properties): Integration {
  const integration = (method.Integration ?? {}) as Properties;
  switch (integration.Type) {
    case 'AWS_PROXY':
      return {
        type: 'function',
        functionArn: functionArnOf(integration.Uri, logicalId),
        timeoutMillis: Number(integration.TimeoutInMillis ?? DEFAULT_TIMEOUT_MILLIS),
      };
    case 'MOCK':
      return { type: 'mock', answer: readMock(logicalId, integration) };
    default:
      throw new TemplateError(`the local gateway does not emulate the integration ${integration.Type} of ${logicalId}`);
  }
}

interface IntegrationResponse {
  readonly StatusCode: string;
  readonly SelectionPattern?: string;
  readonly ResponseParameters?: Readonly<Record<string, string>>;
  readonly ResponseTemplates?: Readonly<Record<string, string>>;
}

/** Everything in it is fixed, so it is chosen once: by the status that the request template names, else the default. */
function readMock(logicalId: string, integration: Properties): MockAnswer {
  const requestTemplate = (integration.RequestTemplates as Record<string, string> | undefined)?.['application/json'];
  const chosenStatus = /^\s*\{\s*["']?statusCode["']?\s*:\s*(\d{3})\s*\}\s*$/.exec(requestTemplate ?? '')?.[1];
  if (chosenStatus === undefined)
    throw new TemplateError(
      `the mock integration of ${logicalId} must have the request template { "statusCode": 200 }`,
    );
  const responses = (integration.IntegrationResponses ?? []) as IntegrationResponse[];
  const response =
    responses.find(
      ({ SelectionPattern }) =>
        SelectionPattern !== undefined && new RegExp(`^(?:${SelectionPattern})$`).test(chosenStatus),
    ) ?? responses.find(({ SelectionPattern }) => SelectionPattern === undefined);
  if (response === undefined) throw new TemplateError(`the mock integration of ${logicalId} has no response`);
  const body = response.ResponseTemplates?.['application/json'] ?? '';
  if (/[#$]/.test(body)) throw new TemplateError(`the local gateway cannot render the template of ${logicalId}`);
  return {
    statusCode: Number(response.StatusCode),
    headers: Object.entries(response.ResponseParameters ?? {}).map(([name, value]) =>
      readHeader(logicalId, name, value),
    ),
    body,
  };
}

function readHeader(logicalId: string, name: string, value: string): readonly [name: string, value: string] {
  const literal = /^'(.*)'$/s.exec(value)?.[1];
  if (!name.startsWith(HEADER_PREFIX) || literal === undefined)
    throw new TemplateError(`the local gateway cannot map ${name} of ${logicalId}; literals stand in single quotes`);
  return [name.slice(HEADER_PREFIX.length), literal];
}
