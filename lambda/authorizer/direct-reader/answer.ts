// SPDX-License-Identifier: Apache-2.0
/** Reads DynamoDB's answers: strictly, because what is not exactly an answer must be a fault and never "no session". */
import { isPlainRecord } from '../../session/attribute';
import type { Item } from '../../session/store';
import type { HttpAnswer } from './exchange';

/**
 * The item of a GetItem; `undefined` where there is none.
 * @throws Error named as DynamoDB names it, or `MalformedAnswer`
 */
export function itemOf(answer: HttpAnswer): Item | undefined {
  const { Item: item } = contentOf(answer);
  if (item === undefined) return undefined;
  if (!isPlainRecord(item)) throw malformed();
  return item as Item;
}

/** The content of an answer that says that the request was done. */
export function contentOf(answer: HttpAnswer): Record<string, unknown> {
  const content = parse(answer.body);
  if (answer.status !== 200) throw failure(errorType(content) ?? nameOfStatus(answer.status), answer.status);
  if (content === undefined) throw malformed();
  return content;
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const content: unknown = JSON.parse(body);
    return isPlainRecord(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException` -> `ThrottlingException`. */
function errorType(content: Record<string, unknown> | undefined): string | undefined {
  const type = content?.__type;
  return typeof type === 'string' ? /(?:^|#)([A-Za-z]{1,64})$/.exec(type)?.[1] : undefined;
}

/** For an answer that does not name its error, as from a proxy in between. */
function nameOfStatus(status: number): string {
  if (status === 429) return 'ThrottlingException';
  return status >= 500 ? 'InternalServerError' : 'UnknownError';
}

/** The service's own message is left out: it is not ours to say what stands in it. */
function failure(name: string, status: number): Error {
  return Object.assign(new Error(`DynamoDB answered with ${name}`), { name, $metadata: { httpStatusCode: status } });
}

/** Not DynamoDB that speaks, or half of what it said. */
function malformed(): Error {
  return Object.assign(new Error('the answer is not one of DynamoDB'), { name: 'MalformedAnswer' });
}
