// SPDX-License-Identifier: Apache-2.0
/** Counts what the table was asked and what that costs in capacity units. Never holds a whole key. */

export interface OperationCount {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

export interface RecentOperation {
  /** Counts up over the life of the emulator, so that a caller can tell what came after a moment. */
  readonly sequence: number;
  readonly operation: string;
  readonly tables: readonly string[];
  /** Kinds of the key, such as `S#` (session), `SU#` (user), `SU# S#` (session in a user's collection) or `other`. */
  readonly keyKind: string;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** False where the answer was an error, such as a condition that did not hold. */
  readonly succeeded: boolean;
}

export interface EmulatorCounts extends OperationCount {
  /** By operation name, such as `GetItem`. */
  readonly operations: Readonly<Record<string, OperationCount>>;
  /** By table name, then by operation name. */
  readonly tables: Readonly<Record<string, Readonly<Record<string, OperationCount>>>>;
  /** The last operations, oldest first, at most 200. */
  readonly recent: readonly RecentOperation[];
}

/** Capacity units by table, as an answer's `ConsumedCapacity` says. */
export type UnitsByTable = ReadonlyMap<string, { readonly readUnits: number; readonly writeUnits: number }>;

const RECENT_LIMIT = 200;
const NOTHING: OperationCount = { requests: 0, readUnits: 0, writeUnits: 0 };

export class OperationCounts {
  #total = NOTHING;
  #operations: Record<string, OperationCount> = {};
  #tables: Record<string, Record<string, OperationCount>> = {};
  #recent: RecentOperation[] = [];
  #sequence = 0;

  add(operation: string, keyKind: string, units: UnitsByTable, succeeded: boolean): void {
    let readUnits = 0;
    let writeUnits = 0;
    for (const [table, consumed] of units) {
      readUnits += consumed.readUnits;
      writeUnits += consumed.writeUnits;
      const count = plus(this.#tables[table]?.[operation], { requests: 1, ...consumed });
      this.#tables[table] = { ...this.#tables[table], [operation]: count };
    }
    const count = { requests: 1, readUnits, writeUnits };
    this.#total = plus(this.#total, count);
    this.#operations[operation] = plus(this.#operations[operation], count);
    this.#sequence += 1;
    const tables = [...units.keys()];
    this.#recent.push({ sequence: this.#sequence, operation, tables, keyKind, readUnits, writeUnits, succeeded });
    if (this.#recent.length > RECENT_LIMIT) this.#recent.shift();
  }

  snapshot(): EmulatorCounts {
    return structuredClone({
      ...this.#total,
      operations: this.#operations,
      tables: this.#tables,
      recent: this.#recent,
    });
  }

  reset(): void {
    this.#total = NOTHING;
    this.#operations = {};
    this.#tables = {};
    this.#recent = [];
  }
}

function plus(a: OperationCount = NOTHING, b: OperationCount): OperationCount {
  return {
    requests: a.requests + b.requests,
    readUnits: a.readUnits + b.readUnits,
    writeUnits: a.writeUnits + b.writeUnits,
  };
}

/**
 * The kinds of the keys in an operation's input: everything up to the first `#` of each key value that has one of the
 * project's prefixes, never more.
 */
export function describeKey(input: Record<string, unknown>, keyAttributes: readonly string[]): string {
  const keys = keysIn(input);
  if (keys.length > 0) {
    const kinds = keys.flatMap((key) => keyAttributes.map((name) => kindOf(key[name])));
    return [...new Set(kinds)].join(' ') || 'other';
  }
  const kinds = Object.values(input.ExpressionAttributeValues ?? {}).map(kindOf);
  return kinds.find((kind) => kind !== 'other') ?? 'other';
}

type Key = Record<string, unknown>;

function keysIn({ Key, Item, RequestItems }: Record<string, unknown>): readonly Key[] {
  const single = Key ?? Item;
  if (isRecord(single)) return [single];
  if (!isRecord(RequestItems)) return [];
  return Object.values(RequestItems).flatMap((request) =>
    isRecord(request) && Array.isArray(request.Keys) ? request.Keys.filter(isRecord) : [],
  );
}

/** The table whose keys an operation names; of several the first. */
export function tableOf({ TableName, RequestItems }: Record<string, unknown>): string | undefined {
  if (typeof TableName === 'string') return TableName;
  return isRecord(RequestItems) ? Object.keys(RequestItems)[0] : undefined;
}

function kindOf(value: unknown): string {
  const text = isRecord(value) ? value.S : undefined;
  return typeof text === 'string' ? (/^(SU|S)#/.exec(text)?.[0] ?? 'other') : 'other';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
