// SPDX-License-Identifier: Apache-2.0
/** Express's session as the JSON that is stored, and back. */
import { Cookie, type SessionData } from 'express-session';
import type { Session } from '../session';
import { isPlainRecord } from '../session/attribute';
import { isAgeMillis } from './cookie-age';

/** What is stored: everything the application put into the session, and express-session's `cookie`. */
export type StoredData = Record<string, unknown>;

interface StoredCookie {
  readonly [attribute: string]: unknown;
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

/** Nothing but express-session's `cookie`. */
export function isEmpty(data: object): boolean {
  return Object.entries(data).every(([name, value]) => name === 'cookie' || value === undefined);
}

/**
 * A session that was started elsewhere has no `cookie`, or keeps something of its own there; express-session cannot do
 * without one.
 * @param maxAgeMillis of the cookie of a session whose data say nothing of it; `null`: as long as the session lasts
 */
export function fromStored(session: Session<StoredData>, maxAgeMillis: number | null): SessionData {
  const data = structuredClone(session.data);
  const { originalMaxAge: stored, ...attributes } = cookieAttributes(data.cookie);
  // `null` is a word of the application, too.
  const isSaid = stored === null || (isAgeMillis(stored) && stored > 0);
  const originalMaxAge = isSaid ? stored : maxAgeMillis;
  const expires = originalMaxAge === null ? null : new Date(session.expiresAt * 1000).toISOString();
  return { ...data, cookie: { ...attributes, originalMaxAge, expires } } as unknown as SessionData;
}

function cookieAttributes(stored: unknown): StoredCookie {
  if (isPlainRecord(stored)) {
    // The two that `originalMaxAge` stands for.
    const { expires: _, maxAge: __, ...attributes } = stored;
    if (canBeWritten(attributes)) return attributes;
  }
  return { httpOnly: true, path: '/' };
}

/** express-session finds out only as the answer leaves, and then fails. */
function canBeWritten(attributes: object): boolean {
  try {
    (Reflect.construct(Cookie, [attributes]) as { serialize(name: string, value: string): string }).serialize(
      'name',
      '',
    );
    return true;
  } catch {
    return false;
  }
}
