// SPDX-License-Identifier: Apache-2.0
/** Finds out whether a request proves a session of an older system, before anything is read. */
import { everyCookieValue, readCookieValue } from '../cookie-reader';
import type { CookieValues, LegacySource } from '../legacy-source';
import { asStoreError } from './ask-source';
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

/** Receives what kept a source from proving anything. */
export type OnFault = (failure: unknown, source: LegacySource) => void;

/**
 * The session that each source's cookie proves, in the order of the sources; none where a request has a cookie twice.
 * @param onUnproven called with each source that has a cookie and does not prove it. Default: nothing
 * @param onFault Default: it rejects
 */
export async function* legacyVisits(
  cookieLines: readonly unknown[],
  sources: readonly LegacySource[],
  now: number,
  onUnproven: (source: LegacySource, reason: UnprovenReason) => void = () => {},
  onFault?: OnFault,
): AsyncGenerator<LegacyVisit> {
  for (const source of sources) {
    if (isOver(source, now)) continue;
    const { values: cookies, isDuplicate } = readOldCookies(cookieLines, source.cookieNames);
    if (isDuplicate) onUnproven(source, 'duplicate');
    // Nothing that this source could prove: its keys need not be loaded.
    if (Object.keys(cookies).length === 0) continue;
    const visit = await prove(source, cookies, now, onFault);
    if (visit === 'fault') continue;
    if (visit !== undefined) yield visit;
    else if (!isDuplicate) onUnproven(source, 'unproven');
  }
}

/**
 * Every session that the request may mean, also where it has a cookie twice: to end all of them needs no decision between them.
 * @param onFault Default: it rejects
 */
export async function* everyLegacyVisit(
  cookieLines: readonly unknown[],
  sources: readonly LegacySource[],
  now: number,
  onFault?: OnFault,
): AsyncGenerator<LegacyVisit> {
  for (const source of sources) {
    if (isOver(source, now)) continue;
    const seen = new Set<string>();
    for (const cookies of everyOldCookies(cookieLines, source.cookieNames)) {
      const visit = await prove(source, cookies, now, onFault);
      // What failed is asked once.
      if (visit === 'fault') break;
      if (visit === undefined || seen.has(visit.claimId)) continue;
      seen.add(visit.claimId);
      yield visit;
    }
  }
}

async function prove(
  source: LegacySource,
  cookies: CookieValues,
  now: number,
  onFault: OnFault | undefined,
): Promise<LegacyVisit | 'fault' | undefined> {
  try {
    await asStoreError(() => source.prepare?.(), 'the keys');
    const id = await asStoreError(() => source.verify(cookies, now), 'the check');
    return id === undefined ? undefined : { source, id, cookies, claimId: claimIdOf(source, id) };
  } catch (failure) {
    if (onFault === undefined) throw failure;
    onFault(failure, source);
    return 'fault';
  }
}

/** Past its cut-off date. */
function isOver({ acceptUntil }: LegacySource, now: number): boolean {
  return acceptUntil !== undefined && now >= acceptUntil;
}

/** What a request says under the names of a source's cookies. */
interface OldCookies {
  readonly values: CookieValues;
  /** One of them is there more than once; the source does not see that one. */
  readonly isDuplicate: boolean;
  readonly isPresent: boolean;
}

function readOldCookies(lines: readonly unknown[], names: readonly string[]): OldCookies {
  const values: Record<string, string> = Object.create(null);
  let isDuplicate = false;
  for (const name of names) {
    const cookie = readCookieValue(lines, name);
    if ('value' in cookie) values[name] = cookie.value;
    else if (cookie.refused === 'duplicate') isDuplicate = true;
  }
  return { values, isDuplicate, isPresent: isDuplicate || Object.keys(values).length > 0 };
}

/** More cookies of one name than that no browser was led to by accident. */
const MAX_VALUES = 4;

/** Each combination of the values that the request has under these names. */
function everyOldCookies(lines: readonly unknown[], names: readonly string[]): readonly CookieValues[] {
  let combinations: readonly CookieValues[] = [Object.create(null)];
  for (const name of names) {
    const values = everyCookieValue(lines, name);
    if ('refused' in values || values.length === 0) continue;
    combinations = combinations.flatMap((rest) =>
      values.slice(0, MAX_VALUES).map((value) => Object.assign(Object.create(null), rest, { [name]: value })),
    );
  }
  return combinations.filter((cookies) => Object.keys(cookies).length > 0);
}

/** Values of the cookies that the request has exactly once. */
export function legacyCookieValues(lines: readonly unknown[], names: readonly string[]): CookieValues {
  return readOldCookies(lines, names).values;
}

/** Set-Cookie values that make the browser drop the older cookies which the request carries. */
export function cookiesToClear(cookieLines: readonly unknown[], sources: readonly LegacySource[]): readonly string[] {
  return sources
    .filter(({ cookieNames }) => readOldCookies(cookieLines, cookieNames).isPresent)
    .flatMap(({ clearCookies = [] }) => clearCookies);
}
