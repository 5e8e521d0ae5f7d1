// SPDX-License-Identifier: Apache-2.0
/** Gives equal values equal small numbers, so that states are compared and hashed as short strings of numbers. */

export class Interner<Value> {
  readonly #ids = new Map<string, number>();
  readonly #values: Value[] = [];

  /** Id of the value, from 0 on in order of first sight. `text` must be equal exactly for equal values. */
  idOf(value: Value, text: string = canonicalText(value)): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#values.length;
    this.#ids.set(text, id);
    this.#values.push(deepFreeze(value));
    return id;
  }

  valueOf(id: number): Value {
    if (id < 0 || id >= this.#values.length) throw new RangeError(`no value has the id ${id}`);
    return this.#values[id] as Value;
  }
}

/** JSON with sorted keys; `undefined` members are left out. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`).join()}}`;
}

/** A value handed to the code under test must not change under the states that share it. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !(value instanceof Error) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
