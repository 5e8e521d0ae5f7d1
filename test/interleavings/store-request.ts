// SPDX-License-Identifier: Apache-2.0
/** Store calls as plain values, so that a scheduler can hold them, apply them later, twice or not at all. */
import type {
  Change,
  Condition,
  Item,
  ItemKey,
  QueryPage,
  SessionStore,
  UpdateOutcome,
} from '../../lambda/session/store';
import { DEFAULT_ATTRIBUTE_NAMES } from '../../lambda/settings';

/** One call of the store contract with its arguments. */
export type StoreRequest =
  | { readonly call: 'get'; readonly key: ItemKey; readonly attributes?: readonly string[] }
  | { readonly call: 'put'; readonly item: Item }
  | {
      readonly call: 'update';
      readonly key: ItemKey;
      readonly change: Change;
      readonly conditions: readonly [Condition, ...Condition[]];
      readonly orNoItem: boolean;
    }
  | { readonly call: 'delete'; readonly key: ItemKey }
  | { readonly call: 'query'; readonly partitionKey: string; readonly sortKeyPrefix: string; readonly cursor?: Item }
  | { readonly call: 'getMany'; readonly keys: readonly ItemKey[]; readonly attributes?: readonly string[] };

/** A request that touches one item. */
export type ItemRequest = Exclude<StoreRequest, { call: 'query' | 'getMany' }>;

/** A request that may change something. */
export function isWrite(request: StoreRequest): boolean {
  return request.call === 'put' || request.call === 'update' || request.call === 'delete';
}

export function keyOf(request: ItemRequest): ItemKey {
  return request.call === 'put' ? keyOfItem(request.item) : request.key;
}

/** Key of an item as it is stored. */
export function keyOfItem(item: Item): ItemKey {
  const partitionKey = item[DEFAULT_ATTRIBUTE_NAMES.partitionKey]?.S;
  const sortKey = item[DEFAULT_ATTRIBUTE_NAMES.sortKey]?.S;
  if (partitionKey === undefined || sortKey === undefined) throw new TypeError('an item was written without its key');
  return { partitionKey, sortKey };
}

/** A store whose every call becomes a request; `answer` decides what comes back and when. */
export function requestingStore(answer: (request: StoreRequest) => Promise<unknown>): SessionStore {
  return {
    attributeNames: DEFAULT_ATTRIBUTE_NAMES,
    get: (key, attributes) =>
      answer({ call: 'get', key, ...(attributes && { attributes }) }) as Promise<Item | undefined>,
    put: (item) => answer({ call: 'put', item }) as Promise<boolean>,
    update: (key, change, conditions, options = {}) =>
      answer({
        call: 'update',
        key,
        change,
        conditions,
        orNoItem: options.orNoItem ?? false,
      }) as Promise<UpdateOutcome>,
    delete: (key) => answer({ call: 'delete', key }) as Promise<void>,
    query: (partitionKey, sortKeyPrefix, cursor) =>
      answer({ call: 'query', partitionKey, sortKeyPrefix, ...(cursor && { cursor }) }) as Promise<QueryPage>,
    getMany: (keys, attributes) =>
      answer({ call: 'getMany', keys, ...(attributes && { attributes }) }) as ReturnType<SessionStore['getMany']>,
  };
}

/** Makes the call on a store. */
export function performOn(store: SessionStore, request: StoreRequest): Promise<unknown> {
  switch (request.call) {
    case 'get':
      return store.get(request.key, request.attributes);
    case 'put':
      return store.put(request.item);
    case 'update':
      return store.update(request.key, request.change, request.conditions, { orNoItem: request.orNoItem });
    case 'delete':
      return store.delete(request.key);
    case 'query':
      return store.query(request.partitionKey, request.sortKeyPrefix, request.cursor);
    case 'getMany':
      return store.getMany(request.keys, request.attributes);
  }
}
