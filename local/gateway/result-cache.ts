// SPDX-License-Identifier: Apache-2.0
/** Keeps what authorizers answered, as API Gateway does where an authorizer's result caching is on. */

export interface ResultCache<Result> {
  get(key: readonly string[]): Result | undefined;
  set(key: readonly string[], result: Result, lifetimeSeconds: number): void;
}

/** @param now - Unix seconds */
export function createResultCache<Result>(now: () => number): ResultCache<Result> {
  const entries = new Map<string, { readonly result: Result; readonly expiresAt: number }>();
  return {
    get(key) {
      const entry = entries.get(JSON.stringify(key));
      return entry === undefined || entry.expiresAt <= now() ? undefined : entry.result;
    },
    set(key, result, lifetimeSeconds) {
      for (const [other, { expiresAt }] of entries) if (expiresAt <= now()) entries.delete(other);
      entries.set(JSON.stringify(key), { result, expiresAt: now() + lifetimeSeconds });
    },
  };
}
