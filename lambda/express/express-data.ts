// SPDX-License-Identifier: Apache-2.0
/** Express's session as the JSON that is stored, and back. */
import type { SessionData } from 'express-session';
import type { Session } from '../session';

/** What is stored: everything the application put into the session, and express-session's `cookie`. */
export type StoredData = Record<string, unknown>;

interface StoredCookie {
  readonly originalMaxAge?: unknown;
  readonly expires?: unknown;
}

/**
 * As express-session's own stores do: what JSON makes of it, dates as strings. Two parts of the cookie move with every
 * request and are kept still, or every page view would be a change to write: `expires`, which the session's own end
 * stands for, and `originalMaxAge`, of which a millisecond is lost each time.
 */
export function toStored(session: object): StoredData {
  const data = JSON.parse(JSON.stringify(session)) as StoredData;
  if (typeof data.cookie !== 'object' || data.cookie === null) return data;
  const { expires: _, ...cookie } = data.cookie as StoredCookie & Record<string, unknown>;
  const { originalMaxAge } = cookie;
  if (typeof originalMaxAge === 'number') cookie.originalMaxAge = Math.ceil(originalMaxAge / 1000) * 1000;
  return { ...data, cookie };
}

/** A session that was started elsewhere has no `cookie`; express-session cannot do without. */
export function fromStored(session: Session<StoredData>): SessionData {
  const data = structuredClone(session.data);
  const cookie = (data.cookie ?? { httpOnly: true, path: '/' }) as StoredCookie;
  const originalMaxAge = typeof cookie.originalMaxAge === 'number' ? cookie.originalMaxAge : null;
  const expires = originalMaxAge === null ? null : new Date(session.expiresAt * 1000).toISOString();
  return { ...data, cookie: { ...cookie, originalMaxAge, expires } } as unknown as SessionData;
}
