// SPDX-License-Identifier: Apache-2.0
/** Keys and secrets of signed cookies: what they must be, and the one way in which signatures are compared. */
import { timingSafeEqual } from 'node:crypto';
import { ConfigurationError } from '../settings';

/**
 * Checks that there is something to verify with: without a key nothing would be signed, and an empty key anyone has.
 * @throws ConfigurationError naming the option, never the key
 */
export function requireSecrets(option: string, secrets: unknown): asserts secrets is readonly [string, ...string[]] {
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new ConfigurationError(`${option} must hold at least one secret`);
  for (const secret of secrets)
    if (typeof secret !== 'string' || secret === '')
      throw new ConfigurationError(`${option} must hold non-empty strings only`);
}

/** Compares in constant time; the length of a signature is no secret. */
export function isSameSignature(presented: string, expected: string): boolean {
  const actual = Buffer.from(presented);
  const wanted = Buffer.from(expected);
  return actual.length === wanted.length && timingSafeEqual(actual, wanted);
}
