// SPDX-License-Identifier: Apache-2.0
/** Requests that were sent with the old cookie alone and arrive when the new one has been, or is being, handed out: served, without a token. */
import { isDeepStrictEqual } from 'node:util';
import { ODD, readMap } from '../attribute';
import { readClaims } from '../claims';
import { keyOf, type LifecycleContext, repeat } from '../lifecycle/context';
import { readSessionOf } from '../lifecycle/read-session';
import { type Session, sessionFromItem } from '../lifecycle/session';
import type { Item } from '../store';
import { rotationLinks } from '../validate-session-item';
import { readClaim } from './claim';
import { type ClaimedSession, LATE_REQUEST_SECONDS } from './claim-item';
import type { LegacyVisit } from './legacy-visit';
import type { Arrival } from './look-at-arrival';
import type { MoveRefusal } from './migration-report';
import type { MoveOutcome } from './move-outcome';

/** Rotations between a session and the one that its login has now. */
const MAX_ROTATIONS = 20;

/**
 * A session that another request of the same page gave a fresh token: that cookie is on its way, and nobody else can derive it.
 * Not one that may do more than the old cookie ever could, by a step-up or new claims.
 */
export async function issuedJustNow<Data>(
  context: LifecycleContext,
  tokenHash: string,
  item: Item | undefined,
  arrival: Arrival,
): Promise<Session<Data> | undefined> {
  let hash: string | undefined = tokenHash;
  let current = item;
  for (let step = 0; hash !== undefined && current !== undefined && step < MAX_ROTATIONS; step++) {
    const session = sessionFromItem<Data>(context, hash, current);
    if (session !== undefined) {
      const isRecent = context.now() < session.issuedAt + LATE_REQUEST_SECONDS;
      return isRecent && hasSameRights(session, arrival) ? session : undefined;
    }
    hash = rotationLinks(current).replacedBy;
    if (hash !== undefined) current = await repeat(context, () => context.store.get(keyOf(context, hash as string)));
  }
  return undefined;
}

function hasSameRights(session: Session<never> | Session<unknown>, { legacy, attributes }: Arrival): boolean {
  const claims = readClaims(readMap(attributes, 'claims'));
  return session.authenticatedAt === legacy.createdAt && claims !== ODD && isDeepStrictEqual(session.claims, claims);
}

/** The older session may be ended by now; what counts is whether the one that the claim names lives, and not what came of it. */
export async function serveLate<Data>(
  context: LifecycleContext,
  { tokenHash }: ClaimedSession,
): Promise<MoveOutcome<Data>> {
  const session = await readSessionOf<Data>(context, tokenHash);
  return session?.user === undefined ? { refused: 'settled' } : { late: session };
}

/** Perhaps because another request has just confirmed what this one came for, and the older system ended its session. */
export async function refusedOrLate<Data>(
  context: LifecycleContext,
  visit: LegacyVisit,
  refusal: { readonly refused: MoveRefusal },
): Promise<MoveOutcome<Data>> {
  // What the older system says of a session that was ended there is its own affair.
  if (!ENDED_THERE.has(refusal.refused)) return refusal;
  const state = await readClaim(context, visit.claimId);
  return typeof state === 'object' && 'confirmed' in state ? serveLate(context, state.confirmed) : refusal;
}

const ENDED_THERE: ReadonlySet<MoveRefusal> = new Set(['absent', 'expired', 'anonymous', 'malformed']);
