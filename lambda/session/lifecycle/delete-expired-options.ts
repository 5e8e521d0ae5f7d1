// SPDX-License-Identifier: Apache-2.0
/** What `deleteExpired` can be told, and which items each kind of table means by it. */
import { type AttributeNames, ConfigurationError, DEFAULT_ATTRIBUTE_NAMES } from '../../settings';
import type { DynamoDbConnectionOptions } from '../dynamodb-connection';
import type { ExpiredItemsOptions } from '../dynamodb-expired-items';
import { isExpiringKey } from '../session-keys';

/** Where the run is. Counts only grow. */
export interface DeleteExpiredProgress {
  /** Items read so far, whatever they are. */
  readonly scanned: number;
  readonly deleted: number;
  /** Renewed or replaced between scan and delete; they stay. */
  readonly kept: number;
  /** Not deleted although asked again and again; the next run finds them. */
  readonly failed: number;
  readonly readUnits: number;
  /** Of deletes; at least 1 for each, also for one that was kept. */
  readonly writeUnits: number;
  readonly segmentsDone: number;
  readonly segments: number;
}

export interface DeleteExpiredOptions extends DynamoDbConnectionOptions {
  readonly tableName: string;
  /** Names of key and expiry attributes. Default `PK`, `SK`, `expires_at`. */
  readonly attributeNames?: AttributeNames | undefined;
  /** The table is one of PHP's handler. Default: a session table of this library. */
  readonly php?: PhpExpiredItems | undefined;
  /** Only what ended longer ago than this is deleted. 60 to 86,400,000. Default 3,600. */
  readonly marginSeconds?: number | undefined;
  /** Into how many parts the table is cut; they are read in random order. 1 to 10,000. Default 16. */
  readonly segments?: number | undefined;
  /** How many parts are worked on at the same time. 1 to 64. Default 2. */
  readonly concurrency?: number | undefined;
  /** Average over the run; a page of a scan reads up to 128 at once. Default 100. */
  readonly maxReadUnitsPerSecond?: number | undefined;
  /** Average over the run. Default 100. */
  readonly maxWriteUnitsPerSecond?: number | undefined;
  /** Called after each page and each batch. */
  readonly onProgress?: ((progress: DeleteExpiredProgress) => void) | undefined;
  /** Stops the run; what is under way is finished. */
  readonly signal?: AbortSignal | undefined;
  /** Reject when the table fails, instead of saying so in the result. Default false. */
  readonly throwOnFailure?: boolean | undefined;
  /** Unix milliseconds. Default: the system's clock. */
  readonly nowMillis?: (() => number) | undefined;
  /** From 0 up to, but not including, 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Returns early when the signal is aborted. Default: a timer. */
  readonly sleep?: ((millis: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

export interface PhpExpiredItems {
  /** Only sessions of this name. Default: every item of the table. */
  readonly sessionName?: string | undefined;
  /** Default `id`. */
  readonly hashKey?: string | undefined;
  /** Default `expires`. */
  readonly sessionLifetimeAttribute?: string | undefined;
}

export interface DeleteExpiredSettings {
  readonly marginSeconds: number;
  readonly segments: number;
  readonly concurrency: number;
  readonly maxReadUnitsPerSecond: number;
  readonly maxWriteUnitsPerSecond: number;
}

/** @throws ConfigurationError naming the option */
export function resolveDeleteExpired(options: DeleteExpiredOptions): DeleteExpiredSettings {
  if (typeof options.tableName !== 'string' || options.tableName === '')
    throw new ConfigurationError('tableName must be the name of the table');
  if (options.php !== undefined && options.attributeNames !== undefined)
    throw new ConfigurationError('attributeNames must not be given with php, which has names of its own');
  return {
    // Longer than a write can be in flight: nothing of ours revives what ended before that.
    marginSeconds: numberWithin('marginSeconds', options.marginSeconds ?? 3600, 60, 86_400_000),
    segments: numberWithin('segments', options.segments ?? 16, 1, 10_000),
    concurrency: numberWithin('concurrency', options.concurrency ?? 2, 1, 64),
    maxReadUnitsPerSecond: numberWithin('maxReadUnitsPerSecond', options.maxReadUnitsPerSecond ?? 100, 1, 1e6),
    maxWriteUnitsPerSecond: numberWithin('maxWriteUnitsPerSecond', options.maxWriteUnitsPerSecond ?? 100, 1, 1e6),
  };
}

/** Sessions of this library, or of PHP's handler; never anything else that shares the table. */
export function expiredItemsOf(options: DeleteExpiredOptions): ExpiredItemsOptions {
  const { php, attributeNames = DEFAULT_ATTRIBUTE_NAMES } = options;
  if (php === undefined) {
    const { partitionKey, sortKey, expiresAt } = attributeNames;
    return {
      ...options,
      keyAttributes: [partitionKey, sortKey],
      expiresAtAttribute: expiresAt,
      isOurs: (key) => isExpiringKey({ partitionKey: key[partitionKey]?.S ?? '', sortKey: key[sortKey]?.S ?? '' }),
    };
  }
  const { sessionName, hashKey = 'id', sessionLifetimeAttribute = 'expires' } = php;
  const prefix = `${sessionName}_`;
  return {
    ...options,
    keyAttributes: [hashKey],
    expiresAtAttribute: sessionLifetimeAttribute,
    isOurs: (key) => {
      const text = key[hashKey]?.S ?? '';
      // Ids hold no underscore; with one more, the item is another application's.
      return sessionName === undefined || (text.startsWith(prefix) && !text.slice(prefix.length).includes('_'));
    },
  };
}

function numberWithin(option: string, value: unknown, lowest: number, highest: number): number {
  if (!Number.isSafeInteger(value) || (value as number) < lowest || (value as number) > highest)
    throw new ConfigurationError(`${option} must be a whole number from ${lowest} to ${highest}`);
  return value as number;
}
