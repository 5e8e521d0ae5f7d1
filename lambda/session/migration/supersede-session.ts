// SPDX-License-Identifier: Apache-2.0
/** Makes room for another session of the same claim: the one before can neither live nor be written any more. */
import { number, text } from '../attribute';
import { attempt, IS_SESSION, keyOf, type LifecycleContext, repeat } from '../lifecycle/context';
import { CONTENT_ATTRIBUTES } from '../lifecycle/end-session';
import { collectionKey } from '../session-keys';
import { rotationLinks } from '../validate-session-item';
import type { PendingClaim } from './claim-item';

/**
 * Turns the session, and what it was rotated to, into tombstones that tell why, so that they are not taken for a session
 * that was ended. Written also where there is nothing yet: the request that chose the session may still be about to write it.
 */
export async function supersedeSession(
  context: LifecycleContext,
  claim: PendingClaim,
  successorHash: string,
): Promise<void> {
  const seen = new Set<string>();
  for (let hash: string | undefined = claim.tokenHash; hash !== undefined && !seen.has(hash); ) {
    seen.add(hash);
    await supersede(context, hash, successorHash, Math.max(claim.expiresAt, context.now() + 1));
    hash = await successorOf(context, hash);
  }
  for (const hash of seen) await repeat(context, () => context.store.delete(collectionKey(claim.user, hash)));
}

async function successorOf(context: LifecycleContext, tokenHash: string): Promise<string | undefined> {
  const item = await repeat(context, () => context.store.get(keyOf(context, tokenHash)));
  return item === undefined ? undefined : rotationLinks(item).replacedBy;
}

/** Leaves a session that is dead already as it is. */
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
      [IS_SESSION, { attribute: 'revoked', is: 'absent' }],
      { orNoItem: true },
    ),
  );
}
