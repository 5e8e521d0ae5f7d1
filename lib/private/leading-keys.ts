// SPDX-License-Identifier: Apache-2.0
/** Permissions for a part of a table: the items whose partition key begins with a text. */
import { Token } from 'aws-cdk-lib';

/**
 * The conditions of such a statement; `*`, `?` and `$` of the text stand for themselves.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html#policy-vars-specialchars
 */
export function keysBeginningWith(prefix: string): Record<string, Record<string, unknown>> {
  const escaped = Token.isUnresolved(prefix) ? prefix : prefix.replace(/[*?$]/g, (special) => `\${${special}}`);
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${escaped}*`] },
    // ForAllValues also holds where a request carries no key at all; this refuses that.
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
}
