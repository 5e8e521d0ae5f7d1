// SPDX-License-Identifier: Apache-2.0
/**
 * PHP's plain values as JavaScript sees them. Never an object of a class: those are refused, not made.
 *
 * An array with the keys 0, 1, 2… in this order is a JavaScript array, any other a record without a prototype. Two things
 * PHP knows and JavaScript does not are lost: the order of whole-number keys in a record, and that a whole number was a float.
 */

/** `bigint` only for whole numbers beyond 2^53. */
export type PhpValue = null | boolean | number | bigint | string | PhpValue[] | PhpRecord;

export interface PhpRecord {
  [name: string]: PhpValue;
}

/** How `session.serialize_handler` writes a session. */
export type PhpSessionFormat = 'php' | 'php_serialize' | 'php_binary';

/** Deeper arrays are neither read nor written; the same as for session data. */
export const MAX_PHP_DEPTH = 64;

/** DynamoDB's own limit of an item; longer data did not come from one. */
export const MAX_PHP_BYTES = 409_600;

const INTEGER = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** PHP's own rule: a key that looks like a whole number of 64 bits is one. */
export function isIntegerKey(key: string): boolean {
  return INTEGER.test(key) && isInt64(BigInt(key));
}

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}
