// SPDX-License-Identifier: Apache-2.0
/**
 * Deletes what has expired, for tables without TTL. A scan reads, and is charged for, every item of the table; with TTL on,
 * DynamoDB does the same for nothing. Expired sessions are refused in either case: this only frees room.
 */
import { setTimeout } from 'node:timers/promises';
import { createExpiredItems, type ExpiredItems, type ExpiredKey } from '../dynamodb-expired-items';
import { SessionStoreError } from '../errors';
import {
  type DeleteExpiredOptions,
  type DeleteExpiredProgress,
  type DeleteExpiredSettings,
  expiredItemsOf,
  resolveDeleteExpired,
} from './delete-expired-options';
import { UnitBudget } from './unit-budget';

export interface DeleteExpiredResult extends DeleteExpiredProgress {
  /** The whole table was read, and nothing failed. */
  readonly isComplete: boolean;
  /** What stopped the run; absent if nothing did, or the signal. What was deleted stays deleted. */
  readonly failure?: Error;
}

const BATCH_SIZE = 25;
const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MILLIS = 50;
const LONGEST_PAUSE_MILLIS = 5_000;

/**
 * Never rejects for what the table does, unless `throwOnFailure`; the run stops there, and the next one goes on.
 *
 * Sessions of this library are deleted in batches of 25: once expired for longer than the margin, none of its writes can
 * revive them. PHP's are deleted one by one, each only if it is still expired: PHP may replace an expired session at any time.
 * @throws ConfigurationError naming the option
 */
export async function deleteExpired(options: DeleteExpiredOptions): Promise<DeleteExpiredResult> {
  const run = new Run(options, resolveDeleteExpired(options), createExpiredItems(expiredItemsOf(options)));
  const result = await run.result();
  if (result.failure !== undefined && options.throwOnFailure === true) throw result.failure;
  return result;
}

class Run {
  readonly #options: DeleteExpiredOptions;
  readonly #settings: DeleteExpiredSettings;
  readonly #items: ExpiredItems;
  readonly #before: number;
  readonly #reads: UnitBudget;
  readonly #writes: UnitBudget;
  readonly #segments: number[];
  #progress: DeleteExpiredProgress;
  #failure: Error | undefined;

  constructor(options: DeleteExpiredOptions, settings: DeleteExpiredSettings, items: ExpiredItems) {
    const { nowMillis = Date.now, random = Math.random } = options;
    this.#options = options;
    this.#settings = settings;
    this.#items = items;
    this.#before = Math.floor(nowMillis() / 1000) - settings.marginSeconds;
    this.#reads = new UnitBudget(settings.maxReadUnitsPerSecond, nowMillis);
    this.#writes = new UnitBudget(settings.maxWriteUnitsPerSecond, nowMillis);
    this.#segments = shuffled(settings.segments, random);
    this.#progress = {
      scanned: 0,
      deleted: 0,
      kept: 0,
      failed: 0,
      readUnits: 0,
      writeUnits: 0,
      segmentsDone: 0,
      segments: settings.segments,
    };
  }

  async result(): Promise<DeleteExpiredResult> {
    await Promise.all(Array.from({ length: this.#settings.concurrency }, () => this.#work()));
    const { segmentsDone, segments, failed } = this.#progress;
    return {
      ...this.#progress,
      isComplete: segmentsDone === segments && failed === 0,
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
    };
  }

  /** Takes one segment after another, until none is left or the run is stopped. */
  async #work(): Promise<void> {
    try {
      for (let segment = this.#segments.pop(); segment !== undefined; segment = this.#segments.pop()) {
        await this.#clean(segment);
        if (this.#isStopped) return;
        this.#report({ segmentsDone: 1 });
      }
    } catch (failure) {
      this.#failure ??= failure instanceof Error ? failure : new Error('the run failed', { cause: failure });
    }
  }

  get #isStopped(): boolean {
    return this.#failure !== undefined || this.#options.signal?.aborted === true;
  }

  async #clean(segment: number): Promise<void> {
    let cursor: ExpiredKey | undefined;
    do {
      await this.#wait(this.#reads.waitMillis());
      if (this.#isStopped) return;
      const from = cursor;
      const page = await this.#retry(() =>
        this.#items.scan({
          segment,
          totalSegments: this.#settings.segments,
          before: this.#before,
          cursor: from,
        }),
      );
      this.#reads.consume(page.readUnits);
      this.#report({ scanned: page.scanned, readUnits: page.readUnits });
      for (let start = 0; start < page.keys.length && !this.#isStopped; start += BATCH_SIZE)
        await this.#delete(page.keys.slice(start, start + BATCH_SIZE));
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  async #delete(keys: readonly ExpiredKey[]): Promise<void> {
    await this.#wait(this.#writes.waitMillis());
    if (this.#options.php === undefined) await this.#deleteBatch(keys);
    else await this.#deleteEach(keys);
  }

  async #deleteBatch(keys: readonly ExpiredKey[]): Promise<void> {
    let left = keys;
    for (let attempts = 0; left.length > 0; attempts++) {
      if (attempts === MAX_ATTEMPTS) {
        this.#report({ failed: left.length });
        return;
      }
      if (attempts > 0) await this.#wait(this.#pauseMillis(attempts));
      const batch = left;
      const { unprocessed, writeUnits } = await this.#retry(() => this.#items.deleteBatch(batch));
      this.#writes.consume(writeUnits);
      this.#report({ deleted: batch.length - unprocessed.length, writeUnits });
      left = unprocessed;
    }
  }

  async #deleteEach(keys: readonly ExpiredKey[]): Promise<void> {
    const outcomes = await Promise.all(
      keys.map((key) => this.#retry(() => this.#items.deleteIfExpired(key, this.#before))),
    );
    const deleted = outcomes.filter((isDeleted) => isDeleted).length;
    this.#writes.consume(keys.length);
    this.#report({ deleted, kept: keys.length - deleted, writeUnits: keys.length });
  }

  async #retry<T>(request: () => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await request();
      } catch (failure) {
        if (!(failure instanceof SessionStoreError && failure.isRetryable) || attempts === MAX_ATTEMPTS) throw failure;
        await this.#wait(this.#pauseMillis(attempts));
      }
    }
  }

  /** Doubles; the random half keeps several workers from coming back at once. */
  #pauseMillis(attempts: number): number {
    const { random = Math.random } = this.#options;
    return Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** (attempts - 1)) * (0.5 + random() / 2);
  }

  async #wait(millis: number): Promise<void> {
    if (millis <= 0 || this.#isStopped) return;
    const { sleep = timer, signal } = this.#options;
    await sleep(millis, signal);
  }

  #report(more: Partial<DeleteExpiredProgress>): void {
    const counts = Object.entries(more).map(([name, count]) => [
      name,
      this.#progress[name as keyof DeleteExpiredProgress] + count,
    ]);
    this.#progress = { ...this.#progress, ...Object.fromEntries(counts) };
    this.#options.onProgress?.(this.#progress);
  }
}

async function timer(millis: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(millis, undefined, signal === undefined ? {} : { signal });
  } catch {
    // Aborted: whoever waited looks at the signal next.
  }
}

/** In random order, so that runs which are cut short reach every part in the end. */
function shuffled(count: number, random: () => number): number[] {
  return Array.from({ length: count }, (_, segment) => ({ segment, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ segment }) => segment);
}
