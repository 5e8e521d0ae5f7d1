// SPDX-License-Identifier: Apache-2.0
/** Parses JSON of other systems. */
import { isPlainRecord } from '../session/attribute';

/** The object that the text holds; `undefined` for anything else, and if any key in it is named `__proto__`. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text, refusePrototype);
    return isPlainRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Harmless as parsed; a later merge into another object would set its prototype. */
function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new SyntaxError('a key is named __proto__');
  return value;
}
