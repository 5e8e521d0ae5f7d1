// SPDX-License-Identifier: Apache-2.0
/**
 * Log out everywhere. The bump makes every session of before fail the fence of its login or rotation; the sweep then ends
 * those that exist. In this order nothing slips through between the two, and a call that was cut off is simply repeated.
 */

import { type ListedSession, queryCollection } from './collection';
import { keyOf, type LifecycleContext, repeat } from './context';
import { type IssuedSession, requireUserId } from './create-session';
import { endSession } from './end-session';
import { rotateSession } from './rotate-session';
import { memoryOf, type Session, sessionFromItem } from './session';
import { bumpGeneration } from './user-item';

export interface RevokeAllResult {
  /** How many live sessions this call ended; a repeated call counts only what was left. */
  readonly ended: number;
}

export async function revokeAll(context: LifecycleContext, user: string): Promise<RevokeAllResult> {
  requireUserId(user);
  const { generation } = await bumpGeneration(context, user, { changedBy: callId(context) });
  return { ended: await sweep(context, user, generation) };
}

/** Ends every session and lets no login through until `enableUser`. */
export async function disableUser(context: LifecycleContext, user: string): Promise<RevokeAllResult> {
  requireUserId(user);
  const { generation } = await bumpGeneration(context, user, { changedBy: callId(context), disable: true });
  return { ended: await sweep(context, user, generation) };
}

/**
 * Ends every session but this one, which gets a fresh token. `null` if it is not alive, or if another device logged out
 * everywhere since: then this one is out too.
 */
export async function revokeAllExcept<Data>(
  context: LifecycleContext,
  user: string,
  kept: Session<Data>,
): Promise<(IssuedSession<Data> & RevokeAllResult) | null> {
  requireUserId(user);
  memoryOf(kept);
  const item = await repeat(context, () => context.store.get(keyOf(context, kept.id)));
  const alive = sessionFromItem(context, kept.id, item);
  if (alive === undefined || alive.user !== user) return null;
  const ownGeneration = memoryOf(alive).valid.generation;
  const { isBumped, generation, changedBy } = await bumpGeneration(context, user, {
    changedBy: kept.id,
    // An earlier attempt of this same session may have bumped and then been cut off.
    mayBump: (state) => state.generation === ownGeneration || state.changedBy === kept.id,
  });
  const issued = isBumped ? await rotateSession(context, kept, {}, generation) : null;
  // Refused: the device that was faster may not have rotated yet. It keeps its session, which the user item names.
  const ended = await sweep(context, user, generation, isBumped ? issued?.session.id : changedBy);
  return issued === null ? null : { ...issued, ended };
}

/** Ends every listed session of an older generation. */
async function sweep(context: LifecycleContext, user: string, generation: number, keptHash?: string): Promise<number> {
  const older = (await queryCollection(context, user)).filter(
    (listed) => listed.generation < generation && listed.tokenHash !== keptHash,
  );
  const remaining = older.values();
  let ended = 0;
  const work = async (): Promise<void> => {
    for (const listed of remaining) if (await endListed(context, user, listed)) ended++;
  };
  await Promise.all(Array.from({ length: Math.min(context.sweepWidth, older.length) }, work));
  return ended;
}

/** The login that listed the session may not have written it yet: the tombstone then takes its place. */
function endListed(context: LifecycleContext, user: string, listed: ListedSession): Promise<boolean> {
  const { epoch } = listed;
  const inItsEpoch =
    epoch === context.settings.epoch ? context : { ...context, settings: { ...context.settings, epoch } };
  return endSession(inItsEpoch as LifecycleContext, listed.tokenHash, {
    reach: 'predecessors',
    user,
    tombstoneExpiresAt: Math.max(listed.absoluteEnd, context.now() + 1),
  });
}

function callId({ randomBytes }: LifecycleContext): string {
  return Buffer.from(randomBytes(16)).toString('base64url');
}
