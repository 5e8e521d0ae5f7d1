// SPDX-License-Identifier: Apache-2.0
/** The application's own data of a session: strict JSON out, no surprises in. */
import { isPlainRecord, ODD, type Odd, readString } from '../attribute';
import { InvalidInputError } from '../errors';
import type { Item } from '../store';

const MAX_DEPTH = 64;

/**
 * The data as JSON. What JSON would silently change (a Date, a Map, NaN, a function) is refused, so that what is read
 * back is what was saved; only undefined properties are left out, as in JSON.
 * @throws InvalidInputError naming the path
 */
export function serializeData(data: unknown): string {
  requireJson(data, 'data', 0);
  return JSON.stringify(data);
}

function requireJson(value: unknown, path: string, depth: number): void {
  if (depth > MAX_DEPTH)
    throw new InvalidInputError(`data must not nest deeper than ${MAX_DEPTH} levels, or hold itself`);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) requireJson(entry, `${path}[${index}]`, depth + 1);
    return;
  }
  if (!isPlainRecord(value) || !hasPlainPrototype(value))
    throw new InvalidInputError(
      `${path} must be JSON (string, finite number, boolean, null, array or plain object), got ${kindOf(value)}`,
    );
  for (const [name, entry] of Object.entries(value)) {
    // Harmless here, but a later merge into another object would set its prototype.
    if (name === '__proto__') throw new InvalidInputError(`${path} must not have a property named __proto__`);
    if (entry !== undefined) requireJson(entry, `${path}.${name}`, depth + 1);
  }
}

function hasPlainPrototype(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'an object') : typeof value;
}

/** The stored data; `{}` where there is none, `ODD` where it is not JSON. Keys named `__proto__` are dropped. */
export function readData(item: Item): unknown | Odd {
  const stored = readString(item, 'data');
  if (stored === undefined) return {};
  if (stored === ODD) return ODD;
  try {
    return JSON.parse(stored, (name, value: unknown) => (name === '__proto__' ? undefined : value));
  } catch {
    return ODD;
  }
}
