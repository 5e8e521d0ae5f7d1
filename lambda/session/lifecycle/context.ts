// SPDX-License-Identifier: Apache-2.0
/** What every lifecycle operation works with: the store, the settings, and the outside world as functions. */
import { IN_FLIGHT_MARGIN_SECONDS, type SessionSettings } from '../../settings';

import { number, text } from '../attribute';
import { SessionStoreError } from '../errors';
import { sessionKey } from '../session-keys';
import type { Condition, ItemKey, SessionStore } from '../store';
import type { RandomBytes } from '../token';

export interface LifecycleContext {
  readonly store: SessionStore;
  readonly settings: SessionSettings;
  /** Unix seconds. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** Waits before a retry. */
  readonly sleep: (millis: number) => Promise<void>;
  /** How many sessions a sweep ends at the same time. */
  readonly sweepWidth: number;
}

export { IN_FLIGHT_MARGIN_SECONDS };

const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MILLIS = 25;

/** `isAfterFailure`: an earlier attempt failed and may have been done all the same, so a condition that fails now may be our own doing. */
export interface Attempted<T> {
  readonly result: T;
  readonly isAfterFailure: boolean;
}

/**
 * Runs a single store request, again if it failed in a way that may pass. Times inside `request` are taken afresh each time.
 * @throws SessionStoreError after three attempts
 */
export async function attempt<T>(
  context: Pick<LifecycleContext, 'sleep'>,
  request: () => Promise<T>,
): Promise<Attempted<T>> {
  for (let failures = 0; ; ) {
    try {
      return { result: await request(), isAfterFailure: failures > 0 };
    } catch (failure) {
      failures++;
      if (!(failure instanceof SessionStoreError) || !failure.isRetryable || failures >= MAX_ATTEMPTS) throw failure;
      await context.sleep(FIRST_PAUSE_MILLIS * 4 ** (failures - 1));
    }
  }
}

/** A request whose repetition changes nothing: reads, deletes. */
export async function repeat<T>(context: Pick<LifecycleContext, 'sleep'>, request: () => Promise<T>): Promise<T> {
  return (await attempt(context, request)).result;
}

export function keyOf(context: LifecycleContext, tokenHash: string): ItemKey {
  return sessionKey(tokenHash, context.settings.epoch);
}

/** `type = session`: part of every condition, so that no other item of a shared table is ever written. */
export const IS_SESSION: Condition = { attribute: 'type', is: 'equal', to: text('session') };

/** The session exists, was not ended, and lives beyond the given second. */
export function isAlive(context: LifecycleContext, beyond: number): [Condition, ...Condition[]] {
  return [
    IS_SESSION,
    { attribute: 'revoked', is: 'absent' },
    { attribute: context.store.attributeNames.expiresAt, is: 'greater', than: beyond },
  ];
}

/** The attribute is still what was read; 0 stands for absent. */
export function isUnchanged(attribute: string, value: number, wasPresent: boolean): Condition {
  return wasPresent ? { attribute, is: 'equal', to: number(value) } : { attribute, is: 'absent' };
}
