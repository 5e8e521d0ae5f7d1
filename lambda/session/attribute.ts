// SPDX-License-Identifier: Apache-2.0
/**
 * Reads and writes attribute values. Reading is strict: own properties only, one type per value, whole numbers as DynamoDB
 * writes them. `undefined` means absent; `'odd'` is what is there but cannot be trusted.
 */
import type { AttributeValue } from './store';

export const ODD = Symbol('odd attribute');
export type Odd = typeof ODD;

/** Up to 15 digits: exactly representable, and rules out signs, fractions, exponents, hex and white space. */
const WHOLE_NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;

/** The attribute's value under its type, `undefined` where the item has no such attribute. */
export function readString(item: object, name: string): string | Odd | undefined {
  const value = readTyped(item, name, 'S');
  return value === undefined || typeof value === 'string' ? value : ODD;
}

export function readWholeNumber(item: object, name: string): number | Odd | undefined {
  const value = readTyped(item, name, 'N');
  if (value === undefined) return undefined;
  return typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : ODD;
}

/** The entries of a map attribute. */
export function readMap(item: object, name: string): ReadonlyMap<string, unknown> | Odd | undefined {
  const value = readTyped(item, name, 'M');
  if (value === undefined) return undefined;
  return isPlainRecord(value) ? new Map(Object.entries(value)) : ODD;
}

export function hasAttribute(item: object, name: string): boolean {
  return Object.hasOwn(item, name);
}

export function text(value: string): AttributeValue {
  return { S: value };
}

export function number(value: number): AttributeValue {
  return { N: String(value) };
}

function readTyped(item: object, name: string, type: string): unknown {
  if (!Object.hasOwn(item, name)) return undefined;
  const value: unknown = (item as Record<string, unknown>)[name];
  if (!isPlainRecord(value)) return ODD;
  const types = Object.keys(value);
  // Two types in one value, or another one than asked for: not what DynamoDB stores.
  return types.length === 1 && types[0] === type ? (value[type] ?? ODD) : ODD;
}

export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
