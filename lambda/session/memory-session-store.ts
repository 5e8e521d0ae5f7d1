// SPDX-License-Identifier: Apache-2.0
/** A store in memory, for tests and for trying things out; forgets everything when the process ends. */
import { type AttributeNames, DEFAULT_ATTRIBUTE_NAMES } from '../settings';
import type { AttributeValue, Change, Condition, Item, ItemKey, QueryPage, SessionStore, UpdateOutcome } from './store';

export class MemorySessionStore implements SessionStore {
  readonly attributeNames: AttributeNames;
  readonly #items = new Map<string, Item>();
  readonly #pageSize: number;

  /** `pageSize` is how many items a query returns at once, default 100; small values try out paging. */
  constructor(options: { readonly attributeNames?: AttributeNames; readonly pageSize?: number } = {}) {
    this.attributeNames = options.attributeNames ?? DEFAULT_ATTRIBUTE_NAMES;
    this.#pageSize = options.pageSize ?? 100;
  }

  async get(key: ItemKey, attributes?: readonly string[]): Promise<Item | undefined> {
    return project(this.#items.get(addressOf(key)), attributes);
  }

  async put(item: Item): Promise<boolean> {
    const address = addressOf(this.#keyOf(item));
    if (this.#items.has(address)) return false;
    this.#items.set(address, { ...item });
    return true;
  }

  async update(
    key: ItemKey,
    change: Change,
    conditions: readonly [Condition, ...Condition[]],
    options: { readonly orNoItem?: boolean } = {},
  ): Promise<UpdateOutcome> {
    const previous = this.#items.get(addressOf(key));
    const isAllowed = previous === undefined && options.orNoItem === true;
    if (!isAllowed && !conditions.every((condition) => holds(condition, previous ?? {}))) return { applied: false };
    const next: Record<string, AttributeValue> = {
      ...this.#keyAttributes(key),
      ...change.setIfAbsent,
      ...previous,
      ...change.set,
    };
    for (const name of change.remove ?? []) delete next[name];
    this.#items.set(addressOf(key), next);
    return previous === undefined ? { applied: true } : { applied: true, previous };
  }

  async delete(key: ItemKey): Promise<void> {
    this.#items.delete(addressOf(key));
  }

  async query(partitionKey: string, sortKeyPrefix: string, cursor?: Item): Promise<QueryPage> {
    const { sortKey } = this.attributeNames;
    const after = cursor === undefined ? undefined : this.#keyOf(cursor).sortKey;
    const found = this.items()
      .filter((item) => {
        const key = this.#keyOf(item);
        return (
          key.partitionKey === partitionKey &&
          key.sortKey.startsWith(sortKeyPrefix) &&
          (after === undefined || key.sortKey > after)
        );
      })
      .sort((a, b) => ((a[sortKey]?.S ?? '') < (b[sortKey]?.S ?? '') ? -1 : 1));
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
    const items = keys
      .map((key) => project(this.#items.get(addressOf(key)), attributes))
      .filter((item) => item !== undefined);
    return { items, unread: [] };
  }

  /** Every item held, for looking at in tests. */
  items(): Item[] {
    return [...this.#items.values()];
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

function addressOf({ partitionKey, sortKey }: ItemKey): string {
  return JSON.stringify([partitionKey, sortKey]);
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
