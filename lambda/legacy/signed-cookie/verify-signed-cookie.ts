// SPDX-License-Identifier: Apache-2.0
/** Verifies a native signed session: data in the cookie itself, with its dates inside the signature. */
import { isUserId } from '../../session/validate-session-item';
import { ConfigurationError, MAX_LIFETIME_SECONDS } from '../../settings';
import { requireSecrets } from '../secrets';
import { isCookieSized, parseCookieData } from './cookie-data';
import { findSigningKey, requireAlgorithm, type SignatureAlgorithm } from './cookie-signature';

export interface SignedCookieInput {
  /** The cookie's name; part of what is signed. */
  readonly name: string;
  /** The cookie's value as it was sent. */
  readonly value: unknown;
  /** Value of the cookie `<name>.sig`. */
  readonly signature: unknown;
  /** All verify; the first is the one that signs. */
  readonly keys: readonly string[];
  /** Default `sha256`. */
  readonly algorithm?: SignatureAlgorithm | undefined;
  /** Whole Unix seconds. */
  readonly now: number;
}

/** What a signed session says. Times are Unix seconds. */
export interface SignedCookieSession {
  readonly user: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Everything in the cookie, those three included. The browser's user can read it. */
  readonly data: Readonly<Record<string, unknown>>;
  /** False: signed with an older key; sign anew, so that the old key can go. */
  readonly isSignedWithFirstKey: boolean;
}

/** How far ahead the clock of the function that signed may have been. */
const CLOCK_SKEW_SECONDS = 60;

/**
 * The session of a cookie and its signature; `null` unless one of the keys signed exactly this value under this name, and
 * the data has a user, `iat` and `exp`, and `exp` lies ahead. Without dates inside a stolen cookie would live for ever:
 * Max-Age is for the browser only (OWASP ASVS 9.2.1). Never throws for what a client sends.
 * @throws ConfigurationError for no key or an empty one: never "accept unsigned"; and for a `now` that is no time
 */
export function verifySignedCookie(input: SignedCookieInput): SignedCookieSession | null {
  const { name, value, signature, keys, algorithm = 'sha256', now } = input;
  requireSecrets('keys', keys);
  requireAlgorithm(algorithm);
  // No comparison with NaN is true, so that without a clock nothing would ever be over.
  if (!Number.isSafeInteger(now)) throw new ConfigurationError('now must be a time in whole Unix seconds');
  if (typeof value !== 'string' || typeof signature !== 'string' || !isCookieSized(name, value)) return null;
  // The signature before the content: nothing unsigned is parsed (OWASP ASVS 9.1.1).
  const keyIndex = findSigningKey({ name, value, signature }, keys, algorithm);
  if (keyIndex === undefined) return null;
  const data = parseCookieData(value);
  if (data === undefined) return null;
  const { user, iat, exp } = data;
  // The principal goes into headers and logs: visible ASCII only.
  if (!isUserId(user) || !isTime(iat) || !isTime(exp)) return null;
  // Equal is expired. Issued in the future or for longer than any session may live: milliseconds, or another clock.
  if (exp <= now || iat > now + CLOCK_SKEW_SECONDS || exp <= iat || exp - iat > MAX_LIFETIME_SECONDS) return null;
  return { user, issuedAt: iat, expiresAt: exp, data, isSignedWithFirstKey: keyIndex === 0 };
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
