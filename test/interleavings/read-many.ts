// SPDX-License-Identifier: Apache-2.0
/**
 * Reads of several items. DynamoDB does not read a whole collection at one moment, so a query is answered in parts, and
 * other processes may write between them.
 */
import type { Item, ItemKey, QueryPage } from '../../lambda/session/store';
import { project } from './item-semantics';
import { keyOfItem, type StoreRequest } from './store-request';

type QueryRequest = Extract<StoreRequest, { call: 'query' }>;
type GetManyRequest = Extract<StoreRequest, { call: 'getMany' }>;

/** How weak a query is: all items at one moment, in two ranges one after the other, or item by item. */
export type QueryReading = 'atOnce' | 'twoRanges' | 'oneByOne';

/** Where the two ranges meet: token hashes from 8 on belong to the second. */
const RANGE_BORDER = '8';

/** One page. `endAfter` ends it early, after so many items. */
export function answerQuery(
  request: QueryRequest,
  stored: readonly Item[],
  reading: QueryReading,
  endAfter?: number,
): QueryPage {
  const { partitionKey, sortKeyPrefix } = request;
  const rest = restOf(request, stored);
  const pageTo = (items: readonly Item[], sortKey: string): QueryPage => ({
    items,
    cursor: { PK: { S: partitionKey }, SK: { S: sortKey } },
  });
  if (endAfter !== undefined) {
    const items = rest.slice(0, endAfter);
    const last = items.at(-1);
    return pageTo(items, last === undefined ? (request.cursor?.SK?.S ?? sortKeyPrefix) : keyOfItem(last).sortKey);
  }
  if (reading === 'twoRanges' && request.cursor === undefined) {
    const border = sortKeyPrefix + RANGE_BORDER;
    return pageTo(
      rest.filter((item) => keyOfItem(item).sortKey < border),
      border,
    );
  }
  const first = rest[0];
  if (reading === 'oneByOne' && first !== undefined) return pageTo([first], keyOfItem(first).sortKey);
  return { items: rest };
}

/** In how many places short of its end a page could end. */
export function queryChoices(request: QueryRequest, stored: readonly Item[]): number {
  return restOf(request, stored).length;
}

function restOf({ partitionKey, sortKeyPrefix, cursor }: QueryRequest, stored: readonly Item[]): Item[] {
  const after = cursor?.SK?.S ?? '';
  return stored
    .map((item) => ({ item, key: keyOfItem(item) }))
    .filter(({ key }) => key.partitionKey === partitionKey)
    .filter(({ key }) => key.sortKey.startsWith(sortKeyPrefix) && key.sortKey > after)
    .sort((one, other) => (one.key.sortKey < other.key.sortKey ? -1 : 1))
    .map(({ item }) => item);
}

/** A batch read; with `endAfter`, the keys from there on stay unread. */
export function answerGetMany(
  { keys, attributes }: GetManyRequest,
  itemAt: (key: ItemKey) => Item | undefined,
  endAfter = keys.length,
): { readonly items: readonly Item[]; readonly unread: readonly ItemKey[] } {
  const items = keys
    .slice(0, endAfter)
    .map(itemAt)
    .filter((item) => item !== undefined);
  return { items: items.map((item) => project(item, attributes)), unread: keys.slice(endAfter) };
}
