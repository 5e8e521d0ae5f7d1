// SPDX-License-Identifier: Apache-2.0
/** What library and gateway look at alike before the user is asked; a source is trusted to read, not to decide. */
import type { LegacySession } from '../legacy-source';
import { isUserId } from '../validate-session-item';

/** @param startedAfter Unix seconds: what began by then is refused. Absent: no such line */
export function refusalByContent(
  legacy: LegacySession,
  now: number,
  startedAfter: number | undefined,
): 'malformed' | 'expired' | 'beforeLine' | undefined {
  if (!isUserId(legacy.user) || !isTime(legacy.createdAt) || !isTime(legacy.expiresAt)) return 'malformed';
  if (legacy.expiresAt <= now) return 'expired';
  return startedAfter !== undefined && legacy.createdAt <= startedAfter ? 'beforeLine' : undefined;
}

/** Whole Unix seconds; milliseconds are none. */
export function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e11;
}
