// SPDX-License-Identifier: Apache-2.0
/**
 * What the lifecycle asks of a store: six operations on single items, each one request and each atomic on its own.
 *
 * The rules of the lifecycle (which session is alive, when a write may happen) are conditions passed in by the
 * caller, so that they stand in one place and no store can get them wrong. An implementation keeps three promises:
 *
 * 1. reads and queries are strongly consistent: what a returned write wrote, the next read sees;
 * 2. condition and write are one atomic step; a condition that does not hold writes nothing and returns, it never throws;
 * 3. it does not retry. A failed condition after a retry means something else than one that fails at once, and only
 *    the caller can tell. A failure is a `SessionStoreError`; the write may have been done all the same.
 */
import type { AttributeNames } from '../settings';

/** One DynamoDB attribute value, such as `{ S: 'text' }` or `{ N: '12' }`; the types that the lifecycle writes. */
export interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly BOOL?: boolean;
  readonly M?: Readonly<Record<string, AttributeValue>>;
}

/** An item as DynamoDB returns it. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** The values of partition and sort key. */
export interface ItemKey {
  readonly partitionKey: string;
  readonly sortKey: string;
}

/** One comparison on the stored item; a list of them holds when all hold. Numbers compare as numbers. */
export type Condition =
  | { readonly attribute: string; readonly is: 'absent' }
  | { readonly attribute: string; readonly is: 'present' }
  | { readonly attribute: string; readonly is: 'equal'; readonly to: AttributeValue }
  | { readonly attribute: string; readonly is: 'greater' | 'less'; readonly than: number };

/** Attributes to set, to set only where they are missing, and to remove. */
export interface Change {
  readonly set?: Item;
  readonly setIfAbsent?: Item;
  readonly remove?: readonly string[];
}

/** Done, with the item as it was before (absent if the write created it); or nothing was written: a condition did not hold. */
export type UpdateOutcome = { readonly applied: true; readonly previous?: Item } | { readonly applied: false };

export interface QueryPage {
  readonly items: readonly Item[];
  /** Pass to the next call; absent on the last page. */
  readonly cursor?: Item;
}

export interface SessionStore {
  /** Names of the key and expiry attributes in this store's table. */
  readonly attributeNames: AttributeNames;

  /** Consistent read of one item; `undefined` where there is none. `attributes` limits what is returned. */
  get(key: ItemKey, attributes?: readonly string[]): Promise<Item | undefined>;

  /** Writes a whole item, key included, if no item has its key; `false` if one has. */
  put(item: Item): Promise<boolean>;

  /**
   * Changes one item if every condition holds. An absent item fails every condition but `absent`; with `orNoItem` the
   * write also happens, and creates the item, where none exists. Without conditions it would be an upsert, so at
   * least one is required.
   */
  update(
    key: ItemKey,
    change: Change,
    conditions: readonly [Condition, ...Condition[]],
    options?: { readonly orNoItem?: boolean },
  ): Promise<UpdateOutcome>;

  /** Deletes an item; an absent one is no error. */
  delete(key: ItemKey): Promise<void>;

  /** One page of the items of a partition whose sort key begins with the prefix, in order of the sort key. */
  query(partitionKey: string, sortKeyPrefix: string, cursor?: Item): Promise<QueryPage>;

  /** Consistent read of up to 100 items; absent ones are left out. `unread` are keys the store did not get to. */
  getMany(
    keys: readonly ItemKey[],
    attributes?: readonly string[],
  ): Promise<{ readonly items: readonly Item[]; readonly unread: readonly ItemKey[] }>;
}
