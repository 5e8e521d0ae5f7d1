// SPDX-License-Identifier: Apache-2.0
/** Finds the function in the URI by which API Gateway invokes it. */
import { TemplateError } from '../template/template';

/** @throws TemplateError for a URI of anything else */
export function functionArnOf(uri: unknown, owner: string): string {
  const arn = /:lambda:path\/2015-03-31\/functions\/(arn:[^/]+)\/invocations$/.exec(String(uri))?.[1];
  if (arn === undefined) throw new TemplateError(`${owner} does not invoke a function: ${String(uri)}`);
  return arn;
}
