// SPDX-License-Identifier: Apache-2.0
/** Keys and secrets of signed cookies: what they must be, and the one way in which signatures are compared. */
import { timingSafeEqual } from 'node:crypto';
import { ConfigurationError } from '../settings';

/** Secrets that are loaded and refreshed while the function runs, see `createSecrets`. */
export interface LoadedSecrets {
  /** All verify; the first signs what this library signs. @throws ConfigurationError before they were loaded */
  current(): readonly string[];
  /** Loads them if they are missing or stale. */
  prepare(): Promise<void>;
}

/**
 * A list, or what `createSecrets` returns. All verify; the first signs what this library signs, which is signed sessions.
 *
 * To rotate without logging anyone out: append the new one last; once every function has it, move it to the front; drop the
 * old one when nothing that it signed is left. A new one that signs before every function has it is refused by the others.
 * Where an older application signs, append the new one here before that application signs with it.
 */
export type Secrets = readonly string[] | LoadedSecrets;

/**
 * Checks given secrets at once, and loaded ones whenever they are used.
 * @throws ConfigurationError naming the option
 */
export function useSecrets(option: string, secrets: Secrets): LoadedSecrets {
  if (!isLoaded(secrets)) {
    if (!Array.isArray(secrets))
      throw new ConfigurationError(
        `${option} must be a list of secrets, such as ['the secret'], or what createSecrets returns`,
      );
    // A copy: what becomes of the caller's list is not checked.
    const given: readonly string[] = [...secrets];
    requireSecrets(option, given);
    return { current: () => given, prepare: async () => {} };
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
 * Checks that there is something to verify with: without a key nothing would be signed, and an empty key anyone
 * has. One of nothing but white space is a template that was not filled in.
 * @throws ConfigurationError naming the option, never the key
 */
export function requireSecrets(option: string, secrets: unknown): asserts secrets is readonly [string, ...string[]] {
  if (!Array.isArray(secrets)) throw new ConfigurationError(`${option} must be a list of secrets`);
  if (secrets.length === 0) throw new ConfigurationError(`${option} must hold at least one secret`);
  for (const secret of secrets)
    if (typeof secret !== 'string' || secret.trim() === '')
      throw new ConfigurationError(`${option} must hold non-empty strings only`);
}

/** The list with one of its elements in front; as it is where there is none. */
export function withFirst<T>(list: readonly T[], index: number | undefined): readonly T[] {
  const first = index === undefined ? undefined : list[index];
  return first === undefined ? list : [first, ...list.filter((_, position) => position !== index)];
}

/** Compares in constant time; the length of a signature is no secret. */
export function isSameSignature(presented: string, expected: string): boolean {
  const actual = Buffer.from(presented);
  const wanted = Buffer.from(expected);
  return actual.length === wanted.length && timingSafeEqual(actual, wanted);
}

function isLoaded(secrets: Secrets): secrets is LoadedSecrets {
  const { prepare, current } = (secrets ?? {}) as Partial<LoadedSecrets>;
  return typeof prepare === 'function' && typeof current === 'function';
}
