// SPDX-License-Identifier: Apache-2.0
/**
 * Signatures as Keygrip makes them, and with it `cookies` and `cookie-session`: HMAC over the text `<name>=<value>`, so that
 * the signature of one cookie proves nothing for another, in a cookie of its own called `<name>.sig`.
 */
import { createHmac } from 'node:crypto';
import { ConfigurationError } from '../../settings';
import { isSameSignature, withFirst } from '../secrets';

/** `sha1` is the default of `cookie-session`; what this library signs itself is `sha256`. */
export type SignatureAlgorithm = 'sha1' | 'sha256';

export interface SignedText {
  /** The cookie's name. */
  readonly name: string;
  readonly value: string;
  readonly signature: string;
}

/** base64url without padding: 27 characters for SHA-1, 43 for SHA-256. */
export function signCookie(name: string, value: string, key: string, algorithm: SignatureAlgorithm): string {
  return createHmac(algorithm, key).update(`${name}=${value}`).digest('base64url');
}

/** Position of the key that signed, `undefined` if none did; the first key is the one that signs. */
export function findSigningKey(
  { name, value, signature }: SignedText,
  keys: readonly string[],
  algorithm: SignatureAlgorithm,
): number | undefined {
  const index = keys.findIndex((key) => isSameSignature(signature, signCookie(name, value, key, algorithm)));
  return index === -1 ? undefined : index;
}

/**
 * Secrets of a session that moves in, one for each key and that of its own signature first: signatures that are in no table. Of
 * what stays where the value does not, so that a later value of the same login finds what an earlier one began.
 */
export function secretsOf(
  {
    name,
    value,
    signature = '',
    lastingId,
  }: Omit<SignedText, 'signature'> & {
    readonly signature: string | undefined;
    readonly lastingId: string | undefined;
  },
  keys: readonly string[],
  algorithm: SignatureAlgorithm,
): readonly string[] {
  const signedBy = findSigningKey({ name, value, signature }, keys, algorithm);
  // No cookie has such a value, so that none of these is the signature of another cookie.
  const lasting = lastingId === undefined ? value : `\0${lastingId}`;
  return withFirst(keys, signedBy).map((key) => signCookie(name, lasting, key, algorithm));
}

/** @throws ConfigurationError naming the option */
export function requireAlgorithm(algorithm: unknown): asserts algorithm is SignatureAlgorithm {
  if (algorithm !== 'sha1' && algorithm !== 'sha256') throw new ConfigurationError('algorithm must be sha1 or sha256');
}
