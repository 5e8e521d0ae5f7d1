// SPDX-License-Identifier: Apache-2.0
/** An older system of the simplest kind: signed ids in a cookie, sessions in a map, an end that can be counted. */
import type { LegacySession, LegacySource } from '../../../lambda/session/legacy-source';
import { NOW } from '../fixtures';

export class OldSystem {
  readonly sessions = new Map<string, LegacySession>();
  readonly reads: string[] = [];
  readonly ends: string[] = [];
  /** Rejects every call while it is set. */
  failure: Error | undefined;

  /** Starts a session and returns the Cookie header for it. */
  login(id: string, session: Partial<LegacySession> = {}): string {
    this.sessions.set(id, { user: 'alice', createdAt: NOW - 1_000, expiresAt: NOW + 86_400, ...session });
    return `old=${id}.signed`;
  }

  /** Options replace what they name; `undefined` takes it away. */
  source(options: { readonly [Name in keyof LegacySource]?: LegacySource[Name] | undefined } = {}): LegacySource {
    return Object.fromEntries(
      Object.entries(this.#source(options)).filter(([, value]) => value !== undefined),
    ) as unknown as LegacySource;
  }

  #source(options: object): LegacySource {
    return {
      name: 'old',
      cookieNames: ['old'],
      clearCookies: ['old=; Max-Age=0'],
      verify: ({ old }) => (old?.endsWith('.signed') ? old.slice(0, -'.signed'.length) : undefined),
      read: async (id, now) => {
        this.reads.push(id);
        if (this.failure !== undefined) throw this.failure;
        const session = this.sessions.get(id);
        return session !== undefined && session.expiresAt > now ? session : undefined;
      },
      end: async (id) => {
        this.ends.push(id);
        if (this.failure !== undefined) throw this.failure;
        this.sessions.delete(id);
      },
      tokenSecrets: (id) => [`signature of ${id}`],
      ...options,
    };
  }
}
