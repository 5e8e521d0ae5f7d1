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
import { CLAIM_PREFIX } from '../session-keys';
import type { Condition, Item, ItemKey } from '../store';

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
  /** The session that was chosen before it, which must be dead before this one is handed out; absent: this is the first. */
  readonly supersedes?: string | undefined;
}

export type ClaimState =
  | { readonly pending: PendingClaim }
  /** Settled just now by the cookie's return, so that requests which were sent before may still be on their way. */
  | { readonly confirmed: ClaimedSession }
  | 'settled'
  | 'none';

/** For how long a request that was sent with nothing but the old cookie may be on its way: a cold start, a slow network. */
export const LATE_REQUEST_SECONDS = 10;

export const IS_CLAIM: Condition = { attribute: 'type', is: 'equal', to: text('legacy_claim') };
export const IS_PENDING: Condition = { attribute: 'settled_at', is: 'absent' };

/** Names the claim of an older session: a hash, because the id is a credential. */
export function claimIdOf(source: LegacySource, legacyId: string): string {
  const lasting = source.lastingId?.(legacyId);
  // Two separators, so that no id is taken for a lasting one of another session.
  const named = lasting === undefined ? legacyId : `\0${lasting}`;
  return createHash('sha256').update(`${source.name}\0${named}`).digest('hex');
}

/** A session that a claim names, and when it is over; it may not be written yet. */
export interface ClaimedSession {
  readonly tokenHash: string;
  readonly expiresAt: number;
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

/** A settled claim admits and mints nothing; whatever its time says, it was written to close. */
function isSettledClaim(claim: Item): boolean {
  return hasAttribute(claim, 'settled_at');
}

/** The claim that a session item belongs to, as long as its cookie has not come back. */
export function claimIdIn(item: Item | undefined): string | undefined {
  const claimId = item === undefined ? undefined : readString(item, 'legacy_claim');
  return typeof claimId === 'string' ? claimId : undefined;
}

export function claimKey(claimId: string): ItemKey {
  return { partitionKey: CLAIM_PREFIX + claimId, sortKey: CLAIM_PREFIX };
}

export function writeClaim(claim: PendingClaim): Item {
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
    ...(claim.supersedes === undefined ? {} : { supersedes: text(claim.supersedes) }),
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
  const supersedes = readString(item, 'supersedes');
  if (
    typeof sourceName !== 'string' ||
    typeof user !== 'string' ||
    typeof tokenHash !== 'string' ||
    typeof nonce !== 'string' ||
    typeof createdAt !== 'number' ||
    typeof issuedAt !== 'number' ||
    typeof expiresAt !== 'number' ||
    epoch === ODD ||
    supersedes === ODD
  )
    throw new SessionStoreError('a claim of a migration has attributes that were not written by this library');
  return { sourceName, user, tokenHash, nonce, createdAt, issuedAt, expiresAt, epoch, supersedes };
}

export function claimedSession(item: Item): ClaimedSession | undefined {
  const tokenHash = readString(item, 'session');
  const expiresAt = readWholeNumber(item, 'session_expires_at');
  return typeof tokenHash === 'string' && typeof expiresAt === 'number' ? { tokenHash, expiresAt } : undefined;
}
