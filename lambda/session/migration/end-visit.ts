// SPDX-License-Identifier: Apache-2.0
/** Logout with a cookie of an older system: what it stands for can never move in again. */
import type { LifecycleContext } from '../lifecycle/context';
import { endSession } from '../lifecycle/end-session';
import { askSource } from './ask-source';
import { readClaim, settleClaim } from './claim';
import type { LegacyVisit } from './legacy-visit';
import { claimKeptUntil } from './move-in';

/** @param isEndedThere whether the older system is told, too */
export async function endVisit(context: LifecycleContext, visit: LegacyVisit, isEndedThere: boolean): Promise<void> {
  if (!(await isKnown(context, visit, isEndedThere))) return;
  // Before the old session is ended: what is left of a call that was cut off moves in no more.
  const claimed = await settleClaim(context, visit.claimId, claimKeptUntil(visit, context.now()));
  if (claimed !== undefined)
    await endSession(context, claimed.tokenHash, {
      reach: 'wholeSession',
      // A request that is moving the session in may be about to write it.
      tombstoneExpiresAt: claimed.expiresAt,
    });
  if (isEndedThere) await askSource(context, () => visit.source.end(visit.id));
}

/** Whether there is anything to end: an id that nothing signed may be made up, and must not fill the table with claims. */
async function isKnown(context: LifecycleContext, visit: LegacyVisit, isAskedThere: boolean): Promise<boolean> {
  if (visit.source.tokenSecrets !== undefined) return true;
  if ((await readClaim(context, visit.claimId)) !== 'none') return true;
  // Of a system that is not to be relied upon nobody knows: then it is settled.
  if (!isAskedThere) return true;
  const found = await askSource(context, () => visit.source.read(visit.id, context.now()));
  return found !== undefined && !('refused' in found);
}
