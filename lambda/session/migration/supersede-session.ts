// SPDX-License-Identifier: Apache-2.0
/** Makes room for another session of the same claim: the one before can neither live nor be written any more. */
import { hasAttribute, number, text } from '../attribute';
import { attempt, IS_SESSION, keyOf, type LifecycleContext, repeat } from '../lifecycle/context';
import { CONTENT_ATTRIBUTES } from '../lifecycle/end-session';
import { collectionKey } from '../session-keys';
import { rotationLinks } from '../validate-session-item';
import type { PendingClaim } from './claim';

/**
 * Turns the session into a tombstone that names its successor, which tells it from one that was ended; written also where
 * there is nothing yet, because the request that chose it may still be about to write it. False if it was ended meanwhile.
 */
export async function supersedeSession(
  context: LifecycleContext,
  { tokenHash, user, expiresAt }: PendingClaim,
  successorHash: string,
): Promise<boolean> {
  const { attributeNames } = context.store;
  const { result } = await attempt(context, () =>
    context.store.update(
      keyOf(context, tokenHash),
      {
        set: { type: text('session'), revoked: number(context.now()), replaced_by: text(successorHash) },
        setIfAbsent: { [attributeNames.expiresAt]: number(Math.max(expiresAt, context.now() + 1)) },
        remove: CONTENT_ATTRIBUTES,
      },
      [IS_SESSION, { attribute: 'revoked', is: 'absent' }],
      { orNoItem: true },
    ),
  );
  if (!result.applied) {
    const item = await repeat(context, () => context.store.get(keyOf(context, tokenHash)));
    // Superseded already, by this call before its answer was lost or by another request: the claim has to follow.
    const isSuperseded =
      item !== undefined && hasAttribute(item, 'revoked') && rotationLinks(item).replacedBy !== undefined;
    if (!isSuperseded) return false;
  }
  await repeat(context, () => context.store.delete(collectionKey(user, tokenHash)));
  return true;
}
