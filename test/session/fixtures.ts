// SPDX-License-Identifier: Apache-2.0
/** A session library with a clock that stands still until it is moved, and stores that count or fail on demand. */
import { type CreateSessionsOptions, createSessions } from '../../lambda/session/create-sessions';
import { SessionStoreError } from '../../lambda/session/errors';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import type { Sessions } from '../../lambda/session/sessions';
import type { SessionStore } from '../../lambda/session/store';

export const NOW = 1_800_000_000;
export const DAY_SECONDS = 86_400;

export class Clock {
  seconds = NOW;
  readonly now = (): number => this.seconds;
  advance(seconds: number): void {
    this.seconds += seconds;
  }
}

export interface Fixture<Data> {
  readonly sessions: Sessions<Data>;
  readonly store: MemorySessionStore;
  readonly calls: StoreCalls;
  readonly clock: Clock;
  /** The Cookie header that a browser would send. */
  cookie(token: string): string;
}

export interface FixtureOptions<Data> extends CreateSessionsOptions<Data> {
  readonly pageSize?: number;
}

export function fixture<Data = Record<string, unknown>>({
  pageSize = 3,
  ...options
}: FixtureOptions<NoInfer<Data>> = {}): Fixture<Data> {
  const store = new MemorySessionStore({ pageSize });
  const calls = new StoreCalls();
  const clock = new Clock();
  const sessions = createSessions<Data>({
    store: calls.watch(store),
    now: clock.now,
    sleep: async () => {},
    ...options,
  });
  return { sessions, store, calls, clock, cookie: (token) => `${sessions.settings.cookieName}=${token}` };
}

export type StoreOperation = 'get' | 'put' | 'update' | 'delete' | 'query' | 'getMany';
const OPERATIONS: readonly StoreOperation[] = ['get', 'put', 'update', 'delete', 'query', 'getMany'];
type Call = { readonly operation: StoreOperation; readonly arguments: readonly unknown[] };
/** `before` runs instead of the call if it returns something; `after` runs once the call was done. */
type Interceptor = {
  before?(call: Call): unknown;
  after?(call: Call, result: unknown): unknown;
};

/** Counts the calls of a store and lets a test step in. */
export class StoreCalls {
  readonly log: Call[] = [];
  interceptor: Interceptor = {};

  count(...operations: readonly StoreOperation[]): number {
    return this.log.filter(({ operation }) => operations.length === 0 || operations.includes(operation)).length;
  }

  /** How often each operation was called, those never called left out. */
  counts(): Partial<Record<StoreOperation, number>> {
    const counts: Partial<Record<StoreOperation, number>> = {};
    for (const { operation } of this.log) counts[operation] = (counts[operation] ?? 0) + 1;
    return counts;
  }

  reset(): void {
    this.log.length = 0;
    this.interceptor = {};
  }

  watch(store: SessionStore): SessionStore {
    return new Proxy(store, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function' || !OPERATIONS.includes(property as StoreOperation)) return value;
        return async (...args: unknown[]) => {
          const call = { operation: property as StoreOperation, arguments: args };
          this.log.push(call);
          await this.interceptor.before?.(call);
          const result: unknown = await value.apply(target, args);
          await this.interceptor.after?.(call, result);
          return result;
        };
      },
    });
  }

  /** The next call of the operation is done, and its answer is lost. */
  loseAnswerOf(operation: StoreOperation): void {
    this.#once(operation, 'after', () => {
      throw new SessionStoreError('the answer was lost', { code: 'ERR_SESSION_STORE_TIMEOUT', isRetryable: true });
    });
  }

  /** The next call of the operation never reaches the store. */
  dropRequestOf(operation: StoreOperation): void {
    this.#once(operation, 'before', () => {
      throw new SessionStoreError('the request was lost', { isRetryable: true });
    });
  }

  /** Runs something once, just before the next call of the operation. */
  beforeNext(operation: StoreOperation, run: (call: Call) => unknown): void {
    this.#once(operation, 'before', run);
  }

  #once(operation: StoreOperation, moment: 'before' | 'after', run: (call: Call) => unknown): void {
    let isDone = false;
    this.interceptor = {
      [moment]: async (call: Call) => {
        if (isDone || call.operation !== operation) return;
        isDone = true;
        await run(call);
      },
    };
  }
}
