// SPDX-License-Identifier: Apache-2.0
/** An older system whose cookie is proven by a signature that says good, and what was asked of it. */
import type { CookieValues, LegacySession, LegacySource } from '../../lambda/session/legacy-source';
import { NOW } from './set-up';

export interface Seen {
  readonly cookies: CookieValues[];
  readonly reads: string[];
}

export function source(session: unknown, seen: Seen = { cookies: [], reads: [] }): LegacySource {
  return {
    name: 'old',
    cookieNames: ['sid', 'sid.sig'],
    verify(cookies) {
      seen.cookies.push(cookies);
      return cookies['sid.sig'] === 'good' ? cookies.sid : undefined;
    },
    async read(id) {
      seen.reads.push(id);
      return session as LegacySession | undefined;
    },
    async end() {},
  };
}

export const LIVE: LegacySession = { user: 'bob', createdAt: NOW - 50, expiresAt: NOW + 50 };
