// SPDX-License-Identifier: Apache-2.0
/**
 * Decides whether a stored item is a live session. Everything that lets a request in goes through here: authorizer and
 * library alike. Total: any value gives a session or a reason. Whatever is missing or odd is refused.
 */
import { type AttributeNames, DEFAULT_ATTRIBUTE_NAMES, MAX_LIFETIME_SECONDS } from '../settings';
import { hasAttribute, isPlainRecord, ODD, readMap, readString, readWholeNumber } from './attribute';
import { type Claims, readClaims } from './claims';
import { isTokenHash } from './token';

/** What an item says when it is a live session. Times are Unix seconds. */
export interface ValidSession {
  /** The principal; absent on an anonymous session. */
  readonly user?: string;
  /** When this login began; the absolute timeout counts from here. */
  readonly createdAt: number;
  /** When this token was issued; 0 on items written by others without it. */
  readonly issuedAt: number;
  /** When credentials were last checked; 0 if never recorded. */
  readonly authenticatedAt: number;
  /** Last slide of the idle timeout; absent if it never slid. */
  readonly renewedAt?: number;
  readonly expiresAt: number;
  /** What no slide goes beyond, beside the absolute timeout; absent: nothing else. */
  readonly endsAt?: number;
  readonly generation: number;
  readonly version: number;
  readonly claims: Claims;
  /** Key of the application's own user record. */
  readonly userRecordKey?: { readonly partitionKey: string; readonly sortKey: string };
}

export type ItemRefusal = 'absent' | 'malformed' | 'expired' | 'revoked' | 'wrongType' | 'anonymous' | 'wrongKey';

export interface ValidateSessionItemOptions {
  /** The partition key that was asked for; the item must carry it. */
  readonly partitionKey: string;
  /** Unix seconds. */
  readonly now: number;
  /** Longest time between creation and expiry. Default 400 days, and not derived from the absolute timeout: shortening the timeout must not end every session at once. */
  readonly maxLifetimeSeconds?: number | undefined;
  /** Default `PK`, `SK`, `expires_at`. */
  readonly attributeNames?: AttributeNames | undefined;
  /** Accepts a session without a user. Only the library sets it; such a session never authorizes. Default false. */
  readonly allowAnonymous?: boolean | undefined;
}

/** How far ahead the clock of the function that wrote the item may have been. */
const CLOCK_SKEW_SECONDS = 60;

const MALFORMED = { refused: 'malformed' } as const;

export function validateSessionItem(
  item: unknown,
  options: ValidateSessionItemOptions,
): { readonly session: ValidSession } | { readonly refused: ItemRefusal } {
  const { partitionKey, now, maxLifetimeSeconds = MAX_LIFETIME_SECONDS, allowAnonymous = false } = options;
  const names = options.attributeNames ?? DEFAULT_ATTRIBUTE_NAMES;
  if (item === undefined) return { refused: 'absent' };
  if (!isPlainRecord(item)) return MALFORMED;
  // Another item than the one asked for: a cache or proxy mixed up two users.
  if (readString(item, names.partitionKey) !== partitionKey || readString(item, names.sortKey) !== 'S#')
    return { refused: 'wrongKey' };
  // Password-reset tokens and the like may live in the same table under the same kind of key.
  if (readString(item, 'type') !== 'session') return { refused: 'wrongType' };
  // A tombstone: its mere presence ends the session, whatever its type or value.
  if (hasAttribute(item, 'revoked')) return { refused: 'revoked' };

  const createdAt = readWholeNumber(item, 'created_at');
  const expiresAt = readWholeNumber(item, names.expiresAt);
  // A session without an end is not one that never ends.
  if (typeof createdAt !== 'number' || typeof expiresAt !== 'number') return MALFORMED;
  // TTL deletes "within a few days" of the expiry (DynamoDB, "Using time to live"); this line is the real end.
  if (expiresAt <= now) return { refused: 'expired' };
  // From the future beyond any clock skew, or slid past what any session may live: milliseconds, or tampering.
  if (createdAt > now + CLOCK_SKEW_SECONDS || expiresAt - createdAt > maxLifetimeSeconds) return MALFORMED;

  const user = readString(item, 'user');
  // The ghost that an unconditional touch after logout would leave, or a session from before the login.
  if (user === undefined && !allowAnonymous) return { refused: 'anonymous' };
  // The principal goes into headers and logs: visible ASCII only.
  if (user !== undefined && !isUserId(user)) return MALFORMED;

  const issuedAt = readWholeNumber(item, 'issued_at') ?? 0;
  const authenticatedAt = readWholeNumber(item, 'authenticated_at') ?? 0;
  const renewedAt = readWholeNumber(item, 'renewed_at');
  const endsAt = readWholeNumber(item, 'max_end');
  const generation = readWholeNumber(item, 'generation') ?? 0;
  const version = readWholeNumber(item, 'version') ?? 0;
  const claims = readClaims(readMap(item, 'claims'));
  const recordPartitionKey = readString(item, 'user_pk');
  const recordSortKey = readString(item, 'user_sk');
  // Present but of another type or form: not written by this library, so nothing about it can be trusted.
  if (
    issuedAt === ODD ||
    authenticatedAt === ODD ||
    renewedAt === ODD ||
    endsAt === ODD ||
    generation === ODD ||
    version === ODD ||
    claims === ODD ||
    recordPartitionKey === ODD ||
    recordSortKey === ODD ||
    (recordPartitionKey === undefined) !== (recordSortKey === undefined) ||
    issuedAt > now + CLOCK_SKEW_SECONDS
  )
    return MALFORMED;

  return {
    session: {
      ...(user === undefined ? {} : { user }),
      createdAt,
      issuedAt,
      authenticatedAt,
      ...(renewedAt === undefined ? {} : { renewedAt }),
      expiresAt,
      ...(endsAt === undefined ? {} : { endsAt }),
      generation,
      version,
      claims,
      ...(recordPartitionKey === undefined || recordSortKey === undefined
        ? {}
        : { userRecordKey: { partitionKey: recordPartitionKey, sortKey: recordSortKey } }),
    },
  };
}

const USER_ID = /^[\x21-\x7e]{1,128}$/;

/** Whether the value can name a user: 1 to 128 visible ASCII characters, so that a principal can stand in any header, policy or log line. */
export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && USER_ID.test(value);
}

/** The hashes that rotation left on the item; odd ones are as good as none. */
export function rotationLinks(item: object): { readonly replaces?: string; readonly replacedBy?: string } {
  const replaces = readString(item, 'replaces');
  const replacedBy = readString(item, 'replaced_by');
  return {
    ...(isTokenHash(replaces) ? { replaces } : {}),
    ...(isTokenHash(replacedBy) ? { replacedBy } : {}),
  };
}
