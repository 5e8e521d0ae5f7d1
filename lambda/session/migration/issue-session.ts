// SPDX-License-Identifier: Apache-2.0
/** Writes the session that a claim names, and hands its token out behind the fence. */
import type { LifecycleContext } from '../lifecycle/context';
import { type IssuedSession, putListed, putSession } from '../lifecycle/create-session';
import { undoSession } from '../lifecycle/end-session';
import { limitSessions } from '../lifecycle/limit-sessions';
import { memoryOf, type Session, sessionFromItem } from '../lifecycle/session';
import { readUser } from '../lifecycle/user-item';
import type { PendingClaim } from './claim-item';
import type { Arrival } from './look-at-arrival';
import type { MoveRefusal } from './migration-report';
import type { MoveOutcome } from './move-outcome';
import { movedItems } from './moved-session';

/** Writes the session that the claim names, listed first, and hands it out behind the fence. */
export async function issue<Data>(
  context: LifecycleContext,
  claim: PendingClaim,
  token: string,
  { attributes, generation }: Arrival,
): Promise<MoveOutcome<Data> | 'again'> {
  const items = movedItems(context, claim, attributes, generation);
  await putListed(context, items.listed);
  // Written by another request, or ended before it could be written.
  if (!(await putSession(context, claim.tokenHash, items.session))) return 'again';
  const session = sessionFromItem<Data>(context, claim.tokenHash, items.session);
  if (session === undefined) return 'again';
  const outcome = await handOut(context, session, token, claim.user);
  if (!('issued' in outcome)) return outcome;
  await limitSessions(context, claim.user, claim.tokenHash);
  return { ...outcome, isNew: true };
}

/** The fence: whoever hands the session out looks at the user after having seen it stand, however it came there. */
export async function handOut<Data>(
  context: LifecycleContext,
  session: Session<Data>,
  token: string,
  user: string,
): Promise<
  | { readonly issued: IssuedSession<Data>; readonly isNew: boolean }
  | { readonly late: Session<Data> }
  | { readonly refused: MoveRefusal }
> {
  const state = await readUser(context, user);
  if (state.generation === memoryOf(session).valid.generation && !state.isDisabled)
    return { issued: { session, token }, isNew: false };
  // This very session is signing the others out just now, and gets a fresh token by it.
  if (state.changedBy === session.id && !state.isDisabled) return { late: session };
  await undoSession(context, session.id, user);
  return { refused: state.isDisabled ? 'userDisabled' : 'beforeLine' };
}
