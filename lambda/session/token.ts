// SPDX-License-Identifier: Apache-2.0
/** The session token: the one secret of a session. It exists in the cookie and nowhere else. */
import { hash, randomBytes as systemRandomBytes } from 'node:crypto';

/** 256 bits: 10^5 guesses a second against 10^9 live sessions would need about 2^209 seconds. */
const TOKEN_BYTES = 32;

/** Returns `size` random bytes; must be cryptographically secure. */
export type RandomBytes = (size: number) => Uint8Array;

/**
 * base64url without padding. 32 bytes are 42 full characters and one that carries 4 bits, so the last character has two
 * spare bits. They must be zero: otherwise several strings would stand for one token (RFC 4648, section 3.5).
 */
const CANONICAL_TOKEN = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

/** Makes a fresh session token: 43 characters of `A-Z a-z 0-9 - _`. */
export function generateSessionToken(randomBytes: RandomBytes = systemRandomBytes): string {
  const bytes = randomBytes(TOKEN_BYTES);
  if (bytes.length !== TOKEN_BYTES) throw new TypeError(`randomBytes must return ${TOKEN_BYTES} bytes`);
  return Buffer.from(bytes).toString('base64url');
}

/**
 * The token hash that the table knows: SHA-256 of the token's characters, 64 hex digits.
 * No salt and no stretching: the token has 256 random bits, so there is nothing to guess.
 */
export function hashSessionToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Returns the token if the value is one in its only accepted spelling, else `null`; never throws. */
export function parseSessionToken(value: unknown): string | null {
  return typeof value === 'string' && CANONICAL_TOKEN.test(value) ? value : null;
}

const TOKEN_HASH = /^[0-9a-f]{64}$/;

/** Whether the value has the shape of a token hash. */
export function isTokenHash(value: unknown): value is string {
  return typeof value === 'string' && TOKEN_HASH.test(value);
}
