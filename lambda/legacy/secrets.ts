// SPDX-License-Identifier: Apache-2.0
/** Keys and secrets of signed cookies: what they must be, and the one way in which signatures are compared. */
import { timingSafeEqual } from 'node:crypto';
import { ConfigurationError } from '../settings';

/** Secrets that are loaded and refreshed while the function runs, see `createSecrets`. */
export interface LoadedSecrets {
  /** The first signs, all verify. @throws ConfigurationError before they were loaded */
  current(): readonly string[];
  /** Loads them if they are missing or stale. */
  prepare(): Promise<void>;
}

/** The first signs, all verify: put a new one first, and drop the old one when nothing signed with it is left. */
export type Secrets = readonly string[] | LoadedSecrets;

/**
 * Checks given secrets at once, and loaded ones whenever they are used.
 * @throws ConfigurationError naming the option
 */
export function useSecrets(option: string, secrets: Secrets): LoadedSecrets {
  if (!isLoaded(secrets)) {
    requireSecrets(option, secrets);
    return { current: () => secrets, prepare: async () => {} };
  }
  return {
    current() {
      const current = secrets.current();
      requireSecrets(option, current);
      return current;
    },
    prepare: () => secrets.prepare(),
  };
}

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

function isLoaded(secrets: Secrets): secrets is LoadedSecrets {
  return typeof secrets === 'object' && secrets !== null && typeof (secrets as LoadedSecrets).prepare === 'function';
}
