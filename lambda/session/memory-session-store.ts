// SPDX-License-Identifier: Apache-2.0
/** A store in memory, for tests and for trying things out; forgets everything when the process ends. */
import { type AttributeNames, DEFAULT_ATTRIBUTE_NAMES } from '../settings';
import type { AttributeValue, Change, Condition, Item, ItemKey, QueryPage, SessionStore, UpdateOutcome } from './store';

export class MemorySessionStore implements SessionStore {
  readonly attributeNames: AttributeNames;
  /** By partition key, then by sort key. */
  readonly #partitions = new Map<string, Map<string, Item>>();
  readonly #pageSize: number;

  /** `pageSize` is how many items a query returns at once, default 100; small values try out paging. */
  constructor(options: { readonly attributeNames?: AttributeNames; readonly pageSize?: number } = {}) {
    this.attributeNames = options.attributeNames ?? DEFAULT_ATTRIBUTE_NAMES;
    this.#pageSize = options.pageSize ?? 100;
  }

  async get(key: ItemKey, attributes?: readonly string[]): Promise<Item | undefined> {
    return project(this.#find(key), attributes);
  }

  async put(item: Item): Promise<boolean> {
    const key = this.#keyOf(item);
    if (this.#find(key) !== undefined) return false;
    this.#set(key, { ...item });
    return true;
  }

  async update(
    key: ItemKey,
    change: Change,
    conditions: readonly [Condition, ...Condition[]],
    options: { readonly orNoItem?: boolean } = {},
  ): Promise<UpdateOutcome> {
    const previous = this.#find(key);
    const isAllowed = previous === undefined && options.orNoItem === true;
    if (!isAllowed && !conditions.every((condition) => holds(condition, previous ?? {}))) return { applied: false };
    const next: Record<string, AttributeValue> = {
      ...this.#keyAttributes(key),
      ...change.setIfAbsent,
      ...previous,
      ...change.set,
    };
    for (const name of change.remove ?? []) delete next[name];
    this.#set(key, next);
    return previous === undefined ? { applied: true } : { applied: true, previous };
  }

  async delete(key: ItemKey): Promise<void> {
    this.#partitions.get(key.partitionKey)?.delete(key.sortKey);
  }

  async query(partitionKey: string, sortKeyPrefix: string, cursor?: Item): Promise<QueryPage> {
    const after = cursor === undefined ? undefined : this.#keyOf(cursor).sortKey;
    const found = [...(this.#partitions.get(partitionKey) ?? [])]
      .filter(([sortKey]) => sortKey.startsWith(sortKeyPrefix) && (after === undefined || sortKey > after))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, item]) => item);
    const items = found.slice(0, this.#pageSize);
    const last = items.at(-1);
    return found.length > items.length && last !== undefined
      ? { items, cursor: this.#keyAttributes(this.#keyOf(last)) }
      : { items };
  }

  async getMany(
    keys: readonly ItemKey[],
    attributes?: readonly string[],
  ): Promise<{ readonly items: readonly Item[]; readonly unread: readonly ItemKey[] }> {
    const items = keys.map((key) => project(this.#find(key), attributes)).filter((item) => item !== undefined);
    return { items, unread: [] };
  }

  /** Every item held, for looking at in tests. */
  items(): Item[] {
    return [...this.#partitions.values()].flatMap((partition) => [...partition.values()]);
  }

  #find({ partitionKey, sortKey }: ItemKey): Item | undefined {
    return this.#partitions.get(partitionKey)?.get(sortKey);
  }

  #set({ partitionKey, sortKey }: ItemKey, item: Item): void {
    const partition = this.#partitions.get(partitionKey) ?? new Map<string, Item>();
    partition.set(sortKey, item);
    this.#partitions.set(partitionKey, partition);
  }

  #keyOf(item: Item): ItemKey {
    const partitionKey = item[this.attributeNames.partitionKey]?.S;
    const sortKey = item[this.attributeNames.sortKey]?.S;
    if (partitionKey === undefined || sortKey === undefined) throw new TypeError('the item has no key');
    return { partitionKey, sortKey };
  }

  #keyAttributes(key: ItemKey): Item {
    return {
      [this.attributeNames.partitionKey]: { S: key.partitionKey },
      [this.attributeNames.sortKey]: { S: key.sortKey },
    };
  }
}

function project(item: Item | undefined, attributes: readonly string[] | undefined): Item | undefined {
  if (item === undefined || attributes === undefined) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => attributes.includes(name)));
}

/** DynamoDB's rules: a comparison with an absent attribute, or with one of another type, is false. */
function holds(condition: Condition, item: Item): boolean {
  const value = item[condition.attribute];
  switch (condition.is) {
    case 'absent':
      return value === undefined;
    case 'present':
      return value !== undefined;
    case 'equal':
      return value !== undefined && isEqual(value, condition.to);
    case 'greater':
      return value?.N !== undefined && Number(value.N) > condition.than;
    case 'less':
      return value?.N !== undefined && Number(value.N) < condition.than;
  }
}

function isEqual(a: AttributeValue, b: AttributeValue): boolean {
  return a.N !== undefined && b.N !== undefined ? Number(a.N) === Number(b.N) : JSON.stringify(a) === JSON.stringify(b);
}
