// SPDX-License-Identifier: Apache-2.0
/** Whether the session that a pending claim names was ended before its cookie came back: then nothing moves in any more. */
import { hasAttribute } from '../attribute';
import type { Item } from '../store';
import { rotationLinks } from '../validate-session-item';

/**
 * Follows rotations to the session that the login has now: a claim may still name its predecessor. A tombstone that made room
 * for another session of the same claim is none of a session that was ended.
 */
export async function isEndedSession(
  item: Item | undefined,
  readSession: (tokenHash: string) => Promise<Item | undefined>,
): Promise<boolean> {
  const seen = new Set<string>();
  for (let current = item; current !== undefined; ) {
    const { replacedBy } = rotationLinks(current);
    if (replacedBy === undefined) return hasAttribute(current, 'revoked') && !hasAttribute(current, 'superseded_by');
    // Rotations lead forward; a circle was not written by this library.
    if (seen.has(replacedBy)) return true;
    seen.add(replacedBy);
    current = await readSession(replacedBy);
  }
  return false;
}
