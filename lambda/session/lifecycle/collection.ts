// SPDX-License-Identifier: Apache-2.0
/** A user's sessions: the collection items, all of them, and the session items they stand for. */
import { readString, readWholeNumber } from '../attribute';
import { JUDGED_ATTRIBUTES } from '../judged-attributes';
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
  /** The epoch that is part of the session's key; another than the settings' after it was changed. */
  readonly epoch: string | undefined;
}

/** The complete collection, page by page, sessions of other epochs too: those must not live on when an epoch comes back. */
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
  const epoch = readString(item, 'epoch');
  return {
    tokenHash,
    epoch: typeof epoch === 'string' ? epoch : undefined,
    generation: typeof generation === 'number' ? generation : 0,
    absoluteEnd:
      typeof absoluteEnd === 'number' ? absoluteEnd : context.now() + context.settings.absoluteTimeoutSeconds,
  };
}

const MOST_KEYS_PER_READ = 100;
export interface LiveSession {
  readonly tokenHash: string;
  readonly item: Item;
  readonly valid: ValidSession;
}

export interface ReadSessions {
  readonly live: readonly LiveSession[];
  /** Hashes of those that are over for good. One that is not there is not among them: its login may be under way. */
  readonly over: readonly string[];
}

/** How long a session must have been expired before nothing in flight, on whichever clock, can still slide it. */
const SETTLED_SECONDS = 120;

/** Which of the listed sessions of this epoch are alive, read consistently and without their data. */
export async function readSessions(context: LifecycleContext, listed: readonly ListedSession[]): Promise<ReadSessions> {
  const { partitionKey } = context.store.attributeNames;
  const tokenHashes = listed.filter(({ epoch }) => epoch === context.settings.epoch).map(({ tokenHash }) => tokenHash);
  const hashByPartitionKey = new Map(tokenHashes.map((hash) => [keyOf(context, hash).partitionKey, hash]));
  const live: LiveSession[] = [];
  const over: string[] = [];
  let keys: readonly ItemKey[] = tokenHashes.map((hash) => keyOf(context, hash));
  while (keys.length > 0) {
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
      if ('session' in outcome) live.push({ tokenHash, item, valid: outcome.session });
      else if (outcome.refused === 'revoked' || isLongExpired(context, item)) over.push(tokenHash);
    }
    keys = [...unread, ...keys.slice(MOST_KEYS_PER_READ)];
  }
  return { live, over };
}

function isLongExpired(context: LifecycleContext, item: Item): boolean {
  const expiresAt = readWholeNumber(item, context.store.attributeNames.expiresAt);
  return item.type?.S === 'session' && typeof expiresAt === 'number' && expiresAt <= context.now() - SETTLED_SECONDS;
}

/** Everything that `validateSessionItem` and the list of devices look at. */
function attributesWithoutData({ store: { attributeNames } }: LifecycleContext): string[] {
  return [
    attributeNames.partitionKey,
    attributeNames.sortKey,
    attributeNames.expiresAt,
    ...JUDGED_ATTRIBUTES,
    'device',
  ];
}
