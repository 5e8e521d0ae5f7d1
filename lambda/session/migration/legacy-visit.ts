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
export const STANDS_FOR_NOBODY = ['absent', 'expired', 'anonymous', 'malformed', 'settled', 'ended'] as const;

/**
 * Every session that the request proves, in the order of the sources.
 * @param onUnproven called with each source that has a cookie and does not prove it. Default: nothing
 */
export async function* legacyVisits(
  cookieLines: readonly unknown[],
  sources: readonly LegacySource[],
  now: number,
  onUnproven: (source: LegacySource) => void = () => {},
): AsyncGenerator<LegacyVisit> {
  for (const source of sources) {
    const cookies = legacyCookieValues(cookieLines, source.cookieNames);
    // Nothing that this source could prove: its keys need not be loaded.
    if (Object.keys(cookies).length === 0 || isOver(source, now)) continue;
    await source.prepare?.();
    const id = source.verify(cookies, now);
    if (id === undefined) onUnproven(source);
    else yield { source, id, cookies, claimId: claimIdOf(source, id) };
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

/** Set-Cookie values that make the browser drop the older cookies which the request carries. */
export function cookiesToClear(cookieLines: readonly unknown[], sources: readonly LegacySource[]): readonly string[] {
  return sources
    .filter(({ cookieNames }) => Object.keys(legacyCookieValues(cookieLines, cookieNames)).length > 0)
    .flatMap(({ clearCookies = [] }) => clearCookies);
}
