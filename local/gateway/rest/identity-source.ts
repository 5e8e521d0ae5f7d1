// SPDX-License-Identifier: Apache-2.0
/** The identity sources of a REST API's authorizer: where they are in a request, and which the template may name. */
import { TemplateError } from '../../template/template';
import { headerValues } from '../exchange';
import { eventRequestContext, type RestRequestContext } from './request-context';

const SOURCE = /^(method\.request\.header|method\.request\.querystring|stageVariables|context)\.(.+)$/;

/**
 * Splits the template's list.
 * @throws TemplateError for a source of another kind
 */
export function readIdentitySources(logicalId: string, list: unknown): readonly string[] {
  const sources = String(list ?? '')
    .split(',')
    .map((source) => source.trim())
    .filter((source) => source !== '');
  const unknown = sources.find((source) => !SOURCE.test(source));
  if (unknown !== undefined) throw new TemplateError(`the identity source ${unknown} of ${logicalId} is not emulated`);
  return sources;
}

/** The value in a request; undefined or empty where there is none. */
export function identityValue(context: RestRequestContext, source: string): string | undefined {
  const [, kind, name = ''] = SOURCE.exec(source) ?? [];
  switch (kind) {
    case 'method.request.header':
      // Names are compared without case: HTTP/2 clients send them in lower case, and are let in.
      return headerValues(context.request.headers, name).join(',');
    case 'method.request.querystring':
      return new URLSearchParams(context.request.query).get(name) ?? undefined;
    case 'stageVariables':
      return context.api.stageVariables[name];
    default:
      return valueAt(eventRequestContext(context), name);
  }
}

function valueAt(object: unknown, path: string): string | undefined {
  const value = path
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], object);
  return value === undefined || value === null ? undefined : String(value);
}
