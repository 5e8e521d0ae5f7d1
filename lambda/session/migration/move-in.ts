// SPDX-License-Identifier: Apache-2.0
/**
 * Moves a session of an older system in, once. The claim names the session before it is written, so that whoever comes
 * next, after a crash, a lost answer or at the same time, goes on where the first one stopped and ends with the same session
 * and the same token. Nothing is taken back after a fault: the old cookie is good until the new one has come back.
 */
import { SessionStoreError } from '../errors';
import { IN_FLIGHT_MARGIN_SECONDS, keyOf, type LifecycleContext, repeat } from '../lifecycle/context';
import { endSession } from '../lifecycle/end-session';
import { type Session, sessionFromItem } from '../lifecycle/session';
import { chooseSession, secretsOf } from './choose-session';
import { confirmClaim, putClaim, readClaim, replaceClaim, settleClaim } from './claim';
import type { PendingClaim } from './claim-item';
import { isEndedSession } from './ended-session';
import { handOut, issue } from './issue-session';
import type { LegacyVisit } from './legacy-visit';
import { type Arrival, lookAtArrival, type MoveInOptions } from './look-at-arrival';
import { reportToLog } from './migration-report';
import type { MoveOutcome } from './move-outcome';
import { findToken } from './moved-token';
import { issuedJustNow, refusedOrLate, serveLate } from './serve-late';
import { supersedeSession } from './supersede-session';

/** Each round is lost to another request that got further; more of them than requests at once there cannot be. */
const MAX_ROUNDS = 20;

/** Longer than any cookie lives (RFC 6265bis, section 5.5). */
const KEEP_CLAIM_SECONDS = 400 * 86_400;
const DAY_SECONDS = 86_400;

/** Until when a claim must be remembered: as long as its old cookie can come, even if the cut-off date is postponed. */
export function claimKeptUntil({ source }: LegacyVisit, now: number, legacyExpiresAt = 0): number {
  return Math.max(now + KEEP_CLAIM_SECONDS, legacyExpiresAt, (source.acceptUntil ?? 0) + DAY_SECONDS);
}

export async function moveIn<Data>(
  context: LifecycleContext,
  visit: LegacyVisit,
  options: MoveInOptions,
  replaces: Session<Data> | null,
): Promise<MoveOutcome<Data>> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const outcome = await tryToMoveIn<Data>(context, visit, options);
    if (outcome === 'again') continue;
    if (typeof outcome === 'object' && 'issued' in outcome && replaces !== null)
      await endSession(context, replaces.id, { reach: 'wholeSession' });
    return outcome;
  }
  throw new SessionStoreError('too many requests are moving one session in; try again', { isRetryable: true });
}

async function tryToMoveIn<Data>(
  context: LifecycleContext,
  visit: LegacyVisit,
  options: MoveInOptions,
): Promise<MoveOutcome<Data> | 'again'> {
  const state = await readClaim(context, visit.claimId);
  if (state === 'settled') return { refused: 'settled' };
  if (typeof state === 'object' && 'confirmed' in state) return serveLate(context, state.confirmed);
  const isDryRun = options.mode === 'dryRun';
  const pending = state === 'none' ? undefined : state.pending;
  // A new epoch ended every session, this one too, and the request that could have brought its cookie back with it.
  if (pending !== undefined && pending.epoch !== context.settings.epoch)
    return isDryRun ? ENDED : endClaim(context, visit);
  const arrival = await lookAtArrival(context, visit, options, pending);
  if ('refused' in arrival) return refusedOrLate(context, visit, arrival);
  if (pending === undefined)
    return isDryRun ? wouldMoveIn(visit, arrival, options) : claimAndIssue(context, visit, arrival, options);

  const readSession = (tokenHash: string) => repeat(context, () => context.store.get(keyOf(context, tokenHash)));
  const item = await readSession(pending.tokenHash);
  if (await isEndedSession(item, readSession)) return isDryRun ? ENDED : endClaim(context, visit);
  if (isDryRun) return wouldMoveIn(visit, arrival, options);
  const cameBack = pending.supersedes && (await supersedeSession(context, pending.supersedes, pending));
  if (cameBack !== undefined) {
    // Before this one was handed out, so that the other stays.
    await confirmClaim(context, visit.claimId, cameBack, pending.tokenHash);
    return 'again';
  }
  // Where somebody else logged in on the old session since, it is another login.
  const isSameUser = pending.user === arrival.legacy.user;
  const token = isSameUser ? findToken(secretsOf(visit), pending.nonce, pending.tokenHash) : undefined;
  if (token !== undefined) {
    const session = sessionFromItem<Data>(context, pending.tokenHash, item);
    if (session !== undefined) return handOut(context, session, token, arrival.legacy.user);
    // Not later: once it is over, it may have been written, expired and been deleted.
    if (item === undefined && context.now() + IN_FLIGHT_MARGIN_SECONDS < pending.expiresAt)
      return issue(context, pending, token, arrival);
  }
  if (isSameUser) {
    const onItsWay = await issuedJustNow<Data>(context, pending.tokenHash, item, arrival);
    if (onItsWay !== undefined) return { late: onItsWay };
  }
  return claimAgain(context, visit, pending, arrival);
}

async function claimAndIssue<Data>(
  context: LifecycleContext,
  visit: LegacyVisit,
  arrival: Arrival,
  options: MoveInOptions,
): Promise<MoveOutcome<Data> | 'again'> {
  const { claim, token } = chooseSession(context, visit, arrival);
  const keepUntil = claimKeptUntil(visit, context.now(), arrival.legacy.expiresAt);
  // Another request claimed first, or the answer to this very put was lost: what stands there now decides.
  if (!(await putClaim(context, visit.claimId, claim, keepUntil))) return 'again';
  tellUnknownAge(visit, arrival, options);
  return issue(context, claim, token, arrival);
}

function wouldMoveIn(visit: LegacyVisit, arrival: Arrival, options: MoveInOptions): 'wouldMoveIn' {
  tellUnknownAge(visit, arrival, options);
  return 'wouldMoveIn';
}

/** It may be meant so, or a path that leads nowhere; nothing else would show it. */
function tellUnknownAge({ source }: LegacyVisit, { legacy }: Arrival, { report = reportToLog }: MoveInOptions): void {
  if (legacy.createdAt === 0) report({ kind: 'ageUnknown', source: source.name });
}

/** The session that the claim names is over without ever having been ended, or cannot be handed out: another takes its place. */
async function claimAgain<Data>(
  context: LifecycleContext,
  visit: LegacyVisit,
  pending: PendingClaim,
  arrival: Arrival,
): Promise<MoveOutcome<Data> | 'again'> {
  const chosen = chooseSession(context, visit, arrival);
  const claim = { ...chosen.claim, supersedes: pending.tokenHash };
  // The claim decides between this and the return of the named one's cookie.
  if (!(await replaceClaim(context, visit.claimId, pending.tokenHash, claim))) return 'again';
  // Before another is handed out, the named one can never live again, nor be written late.
  if ((await supersedeSession(context, pending.tokenHash, claim, pending.user)) !== undefined) return 'again';
  return issue(context, claim, chosen.token, arrival);
}

const ENDED = { refused: 'ended' } as const;

/** The session that the claim names was ended before its cookie came back: the old cookie is worth nothing any more. */
async function endClaim(context: LifecycleContext, visit: LegacyVisit): Promise<typeof ENDED> {
  await settleClaim(context, visit.claimId);
  return ENDED;
}
