// SPDX-License-Identifier: Apache-2.0
/** Keys of the three kinds of items. Prefixes keep them apart from everything else in an application's own table. */
import type { ItemKey } from './store';

/** Sort key of every session item, and prefix of that of a collection item. */
export const SESSION_SORT_KEY = 'S#';
const USER_PREFIX = 'SU#';

/** Partition key of a session: `S#<token hash>`, with an epoch `S#<epoch>#<token hash>`. */
export function sessionPartitionKey(tokenHash: string, epoch?: string): string {
  return epoch === undefined ? `S#${tokenHash}` : `S#${epoch}#${tokenHash}`;
}

export function sessionKey(tokenHash: string, epoch?: string): ItemKey {
  return { partitionKey: sessionPartitionKey(tokenHash, epoch), sortKey: SESSION_SORT_KEY };
}

/** The item that holds a user's generation and whether the user is disabled. */
export function userKey(user: string): ItemKey {
  return { partitionKey: USER_PREFIX + user, sortKey: USER_PREFIX };
}

/** The item by which a user's session is listed; one per session, in the partition of the user item. */
export function collectionKey(user: string, tokenHash: string): ItemKey {
  return { partitionKey: USER_PREFIX + user, sortKey: SESSION_SORT_KEY + tokenHash };
}

/** What `query` needs to find a user's collection items and not the user item. */
export function collectionOf(user: string): { readonly partitionKey: string; readonly sortKeyPrefix: string } {
  return { partitionKey: USER_PREFIX + user, sortKeyPrefix: SESSION_SORT_KEY };
}

/** The token hash named by a collection item's sort key. */
export function tokenHashOfCollectionItem(sortKey: string): string {
  return sortKey.slice(SESSION_SORT_KEY.length);
}

/** Partition and sort key of a claim, see `migration/claim-item.ts`. */
export const CLAIM_PREFIX = 'SL#';
const SESSION_PARTITION_KEY = /^S#(?:[A-Za-z0-9._-]{1,64}#)?[0-9a-f]{64}$/;
const HASH = /^[0-9a-f]{64}$/;

/**
 * Whether an item of this key is one of ours that may go once it has expired: a session, a collection item or a claim.
 * Never the user item, whose generation must not restart, and nothing of the application's own.
 */
export function isExpiringKey({ partitionKey, sortKey }: ItemKey): boolean {
  if (sortKey === SESSION_SORT_KEY) return SESSION_PARTITION_KEY.test(partitionKey);
  if (sortKey === CLAIM_PREFIX) return partitionKey.startsWith(CLAIM_PREFIX) && HASH.test(partitionKey.slice(3));
  return (
    partitionKey.startsWith(USER_PREFIX) &&
    sortKey.startsWith(SESSION_SORT_KEY) &&
    HASH.test(sortKey.slice(SESSION_SORT_KEY.length))
  );
}
