// SPDX-License-Identifier: Apache-2.0
/** A part of the older sessions moves in first; the rest stays where it is, as in a dry run. */
import type { LegacyVisit } from './legacy-visit';

/** What is beyond the share stays where it is; sessions that are all in their cookies do so anyway, and have no part in it. */
export function isBeyondShare({ source, claimId }: LegacyVisit, sharePercent: number): boolean {
  return source.isStateless !== true && !isInShare(claimId, sharePercent);
}

/**
 * Whether an older session belongs to the part that moves in: the same answer in every function and at every time, and who
 * belongs to a part belongs to each larger one.
 * @param claimId SHA-256 in hexadecimal digits, so that its beginning is spread evenly
 */
export function isInShare(claimId: string, sharePercent: number): boolean {
  return Number.parseInt(claimId.slice(0, 8), 16) < (sharePercent / 100) * 2 ** 32;
}
