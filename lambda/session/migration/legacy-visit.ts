// SPDX-License-Identifier: Apache-2.0
/** Finds out whether a request proves a session of an older system, before anything is read. */
import { ConfigurationError } from '../../settings';
import { readCookieValue } from '../cookie-reader';
import { SessionError, SessionStoreError } from '../errors';
import type { CookieValues, LegacySource } from '../legacy-source';
import { type LifecycleContext, repeat } from '../lifecycle/context';
import { claimIdOf } from './claim-item';

/** A request that proves a session of an older system. */
export interface LegacyVisit {
  readonly source: LegacySource;
  /** A credential: appears in no log and no error. */
  readonly id: string;
  /** What proved it; credentials, too. */
  readonly cookies: CookieValues;
  readonly claimId: string;
}

/** Why a proven cookie is none of anybody: it must not be in the way of the next one, where a refused user is not asked again. */
export const STANDS_FOR_NOBODY = ['absent', 'expired', 'anonymous', 'malformed', 'over', 'settled', 'ended'] as const;

/** Why a source has a cookie and proves nothing: the request has it more than once, or nothing that is accepted signed it. */
export type UnprovenReason = 'duplicate' | 'unproven';

/**
 * Every session that the request proves, in the order of the sources.
 * @param onUnproven called with each source that has a cookie and does not prove it. Default: nothing
 * @param onFault called with what kept a source from proving anything. Default: it rejects
 */
export async function* legacyVisits(
  cookieLines: readonly unknown[],
  sources: readonly LegacySource[],
  now: number,
  onUnproven: (source: LegacySource, reason: UnprovenReason) => void = () => {},
  onFault?: (failure: unknown) => void,
): AsyncGenerator<LegacyVisit> {
  for (const source of sources) {
    const cookies = legacyCookieValues(cookieLines, source.cookieNames);
    if (isOver(source, now)) continue;
    const isDuplicate = source.cookieNames.some((name) => isTwice(cookieLines, name));
    if (isDuplicate) onUnproven(source, 'duplicate');
    // Nothing that this source could prove: its keys need not be loaded.
    if (Object.keys(cookies).length === 0) continue;
    try {
      await source.prepare?.();
    } catch (failure) {
      if (onFault === undefined) throw failure;
      onFault(failure);
      continue;
    }
    const id = source.verify(cookies, now);
    if (id !== undefined) yield { source, id, cookies, claimId: claimIdOf(source, id) };
    else if (!isDuplicate) onUnproven(source, 'unproven');
  }
}

/** Past its cut-off date. */
function isOver({ acceptUntil }: LegacySource, now: number): boolean {
  return acceptUntil !== undefined && now >= acceptUntil;
}

/**
 * Asks an older system, again after what may pass. Whatever a source throws means that the older system failed; its message may
 * hold the id, so it is only the cause.
 */
export function askSource<T>(context: Pick<LifecycleContext, 'sleep'>, ask: () => Promise<T>): Promise<T> {
  return repeat(context, async () => {
    try {
      return await ask();
    } catch (cause) {
      if (cause instanceof SessionError || cause instanceof ConfigurationError) throw cause;
      throw new SessionStoreError('the store of the older sessions failed', { cause, isRetryable: true });
    }
  });
}

export function legacyCookieValues(lines: readonly unknown[], names: readonly string[]): CookieValues {
  const values: Record<string, string> = Object.create(null);
  for (const name of names) {
    const cookie = readCookieValue(lines, name);
    // Missing, twice, or in a header that cannot be read: the source does not see it.
    if ('value' in cookie) values[name] = cookie.value;
  }
  return values;
}

function isTwice(lines: readonly unknown[], name: string): boolean {
  const cookie = readCookieValue(lines, name);
  return 'refused' in cookie && cookie.refused === 'duplicate';
}

/** Set-Cookie values that make the browser drop the older cookies which the request carries. */
export function cookiesToClear(cookieLines: readonly unknown[], sources: readonly LegacySource[]): readonly string[] {
  return sources
    .filter(
      ({ cookieNames }) =>
        Object.keys(legacyCookieValues(cookieLines, cookieNames)).length > 0 ||
        cookieNames.some((name) => isTwice(cookieLines, name)),
    )
    .flatMap(({ clearCookies = [] }) => clearCookies);
}
