// SPDX-License-Identifier: Apache-2.0
/** Finds out whether a request proves a session of an older system, before anything is read. */
import { readCookieValue } from '../cookie-reader';
import type { CookieValues, LegacySource } from '../legacy-source';
import { claimIdOf } from './claim-item';

/** A request that proves a session of an older system. */
export interface LegacyVisit {
  readonly source: LegacySource;
  /** A credential: appears in no log and no error. */
  readonly id: string;
  readonly claimId: string;
}

/** The first source that proves its cookie decides; `undefined` where none does. */
export async function findLegacyVisit(
  cookieLines: readonly unknown[],
  sources: readonly LegacySource[],
  now: number,
): Promise<LegacyVisit | undefined> {
  for (const source of sources) {
    const cookies = legacyCookieValues(cookieLines, source.cookieNames);
    // Nothing that this source could prove: its keys need not be loaded.
    if (Object.keys(cookies).length === 0) continue;
    await source.prepare?.();
    const id = source.verify(cookies, now);
    if (id !== undefined) return { source, id, claimId: claimIdOf(source, id) };
  }
  return undefined;
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
