// SPDX-License-Identifier: Apache-2.0
/**
 * The claim: what became of one session of an older system. It is pending from the moment a session of ours was chosen
 * for it until that session's cookie has come back, then settled for good: by the cookie's return, by a logout, or because
 * the session that moved in was ended. A settled claim mints nothing, whatever the older system writes again.
 *
 * The key holds no epoch: an older session knows none, and a new epoch must not make every old cookie good once more.
 */
import { createHash } from 'node:crypto';
import { hasAttribute, number, ODD, readString, readWholeNumber, text } from '../attribute';
import { SessionStoreError } from '../errors';
import type { LegacySource } from '../legacy-source';
import { attempt, type LifecycleContext, repeat } from '../lifecycle/context';
import { keyAttributes } from '../lifecycle/session-item';
import type { Condition, Item, ItemKey } from '../store';

const CLAIM_KEY_PREFIX = 'SL#';

/** What a claim holds while it is pending. Times are Unix seconds. */
export interface PendingClaim {
  readonly sourceName: string;
  readonly user: string;
  /** The session that was chosen for the older one; it may not be written yet. */
  readonly tokenHash: string;
  /** Random; with a secret of the older session's cookie it gives the token. Of no use alone. */
  readonly nonce: string;
  readonly createdAt: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Of the settings under which the session was chosen; absent: none. */
  readonly epoch?: string | undefined;
}

export type ClaimState =
  | { readonly pending: PendingClaim }
  /** Settled just now by the cookie's return, so that requests which were sent before may still be on their way. */
  | { readonly confirmed: ClaimedSession }
  | 'settled'
  | 'none';

/** For how long a request that was sent with nothing but the old cookie may be on its way: a cold start, a slow network. */
const LATE_REQUEST_SECONDS = 10;

const IS_CLAIM: Condition = { attribute: 'type', is: 'equal', to: text('legacy_claim') };
const IS_PENDING: Condition = { attribute: 'settled_at', is: 'absent' };

/** Names the claim of an older session: a hash, because the id is a credential. */
export function claimIdOf(source: LegacySource, legacyId: string): string {
  return createHash('sha256').update(`${source.name}\0${legacyId}`).digest('hex');
}

export async function readClaim(context: LifecycleContext, claimId: string): Promise<ClaimState> {
  return claimStateFrom(await repeat(context, () => context.store.get(claimKey(claimId))), context.now());
}

/** @throws SessionStoreError for a pending claim that this library did not write */
export function claimStateFrom(item: Item | undefined, now: number): ClaimState {
  if (item === undefined) return 'none';
  if (!isSettledClaim(item)) return { pending: pendingClaim(item) };
  const confirmedAt = readWholeNumber(item, 'confirmed_at');
  const session = claimedSession(item);
  const isRecent = typeof confirmedAt === 'number' && now < confirmedAt + LATE_REQUEST_SECONDS;
  return isRecent && session !== undefined ? { confirmed: session } : 'settled';
}

/** `false` if there is a claim already. */
export async function putClaim(
  context: LifecycleContext,
  claimId: string,
  claim: PendingClaim,
  keepUntil: number,
): Promise<boolean> {
  const item: Item = {
    ...keyAttributes(context.store, claimKey(claimId)),
    ...writeClaim(claim),
    [context.store.attributeNames.expiresAt]: number(keepUntil),
  };
  return (await attempt(context, () => context.store.put(item))).result;
}

/** Puts another session in the place of the one that the pending claim names; `false` if the claim moved on meanwhile. */
export async function replaceClaim(
  context: LifecycleContext,
  claimId: string,
  previousTokenHash: string,
  claim: PendingClaim,
): Promise<boolean> {
  const { result } = await attempt(context, () =>
    context.store.update(claimKey(claimId), { set: writeClaim(claim) }, [
      IS_CLAIM,
      IS_PENDING,
      { attribute: 'session', is: 'equal', to: text(previousTokenHash) },
    ]),
  );
  return result.applied;
}

/**
 * The session got a fresh token before its cookie had come back: the claim goes on with its successor. The session is
 * rotated by now, so a fault is no failure of the rotation; the successor knows its claim, and settles it when it comes back.
 */
export async function passClaimOn(
  context: LifecycleContext,
  claimId: string,
  tokenHash: string,
  successorHash: string,
): Promise<void> {
  try {
    await attempt(context, () =>
      context.store.update(claimKey(claimId), { set: { session: text(successorHash) } }, [
        IS_CLAIM,
        IS_PENDING,
        { attribute: 'session', is: 'equal', to: text(tokenHash) },
      ]),
    );
  } catch (failure) {
    if (!(failure instanceof SessionStoreError)) throw failure;
  }
}

/**
 * A session of the claim has come back with its cookie: the old cookie mints nothing any more. Absent if the claim was
 * settled before, or is gone.
 */
export async function confirmClaim(
  context: LifecycleContext,
  claimId: string,
  tokenHash: string,
): Promise<{ readonly sourceName: string; readonly claimed: ClaimedSession | undefined } | undefined> {
  const { result } = await attempt(context, () =>
    context.store.update(
      claimKey(claimId),
      {
        ...settling(context),
        set: { ...settling(context).set, session: text(tokenHash), confirmed_at: number(context.now()) },
      },
      [IS_CLAIM, IS_PENDING],
    ),
  );
  if (!result.applied || result.previous === undefined) return undefined;
  const sourceName = readString(result.previous, 'source');
  return { sourceName: typeof sourceName === 'string' ? sourceName : '', claimed: claimedSession(result.previous) };
}

/** A session that a claim names, and when it is over; it may not be written yet. */
export interface ClaimedSession {
  readonly tokenHash: string;
  readonly expiresAt: number;
}

/**
 * The older session was ended. Returns what must be ended with it: the session that the claim names.
 * @param keepUntil writes a claim where there is none, so that what never moved in cannot any more
 */
export async function settleClaim(
  context: LifecycleContext,
  claimId: string,
  keepUntil?: number,
): Promise<ClaimedSession | undefined> {
  const { expiresAt } = context.store.attributeNames;
  const { result, isAfterFailure } = await attempt(context, () => {
    const change = settling(context);
    return keepUntil === undefined
      ? context.store.update(claimKey(claimId), change, [IS_CLAIM, IS_PENDING])
      : context.store.update(
          claimKey(claimId),
          {
            ...change,
            set: { ...change.set, type: text('legacy_claim') },
            setIfAbsent: { [expiresAt]: number(keepUntil) },
          },
          [IS_PENDING],
        );
  });
  if (result.applied) return result.previous && claimedSession(result.previous);
  if (!isAfterFailure) return undefined;
  // An answer was lost: it may have been this very call that settled the claim.
  const item = await repeat(context, () => context.store.get(claimKey(claimId)));
  return item && claimedSession(item);
}

/** The claim that a session item belongs to, as long as its cookie has not come back. */
export function claimIdIn(item: Item | undefined): string | undefined {
  const claimId = item === undefined ? undefined : readString(item, 'legacy_claim');
  return typeof claimId === 'string' ? claimId : undefined;
}

function settling(context: LifecycleContext) {
  return { set: { settled_at: number(context.now()) }, remove: ['nonce'] };
}

/** A settled claim admits and mints nothing; whatever its time says, it was written to close. */
function isSettledClaim(claim: Item): boolean {
  return hasAttribute(claim, 'settled_at');
}

export function claimKey(claimId: string): ItemKey {
  return { partitionKey: CLAIM_KEY_PREFIX + claimId, sortKey: CLAIM_KEY_PREFIX };
}

function writeClaim(claim: PendingClaim): Item {
  return {
    type: text('legacy_claim'),
    source: text(claim.sourceName),
    user: text(claim.user),
    session: text(claim.tokenHash),
    nonce: text(claim.nonce),
    session_created_at: number(claim.createdAt),
    session_issued_at: number(claim.issuedAt),
    session_expires_at: number(claim.expiresAt),
    ...(claim.epoch === undefined ? {} : { epoch: text(claim.epoch) }),
  };
}

function pendingClaim(item: Item): PendingClaim {
  const sourceName = readString(item, 'source');
  const user = readString(item, 'user');
  const tokenHash = readString(item, 'session');
  const nonce = readString(item, 'nonce');
  const createdAt = readWholeNumber(item, 'session_created_at');
  const issuedAt = readWholeNumber(item, 'session_issued_at');
  const expiresAt = readWholeNumber(item, 'session_expires_at');
  const epoch = readString(item, 'epoch');
  if (
    typeof sourceName !== 'string' ||
    typeof user !== 'string' ||
    typeof tokenHash !== 'string' ||
    typeof nonce !== 'string' ||
    typeof createdAt !== 'number' ||
    typeof issuedAt !== 'number' ||
    typeof expiresAt !== 'number' ||
    epoch === ODD
  )
    throw new SessionStoreError('a claim of a migration has attributes that were not written by this library');
  return { sourceName, user, tokenHash, nonce, createdAt, issuedAt, expiresAt, epoch };
}

function claimedSession(item: Item): ClaimedSession | undefined {
  const tokenHash = readString(item, 'session');
  const expiresAt = readWholeNumber(item, 'session_expires_at');
  return typeof tokenHash === 'string' && typeof expiresAt === 'number' ? { tokenHash, expiresAt } : undefined;
}
