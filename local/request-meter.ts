// SPDX-License-Identifier: Apache-2.0
/** Says what each request cost: which functions it invoked, and what they read and wrote in the table. */
import type { EmulatorCounts, RecentOperation } from './emulator/operation-counts';

export interface RequestCost {
  /** Labels of the functions, in order. */
  readonly invoked: readonly string[];
  /** Equal ones stand as one, in the order in which each came first. */
  readonly operations: readonly OperationCost[];
  readonly readUnits: number;
  readonly writeUnits: number;
  /** False with a table whose operations cannot be seen; then there are none here. */
  readonly isMeasured: boolean;
  /** Another request was under way at the same time, so that some of the operations may be its own. */
  readonly hasOverlapped: boolean;
}

export interface OperationCost {
  readonly operation: string;
  readonly keyKind: string;
  readonly succeeded: boolean;
  readonly requests: number;
}

export interface RequestMeter {
  /** Begins to measure a request; `end` says what it cost. */
  begin(): { end(): RequestCost };
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
      const before = counts?.();
      return {
        end() {
          open.delete(request);
          const after = counts?.();
          const lastBefore = before?.recent.at(-1)?.sequence ?? 0;
          return {
            invoked: request.invoked,
            operations: group((after?.recent ?? []).filter(({ sequence }) => sequence > lastBefore)),
            readUnits: (after?.readUnits ?? 0) - (before?.readUnits ?? 0),
            writeUnits: (after?.writeUnits ?? 0) - (before?.writeUnits ?? 0),
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

/** A sweep over many sessions repeats itself, and the result must fit into a header. */
function group(operations: readonly RecentOperation[]): readonly OperationCost[] {
  const groups = new Map<string, OperationCost>();
  for (const { operation, keyKind, succeeded } of operations) {
    const key = JSON.stringify([operation, keyKind, succeeded]);
    const requests = (groups.get(key)?.requests ?? 0) + 1;
    groups.set(key, { operation, keyKind, succeeded, requests });
  }
  return [...groups.values()];
}
