// SPDX-License-Identifier: Apache-2.0
/** What is asked of the store behind `express-session`, whichever it is, and the judgement of what it returns. */
import { isPlainRecord } from '../../session/attribute';
import type { LegacyRefusal, LegacySession } from '../../session/legacy-source';
import { ConfigurationError } from '../../settings';
import { parseJsonObject } from '../json-object';
import { readLogin, type SessionDataPaths, secondsFrom } from '../session-data';

/** A session as a store holds it. */
export interface StoredExpressSession {
  /** The session object, or its JSON. */
  readonly session: unknown;
  /** When it ends: a `Date`, or Unix seconds. Absent: `cookie.expires` inside the session says it. */
  readonly expiresAt?: Date | number | undefined;
}

/** Two functions over the old store; what it keeps for them is never written. */
export interface ExpressSessionStore {
  /** `undefined` where there is none. Rejects when the store cannot be asked: nobody is logged out for that. */
  read(sessionId: string): Promise<StoredExpressSession | undefined>;
  /** Deletes the session; an absent one is no error. */
  end(sessionId: string): Promise<void>;
}

/**
 * Checks the shape of what `read` returned: it is the adapter's and the same for every session, so that a wrong one is no
 * reason to refuse this session but a fault. What stands inside is the older application's, and judged later.
 * @throws ConfigurationError that repeats nothing of what was returned
 */
export function requireStored(stored: unknown): asserts stored is StoredExpressSession {
  if (typeof stored !== 'object' || stored === null) throw wrongShape(`it returned a ${typeof stored}`);
  if (!('session' in stored))
    throw wrongShape(
      'cookie' in stored
        ? 'it returned the session object itself: return { session: thatObject }'
        : 'it returned an object without session',
    );
  // Such as the end under another name: the session would go by the date inside, which is mostly older.
  if (Object.keys(stored).some((name) => name !== 'session' && name !== 'expiresAt'))
    throw wrongShape('it returned more than that: pick the two from the document');
  const { expiresAt } = stored as StoredExpressSession;
  if (expiresAt != null && !(expiresAt instanceof Date) && typeof expiresAt !== 'number')
    throw wrongShape(`its expiresAt is a ${typeof expiresAt}, and must be a Date or Unix seconds`);
}

function wrongShape(found: string): ConfigurationError {
  return new ConfigurationError(
    `store.read must return { session, expiresAt }, or undefined where there is no session; ${found}`,
  );
}

/** Times from here on are milliseconds. */
const LAST_SECOND = 1e11;

/** The session if it is a live one with a user, else why not. Total. */
export function readExpressSession(
  stored: StoredExpressSession,
  paths: SessionDataPaths,
  now: number,
): LegacySession | LegacyRefusal {
  const session = typeof stored.session === 'string' ? parseJsonObject(stored.session) : stored.session;
  if (!isPlainRecord(session)) return { refused: 'malformed' };
  const expiresAt = endOf(stored.expiresAt ?? expiresInCookie(session));
  // No end, or milliseconds: a session without an end is not one that never ends.
  if (expiresAt === undefined) return { refused: 'malformed' };
  if (expiresAt <= now) return { refused: 'expired' };
  const login = readLogin(session, paths, now);
  if ('refused' in login) return login;
  const { cookie: _, ...data } = session;
  return { ...login, expiresAt, data };
}

/** Express touches a session without writing its data anew, so that this date is old wherever the store keeps its own. */
function expiresInCookie(session: Record<string, unknown>): Date | undefined {
  const expires = isPlainRecord(session.cookie) ? session.cookie.expires : undefined;
  const seconds = expires instanceof Date || typeof expires === 'string' ? secondsFrom(expires) : undefined;
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}

function endOf(value: Date | number | undefined): number | undefined {
  if (value instanceof Date) return secondsFrom(value);
  // Stores that divide milliseconds leave a fraction.
  return typeof value === 'number' && value >= 0 && value < LAST_SECOND ? Math.floor(value) : undefined;
}
