// SPDX-License-Identifier: Apache-2.0
/** The session cookie of an answer, in place of the one that express-session writes. */
import { serializeSessionCookie } from '../session/cookie-writer';
import type { IssuedCookie } from '../session/sessions';
import { isAgeMillis } from './cookie-age';
import type { StoredData } from './express-data';
import type { Visit } from './express-store';
import type { CookieParts, Request } from './session-cookie';

/** What a request came with. */
export interface Came {
  /** Absent: no session. */
  readonly visit: Visit | undefined;
  /** The session that moved in with this request; absent: none did. */
  readonly moved: IssuedCookie<StoredData> | undefined;
}

/**
 * The Set-Cookie headers of an answer as they leave: a session that this request ended takes its cookie along.
 * @param setCookies of route and express-session, whose own cookie has the inner name
 */
export function leavingCookies(
  parts: CookieParts,
  innerName: string,
  { visit, moved }: Came,
  request: Request,
  setCookies: readonly string[],
): readonly string[] {
  const { sessions } = parts;
  const without = (...names: string[]): string[] =>
    setCookies.filter((setCookie) => !names.some((name) => setCookie.startsWith(`${name}=`)));
  const others = without(innerName);
  const withoutOurs = without(innerName, sessions.settings.cookieName);
  const isAbandoned = others.length < setCookies.length && parts.abandonIfEmpty(request);
  const isSet = others.length < setCookies.length && !isAbandoned;
  if (isSet) return [...withoutOurs, ...sessionCookie(parts, request)];
  // `destroy` takes the session from the request, a refused login its ID.
  const isLeftWithout = request.session === undefined || request.sessionID === undefined || isAbandoned;
  // Where the store failed, the browser needs the cookie for another try.
  if (visit !== undefined && !visit.hasFailedToEnd && isLeftWithout) return [...withoutOurs, sessions.clearCookie];
  // A route that sets the cookie itself has given the session a fresh token.
  const isSetByRoute = withoutOurs.length < others.length;
  return moved === undefined || isSetByRoute ? others : [...others, movedCookie(parts, request, moved)];
}

/** None for a session that is not the store's. */
function sessionCookie(parts: CookieParts, request: Request): readonly string[] {
  const token = parts.tokenOf(request);
  if (token === undefined) return [];
  const age = ageMillis(parts, request) ?? Number.POSITIVE_INFINITY;
  return [serialize(parts, token, age)];
}

function movedCookie(parts: CookieParts, request: Request, { token, setCookie }: IssuedCookie<StoredData>): string {
  const age = ageMillis(parts, request);
  return age === undefined ? setCookie : serialize(parts, token, age);
}

/** What the session itself says, if the request has one; `undefined`: as long as the session can last. */
function ageMillis({ maxAgeMillis }: CookieParts, { session }: Request): number | undefined {
  const age = session ? session.cookie?.originalMaxAge : maxAgeMillis;
  return isAgeMillis(age) ? age : undefined;
}

function serialize({ sessions }: CookieParts, token: string, ageMillis: number): string {
  const { absoluteTimeoutSeconds, cookieName, insecureLocalhost } = sessions.settings;
  const maxAgeSeconds = Math.min(Math.max(1, Math.ceil(ageMillis / 1000)), absoluteTimeoutSeconds);
  return serializeSessionCookie(token, { name: cookieName, insecureLocalhost, maxAgeSeconds });
}
