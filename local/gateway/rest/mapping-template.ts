// SPDX-License-Identifier: Apache-2.0
/** Renders mapping templates that consist of text and `$context` variables; no other part of VTL. */
import { TemplateError } from '../../template/template';
import { eventRequestContext, type RestRequestContext } from './request-context';

const VARIABLE = /\$(?:\{(context\.[\w.]+)\}|(context\.\w+(?:\.\w+)*))/g;

/** @throws TemplateError for a directive, a reference or a function that would have to be evaluated */
export function assertRenderable(template: string, owner: string): void {
  const other = /[#$][\w{!]*/.exec(template.replace(VARIABLE, ''))?.[0];
  if (other !== undefined && /^(?:\$[\w{!]|#(?:set|if|else|elseif|end|foreach|\{))/.test(other))
    throw new TemplateError(`the local gateway cannot render ${other} in a mapping template of ${owner}`);
}

/** An unknown variable is empty, as it is on AWS. */
export function renderTemplate(template: string, variables: ReadonlyMap<string, string>): string {
  return template.replace(
    VARIABLE,
    (_whole, braced?: string, plain?: string) => variables.get(braced ?? plain ?? '') ?? '',
  );
}

/** The variables of one request, by their dotted names. */
export function contextVariables(
  context: RestRequestContext,
  error: { readonly responseType: string; readonly message: string | null },
): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const collect = (prefix: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) collect(`${prefix}.${name}`, part);
    else if (value !== null && value !== undefined) variables.set(prefix, String(value));
  };
  collect('context', eventRequestContext(context));
  variables.set('context.error.responseType', error.responseType);
  variables.set('context.error.message', error.message ?? 'null');
  // With its quotation marks, ready to stand in JSON.
  variables.set('context.error.messageString', JSON.stringify(error.message));
  return variables;
}
