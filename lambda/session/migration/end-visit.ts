// SPDX-License-Identifier: Apache-2.0
/** Logout with a cookie of an older system: what it stands for can never move in again. */
import type { LegacyMode } from '../../legacy-settings';
import type { LifecycleContext } from '../lifecycle/context';
import { endSession } from '../lifecycle/end-session';
import { askSource } from './ask-source';
import { readClaim, settleClaim } from './claim';
import type { LegacyVisit } from './legacy-visit';
import { claimKeptUntil } from './move-in';

/** Only with `on` the older system is told, too. */
export async function endVisit(context: LifecycleContext, visit: LegacyVisit, mode: LegacyMode): Promise<void> {
  if (!(await isKnown(context, visit, mode))) return;
  // Before the old session is ended: what is left of a call that was cut off moves in no more.
  const claimed = await settleClaim(context, visit.claimId, claimKeptUntil(visit, context.now()));
  if (claimed !== undefined)
    await endSession(context, claimed.tokenHash, {
      reach: 'wholeSession',
      // A request that is moving the session in may be about to write it.
      tombstoneExpiresAt: claimed.expiresAt,
    });
  if (mode === 'on') await askSource(context, () => visit.source.end(visit.id));
}

/** Whether there is anything to end: an id that nothing signed may be made up, and must not fill the table with claims. */
async function isKnown(context: LifecycleContext, visit: LegacyVisit, mode: LegacyMode): Promise<boolean> {
  if (visit.source.tokenSecrets !== undefined) return true;
  if ((await readClaim(context, visit.claimId)) !== 'none') return true;
  // Nobody is asked: then it is settled.
  if (mode === 'off' || (await isThere(context, visit, mode))) return true;
  // It may have moved in since, and been ended where it was.
  return (await readClaim(context, visit.claimId)) !== 'none';
}

/** Whatever is wrong with it, it may be mended by the older system's next write. */
async function isThere(context: LifecycleContext, visit: LegacyVisit, mode: LegacyMode): Promise<boolean> {
  try {
    const found = await askSource(context, () => visit.source.read(visit.id, context.now()));
    return found !== undefined && !('refused' in found && found.refused === 'absent');
  } catch (failure) {
    // In a dry run an older system that cannot be asked keeps nobody from logging out.
    if (mode === 'on') throw failure;
    return true;
  }
}
