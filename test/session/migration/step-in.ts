// SPDX-License-Identifier: Apache-2.0
/** Lets something happen between two steps of a request: just before the first write of a kind. */
import type { StoreCalls, StoreOperation } from '../fixtures';

/** Which write is meant. */
export interface Step {
  readonly operation: Extract<StoreOperation, 'put' | 'update'>;
  /** How the partition key begins: `S#` for sessions, `SL#` for claims, `SU#` for a user's items. */
  readonly key: string;
  /** An attribute that the update sets. Default: any. */
  readonly sets?: string;
}

/** Returns whether it has happened; whatever it rejects with fails the write. */
export function stepIn(calls: StoreCalls, step: Step, run: () => unknown): () => boolean {
  let isDone = false;
  calls.interceptor = {
    before: async ({ operation, arguments: written }) => {
      if (isDone || operation !== step.operation || !isMeant(written, step)) return;
      isDone = true;
      await run();
    },
  };
  return () => isDone;
}

type Written = readonly [
  { readonly partitionKey?: string; readonly PK?: { readonly S: string } },
  { readonly set?: object },
];

function isMeant(written: readonly unknown[], { key, sets }: Step): boolean {
  const [{ partitionKey, PK }, change] = written as Written;
  if (!(partitionKey ?? PK?.S ?? '').startsWith(key)) return false;
  return sets === undefined || Object.hasOwn(change?.set ?? {}, sets);
}
