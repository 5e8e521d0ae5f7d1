// SPDX-License-Identifier: Apache-2.0
/** Says what each request cost: which functions it invoked, and what they read and wrote in the table. */
import type { EmulatorCounts, RecentOperation } from './emulator/operation-counts';

export interface RequestCost {
  /** Labels of the functions, in order. */
  readonly invoked: readonly string[];
  readonly operations: readonly Pick<
    RecentOperation,
    'operation' | 'keyKind' | 'readUnits' | 'writeUnits' | 'succeeded'
  >[];
  readonly readUnits: number;
  readonly writeUnits: number;
  /** False with a table whose operations cannot be seen; then there are none here. */
  readonly isMeasured: boolean;
  /** Another request was under way at the same time, so that some of the operations may be its own. */
  readonly hasOverlapped: boolean;
}

export interface RequestMeter {
  begin(): { /** What was seen since. */ end(): RequestCost };
  /** To be told of each invocation. */
  noteInvocation(label: string): void;
}

interface OpenRequest {
  readonly invoked: string[];
  hasOverlapped: boolean;
}

/** @param counts - undefined where the table is not the embedded one: then operations are not known */
export function createRequestMeter(counts: (() => EmulatorCounts) | undefined): RequestMeter {
  const open = new Set<OpenRequest>();
  return {
    begin() {
      const request: OpenRequest = { invoked: [], hasOverlapped: open.size > 0 };
      for (const other of open) other.hasOverlapped = true;
      open.add(request);
      const startSequence = counts?.().recent.at(-1)?.sequence ?? 0;
      return {
        end() {
          open.delete(request);
          const operations = (counts?.().recent ?? [])
            .filter(({ sequence }) => sequence > startSequence)
            .map(({ operation, keyKind, readUnits, writeUnits, succeeded }) => ({
              operation,
              keyKind,
              readUnits,
              writeUnits,
              succeeded,
            }));
          return {
            invoked: request.invoked,
            operations,
            readUnits: sum(operations.map(({ readUnits }) => readUnits)),
            writeUnits: sum(operations.map(({ writeUnits }) => writeUnits)),
            isMeasured: counts !== undefined,
            hasOverlapped: request.hasOverlapped,
          };
        },
      };
    },
    noteInvocation(label) {
      for (const request of open) request.invoked.push(label);
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
