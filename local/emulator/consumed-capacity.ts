// SPDX-License-Identifier: Apache-2.0
/** Asks for the consumed capacity on a client's behalf and takes it out of the answer again. */
import type { UnitsByTable } from './operation-counts';

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);
const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);

export function consumesCapacity(operation: string): boolean {
  return READS.has(operation) || WRITES.has(operation);
}

/** The input that asks for consumed capacity, and whether the client had asked itself. */
export function askForCapacity(input: Record<string, unknown>): {
  readonly input: Record<string, unknown>;
  readonly isClientsOwn: boolean;
} {
  const asked = input.ReturnConsumedCapacity;
  // Any other value is the client's own: a wrong one must fail as it would without us.
  if (asked !== undefined && asked !== 'NONE') return { input, isClientsOwn: true };
  return { input: { ...input, ReturnConsumedCapacity: 'TOTAL' }, isClientsOwn: false };
}

/** Reads the units out of a successful answer. */
export function readUnits(operation: string, output: Record<string, unknown>): UnitsByTable {
  const entries = [output.ConsumedCapacity ?? []].flat() as { TableName: string; CapacityUnits: number }[];
  return new Map(
    entries.map(({ TableName, CapacityUnits }) => [
      TableName,
      READS.has(operation) ? { readUnits: CapacityUnits, writeUnits: 0 } : { readUnits: 0, writeUnits: CapacityUnits },
    ]),
  );
}

/**
 * What a failed answer cost. DynamoDB charges a write whose condition did not hold like a write of the stored item
 * (Developer Guide, "Working with items: conditional writes"); its size is not in the answer, so the least is counted.
 */
export function unitsOfFailure(operation: string, table: unknown, output: Record<string, unknown>): UnitsByTable {
  const isFailedCondition = String(output.__type).endsWith('#ConditionalCheckFailedException');
  if (!isFailedCondition || !WRITES.has(operation) || typeof table !== 'string') return new Map();
  return new Map([[table, { readUnits: 0, writeUnits: 1 }]]);
}
