// SPDX-License-Identifier: Apache-2.0
/** Admits the session of an older system, read-only, while its users move over. */
import { createHash } from 'node:crypto';
import { readCookieValue } from '../session/cookie-reader';
import type { CookieValues, LegacySession, LegacySource } from '../session/legacy-source';
import { isUserId } from '../session/validate-session-item';
import type { AdmittedSession } from './context';

export type LegacyRefusal = 'absent' | 'malformed' | 'expired';
type LegacyDecision =
  | { readonly admitted: AdmittedSession }
  | { readonly denied: `legacy${Capitalize<LegacyRefusal>}` };

/** The first source that proves its cookie decides; `undefined` where none does. */
export async function admitLegacySession(
  lines: readonly unknown[],
  now: number,
  sources: readonly LegacySource[],
): Promise<LegacyDecision | undefined> {
  for (const source of sources) {
    const id = source.verify(cookieValues(lines, source.cookieNames), now);
    if (id === undefined) continue;
    const session = await source.read(id, now);
    if (session === undefined) return { denied: 'legacyAbsent' };
    const refusal = refusalOf(session, now);
    if (refusal !== undefined) return { denied: refusal };
    const tokenHash = createHash('sha256').update(id).digest('hex');
    return { admitted: { ...session, tokenHash, authenticatedAt: 0, claims: {} } };
  }
  return undefined;
}

/** A source is trusted to read, not to decide: what it returns is checked like an item of our own. */
function refusalOf(session: LegacySession, now: number): `legacy${Capitalize<LegacyRefusal>}` | undefined {
  if (!isUserId(session.user) || !isTime(session.createdAt) || !isTime(session.expiresAt)) return 'legacyMalformed';
  return session.expiresAt <= now ? 'legacyExpired' : undefined;
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e11;
}

function cookieValues(lines: readonly unknown[], names: readonly string[]): CookieValues {
  const values: Record<string, string> = Object.create(null);
  for (const name of names) {
    const cookie = readCookieValue(lines, name);
    // Missing, twice, or in a header that cannot be read: the source does not see it.
    if ('value' in cookie) values[name] = cookie.value;
  }
  return values;
}
