// SPDX-License-Identifier: Apache-2.0
/** Reads DynamoDB's answers: strictly, because what is not exactly an answer must be a fault and never "no session". */
import { isPlainRecord } from '../../session/attribute';
import type { Item } from '../../session/store';
import { type HttpAnswer, namedError } from './exchange';

/**
 * The item of a GetItem; `undefined` where there is none.
 * @throws Error named as DynamoDB names it, or `MalformedAnswer`
 */
export function itemOf(answer: HttpAnswer): Item | undefined {
  const { Item: item, ...others } = contentOf(answer);
  // No item is said by `{}` and by nothing else: something in between may speak JSON too.
  if (Object.keys(others).length > 0 || (item !== undefined && !isPlainRecord(item)))
    throw namedError('MalformedAnswer');
  return item as Item | undefined;
}

/** The content of an answer that says that the request was done. */
export function contentOf({ status, body }: HttpAnswer): Record<string, unknown> {
  const content = parse(body);
  // The service's own message is left out: it is not ours to say what stands in it.
  if (status !== 200) throw namedError(errorType(content), { $metadata: { httpStatusCode: status } });
  // Not DynamoDB that speaks, or half of what it said.
  if (!isPlainRecord(content)) throw namedError('MalformedAnswer');
  return content;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException` -> `ThrottlingException`. */
function errorType(content: unknown): string {
  const type = isPlainRecord(content) ? /[A-Za-z]{1,64}$/.exec(String(content.__type)) : null;
  // Something in between speaks; its status says enough.
  return type === null ? 'UnknownError' : type[0];
}
