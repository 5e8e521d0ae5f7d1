// SPDX-License-Identifier: Apache-2.0
/** A user's sessions: the collection items, all of them, and the session items they stand for. */
import { readString, readWholeNumber } from '../attribute';
import { collectionOf, tokenHashOfCollectionItem } from '../session-keys';
import type { Item, ItemKey } from '../store';
import { isTokenHash } from '../token';
import { type ValidSession, validateSessionItem } from '../validate-session-item';
import { keyOf, type LifecycleContext, repeat } from './context';

export interface ListedSession {
  readonly tokenHash: string;
  /** 0 where the item has none: older than every bump. */
  readonly generation: number;
  /** When the session is over at the latest. */
  readonly absoluteEnd: number;
}

/** The complete collection, page by page. */
export async function queryCollection(context: LifecycleContext, user: string): Promise<ListedSession[]> {
  const { partitionKey, sortKeyPrefix } = collectionOf(user);
  const listed: ListedSession[] = [];
  let cursor: Item | undefined;
  do {
    const from = cursor;
    const page = await repeat(context, () => context.store.query(partitionKey, sortKeyPrefix, from));
    listed.push(...page.items.flatMap((item) => listedSession(context, item) ?? []));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return listed;
}

function listedSession(context: LifecycleContext, item: Item): ListedSession | undefined {
  const { sortKey, expiresAt } = context.store.attributeNames;
  const key = readString(item, sortKey);
  const tokenHash = typeof key === 'string' ? tokenHashOfCollectionItem(key) : undefined;
  if (!isTokenHash(tokenHash)) return undefined;
  const generation = readWholeNumber(item, 'generation');
  const absoluteEnd = readWholeNumber(item, expiresAt);
  return {
    tokenHash,
    generation: typeof generation === 'number' ? generation : 0,
    absoluteEnd:
      typeof absoluteEnd === 'number' ? absoluteEnd : context.now() + context.settings.absoluteTimeoutSeconds,
  };
}

const MOST_KEYS_PER_READ = 100;
/** An answer may leave keys unread; each round reads at least one, so this many rounds are never needed. */
const MAX_READS = 200;

/** The live ones among the sessions of the given hashes, read consistently and without their data. */
export async function readSessions(
  context: LifecycleContext,
  tokenHashes: readonly string[],
): Promise<{ readonly tokenHash: string; readonly item: Item; readonly valid: ValidSession }[]> {
  const { partitionKey } = context.store.attributeNames;
  const hashByPartitionKey = new Map(tokenHashes.map((hash) => [keyOf(context, hash).partitionKey, hash]));
  const found: { tokenHash: string; item: Item; valid: ValidSession }[] = [];
  let keys: readonly ItemKey[] = tokenHashes.map((hash) => keyOf(context, hash));
  for (let reads = 0; keys.length > 0 && reads < MAX_READS; reads++) {
    const batch = keys.slice(0, MOST_KEYS_PER_READ);
    const { items, unread } = await repeat(context, () => context.store.getMany(batch, attributesWithoutData(context)));
    for (const item of items) {
      const key = readString(item, partitionKey);
      const tokenHash = typeof key === 'string' ? hashByPartitionKey.get(key) : undefined;
      if (tokenHash === undefined || typeof key !== 'string') continue;
      const outcome = validateSessionItem(item, {
        partitionKey: key,
        now: context.now(),
        attributeNames: context.store.attributeNames,
      });
      if ('session' in outcome) found.push({ tokenHash, item, valid: outcome.session });
    }
    keys = [...unread, ...keys.slice(MOST_KEYS_PER_READ)];
  }
  return found;
}

/** Everything that `validateSessionItem` and the list of devices look at. */
function attributesWithoutData({ store: { attributeNames } }: LifecycleContext): string[] {
  return [attributeNames.partitionKey, attributeNames.sortKey, attributeNames.expiresAt, ...SESSION_ATTRIBUTES];
}

export const SESSION_ATTRIBUTES: readonly string[] = [
  'type',
  'user',
  'user_pk',
  'user_sk',
  'created_at',
  'issued_at',
  'authenticated_at',
  'renewed_at',
  'generation',
  'version',
  'claims',
  'device',
  'revoked',
];
