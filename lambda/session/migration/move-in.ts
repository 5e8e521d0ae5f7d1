// SPDX-License-Identifier: Apache-2.0
/**
 * Moves a session of an older system in, once. The claim names the session before it is written, so that whoever comes
 * next, after a crash, a lost answer or at the same time, goes on where the first one stopped and ends with the same session
 * and the same token. Nothing is taken back after a fault: the old cookie is good until the new one has come back.
 */
import { SessionStoreError } from '../errors';
import { IN_FLIGHT_MARGIN_SECONDS, keyOf, type LifecycleContext, repeat } from '../lifecycle/context';
import { type IssuedSession, putListed, putSession } from '../lifecycle/create-session';
import { endSession, undoSession } from '../lifecycle/end-session';
import { limitSessions } from '../lifecycle/limit-sessions';
import { readSessionOf } from '../lifecycle/read-session';
import { memoryOf, type Session, sessionFromItem } from '../lifecycle/session';
import { readUser } from '../lifecycle/user-item';
import type { Item } from '../store';
import { hashSessionToken } from '../token';
import { rotationLinks } from '../validate-session-item';
import { confirmClaim, putClaim, readClaim, replaceClaim, settleClaim } from './claim';
import { type ClaimedSession, LATE_REQUEST_SECONDS, type PendingClaim } from './claim-item';
import { isEndedSession } from './ended-session';
import type { LegacyVisit } from './legacy-visit';
import { type Arrival, lookAtArrival, type MoveInOptions } from './look-at-arrival';
import type { MoveRefusal } from './migration-report';
import { movedItems } from './moved-session';
import { deriveToken, findToken, generateNonce } from './moved-token';
import { supersedeSession } from './supersede-session';

export type MoveOutcome<Data> =
  | { readonly issued: IssuedSession<Data>; readonly isNew: boolean }
  /** Moved in and confirmed while this request was on its way: it may be served, and gets no token. */
  | { readonly late: Session<Data> }
  | { readonly refused: MoveRefusal }
  /** Nothing was written: a dry run. */
  | 'wouldMoveIn';

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
  const arrival = await lookAtArrival(context, visit, options, state === 'none' ? undefined : state.pending);
  if ('refused' in arrival) return refusedOrLate(context, visit, arrival);
  const isDryRun = options.mode === 'dryRun';
  if (state === 'none') return isDryRun ? 'wouldMoveIn' : claimAndIssue(context, visit, arrival);

  const { pending } = state;
  // A new epoch ended every session, this one too, and the request that could have brought its cookie back with it.
  if (pending.epoch !== context.settings.epoch) return isDryRun ? ENDED : endClaim(context, visit);
  const readSession = (tokenHash: string) => repeat(context, () => context.store.get(keyOf(context, tokenHash)));
  const item = await readSession(pending.tokenHash);
  if (await isEndedSession(item, readSession)) return isDryRun ? ENDED : endClaim(context, visit);
  if (isDryRun) return 'wouldMoveIn';
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
    const onItsWay = await issuedJustNow<Data>(context, pending.tokenHash, item);
    if (onItsWay !== undefined) return { late: onItsWay };
  }
  return claimAgain(context, visit, pending, arrival);
}

/** A session that another request of the same page gave a fresh token: that cookie is on its way, and nobody else can derive it. */
async function issuedJustNow<Data>(
  context: LifecycleContext,
  tokenHash: string,
  item: Item | undefined,
): Promise<Session<Data> | undefined> {
  let hash: string | undefined = tokenHash;
  let current = item;
  for (let step = 0; hash !== undefined && current !== undefined && step < MAX_ROUNDS; step++) {
    const session = sessionFromItem<Data>(context, hash, current);
    if (session !== undefined) return context.now() < session.issuedAt + LATE_REQUEST_SECONDS ? session : undefined;
    hash = rotationLinks(current).replacedBy;
    if (hash !== undefined) current = await repeat(context, () => context.store.get(keyOf(context, hash as string)));
  }
  return undefined;
}

/** The older session may be ended by now; what counts is whether the one that moved in lives. */
async function serveLate<Data>(context: LifecycleContext, { tokenHash }: ClaimedSession): Promise<MoveOutcome<Data>> {
  const session = await readSessionOf<Data>(context, tokenHash);
  return session === null || session.user === undefined ? { refused: 'settled' } : { late: session };
}

/** Perhaps because another request has just confirmed what this one came for, and the older system ended its session. */
async function refusedOrLate<Data>(
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

async function claimAndIssue<Data>(
  context: LifecycleContext,
  visit: LegacyVisit,
  arrival: Arrival,
): Promise<MoveOutcome<Data> | 'again'> {
  const { claim, token } = chooseSession(context, visit, arrival);
  const keepUntil = claimKeptUntil(visit, context.now(), arrival.legacy.expiresAt);
  // Another request claimed first, or the answer to this very put was lost: what stands there now decides.
  return (await putClaim(context, visit.claimId, claim, keepUntil)) ? issue(context, claim, token, arrival) : 'again';
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

/** Writes the session that the claim names, listed first, and hands it out behind the fence. */
async function issue<Data>(
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
async function handOut<Data>(
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

const ENDED = { refused: 'ended' } as const;

/** The session that the claim names was ended before its cookie came back: the old cookie is worth nothing any more. */
async function endClaim(context: LifecycleContext, visit: LegacyVisit): Promise<typeof ENDED> {
  await settleClaim(context, visit.claimId);
  return ENDED;
}

function chooseSession(
  context: LifecycleContext,
  visit: LegacyVisit,
  { legacy, times }: Arrival,
): { readonly claim: PendingClaim; readonly token: string } {
  const [secret = visit.id] = secretsOf(visit);
  const nonce = generateNonce(context.randomBytes);
  const token = deriveToken(secret, nonce);
  const { epoch } = context.settings;
  return {
    token,
    claim: {
      sourceName: visit.source.name,
      user: legacy.user,
      tokenHash: hashSessionToken(token),
      nonce,
      ...times,
      ...(epoch === undefined ? {} : { epoch }),
    },
  };
}

function secretsOf({ source, id, cookies }: LegacyVisit): readonly string[] {
  return source.tokenSecrets?.(id, cookies) ?? [id];
}
