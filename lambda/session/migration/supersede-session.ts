// SPDX-License-Identifier: Apache-2.0
/** Makes room for another session of the same claim: the one before can neither live nor be written any more. */
import { hasAttribute, number, text } from '../attribute';
import { attempt, IS_SESSION, isAlive, keyOf, type LifecycleContext, repeat } from '../lifecycle/context';
import { CONTENT_ATTRIBUTES } from '../lifecycle/end-session';
import { collectionKey } from '../session-keys';
import { rotationLinks } from '../validate-session-item';
import type { PendingClaim } from './claim-item';

/** On a session whose cookie came back when its claim had moved on already: it stays. */
const CAME_BACK = 'came_back_at';

/**
 * Turns the session, and what it was rotated to, into tombstones that tell why, so that they are not taken for a session
 * that was ended. Written also where there is nothing yet: the request that chose the session may still be about to write it.
 * @returns the one whose cookie came back first, and which lives; `undefined` if all are dead
 */
export async function supersedeSession(
  context: LifecycleContext,
  tokenHash: string,
  claim: PendingClaim,
  user: string = claim.user,
): Promise<string | undefined> {
  const seen = new Set<string>();
  for (let hash: string | undefined = tokenHash; hash !== undefined && !seen.has(hash); ) {
    seen.add(hash);
    await supersede(context, hash, claim.tokenHash, Math.max(claim.expiresAt, context.now() + 1));
    const item = await repeat(context, () => context.store.get(keyOf(context, hash as string)));
    if (item !== undefined && hasAttribute(item, CAME_BACK)) return hash;
    hash = item === undefined ? undefined : rotationLinks(item).replacedBy;
  }
  for (const hash of seen) await repeat(context, () => context.store.delete(collectionKey(user, hash)));
  return undefined;
}

/** Protects a session whose cookie has come back; false if it was superseded, or ended, before. */
export async function markCameBack(context: LifecycleContext, tokenHash: string): Promise<boolean> {
  const { result } = await attempt(context, () =>
    context.store.update(
      keyOf(context, tokenHash),
      { set: { [CAME_BACK]: number(context.now()) } },
      isAlive(context, context.now()),
    ),
  );
  return result.applied;
}

/** Leaves a session that is dead already, or has come back, as it is. */
async function supersede(
  context: LifecycleContext,
  tokenHash: string,
  successorHash: string,
  expiresAt: number,
): Promise<void> {
  await attempt(context, () =>
    context.store.update(
      keyOf(context, tokenHash),
      {
        set: { type: text('session'), revoked: number(context.now()), superseded_by: text(successorHash) },
        setIfAbsent: { [context.store.attributeNames.expiresAt]: number(expiresAt) },
        remove: CONTENT_ATTRIBUTES,
      },
      [IS_SESSION, { attribute: 'revoked', is: 'absent' }, { attribute: CAME_BACK, is: 'absent' }],
      { orNoItem: true },
    ),
  );
}
