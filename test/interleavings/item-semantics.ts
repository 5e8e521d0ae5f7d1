// SPDX-License-Identifier: Apache-2.0
/** What one request does to one item, asked of a memory store that holds only this item. */
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import type { Item } from '../../lambda/session/store';
import { type ItemRequest, performOn } from './store-request';

/** The answer to the caller and the item afterwards. */
export interface Effect {
  readonly answer: unknown;
  readonly item: Item | undefined;
}

export async function applyToItem(request: ItemRequest, item: Item | undefined): Promise<Effect> {
  const store = new MemorySessionStore();
  if (item !== undefined) await store.put(item);
  const answer = await performOn(store, request);
  return { answer, item: store.items()[0] };
}

/** The item with only these attributes; all of them if none are named. */
export function project(item: Item, attributes?: readonly string[]): Item {
  if (attributes === undefined) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => attributes.includes(name)));
}
