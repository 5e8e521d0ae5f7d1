// SPDX-License-Identifier: Apache-2.0
/** Gives every item key a fixed place in the list of items that a state holds. */
import type { ItemKey } from '../../lambda/session/store';
import { requests } from './knowledge';
import { type ItemRequest, keyOf } from './store-request';

export class Slots {
  readonly #byKey = new Map<string, number>();
  readonly #byRequest = new Map<number, number>();
  readonly #bySortKey = new Map<string, number[]>();
  readonly #byPartition = new Map<string, number[]>();

  of({ partitionKey, sortKey }: ItemKey): number {
    const text = `${partitionKey} ${sortKey}`;
    let slot = this.#byKey.get(text);
    if (slot === undefined) {
      slot = this.#byKey.size;
      this.#byKey.set(text, slot);
      add(this.#bySortKey, sortKey, slot);
      add(this.#byPartition, partitionKey, slot);
    }
    return slot;
  }

  /** The slot that a request touches. */
  ofRequest(requestId: number): number {
    let slot = this.#byRequest.get(requestId);
    if (slot === undefined) {
      slot = this.of(keyOf(requests.valueOf(requestId) as ItemRequest));
      this.#byRequest.set(requestId, slot);
    }
    return slot;
  }

  withSortKey(sortKey: string): readonly number[] {
    return this.#bySortKey.get(sortKey) ?? [];
  }

  inPartition(partitionKey: string): readonly number[] {
    return this.#byPartition.get(partitionKey) ?? [];
  }
}

function add(lists: Map<string, number[]>, name: string, slot: number): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [slot]);
  else list.push(slot);
}

/** The items with one replaced. No trailing empty slots: slots are added as keys come up, and equal stores must look equal. */
export function withItem(items: readonly number[], slot: number, itemId: number): readonly number[] {
  if ((items[slot] ?? 0) === itemId) return items;
  const next = items.slice();
  while (next.length <= slot) next.push(0);
  next[slot] = itemId;
  while (next.at(-1) === 0) next.pop();
  return next;
}
