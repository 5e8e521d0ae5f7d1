// SPDX-License-Identifier: Apache-2.0
/**
 * One cookie for Express and the gateway: the session cookie of this library, with the bare token. express-session wants a
 * signed cookie of its own, with its session ID. So it finds the signed hash of the token on the way in, and what it sets is
 * written anew on the way out: its cookie never leaves the process, and the token is in nothing that Express shows or logs.
 */
import { createHmac } from 'node:crypto';
import type session from 'express-session';
import { serializeSessionCookie } from '../session/cookie-writer';
import { ConfigurationError } from '../session/errors';
import { safeRedirectPath } from '../session/redirect';
import type { Sessions } from '../session/sessions';
import { AnswerCookies } from './answer-cookies';
import { isAgeMillis } from './cookie-age';
import type { StoredData } from './express-data';
import type { Visit } from './express-store';

export type Handler = ReturnType<typeof session>;
export type Request = Parameters<Handler>[0];
export type Response = Parameters<Handler>[1];

/** What stands behind the cookie. */
export interface CookieParts {
  readonly sessions: Sessions<StoredData>;
  /** The session ID that Express knows a token's session by. */
  idOf(token: string): string;
  /** The token of the request's session as it is now. */
  tokenOf(request: Request): string | undefined;
  /** Called with the token that a request brought. */
  arrived(request: Request, token: string): void;
  /** Called when the request has its session, before the application sees it. */
  served(request: Request, answer: AnswerCookies): Visit;
  /** Whether the request leaves with a new session that is not stored, as there is nothing in it. */
  abandonIfEmpty(request: Request): boolean;
  /** Throws for data of an older system's session that Express could not work with; nothing was written by then. */
  requireArriving(user: string, data: unknown): void;
}

/** How express-session was told to name and sign its cookie. */
export interface InnerCookie {
  readonly name: string;
  readonly secret: string;
}

/** Whose session a request has, where this middleware gave it one. */
const servedBy = new WeakMap<object, Sessions<StoredData>>();

/** `handler` is express-session's. */
export function withSessionCookie(parts: CookieParts, inner: InnerCookie, handler: Handler): Handler {
  const { sessions } = parts;
  const run = (
    token: string | null,
    answer: AnswerCookies,
    ...[request, response, next]: Parameters<Handler>
  ): void => {
    // Of a request that came with a session: one that could not be read was never there.
    let visit: Visit | undefined;
    answer.onLeaving((setCookies) => translate(parts, inner.name, visit, request, setCookies));
    const header = request.headers.cookie;
    const restore = (): void => {
      if (token !== null) request.headers.cookie = header;
    };
    if (token !== null) {
      parts.arrived(request, token);
      // In front: of two cookies of one name express-session takes the first.
      request.headers.cookie = `${inner.name}=${sign(parts.idOf(token), inner.secret)}; ${header}`;
    }
    handler(request, response, (failure?: unknown) => {
      restore();
      servedBy.set(request, sessions);
      const served = parts.served(request, answer);
      if (token !== null && request.session !== undefined) visit = served;
      next(failure);
    });
    restore();
  };

  return (request, response, next) => {
    const header = request.headers.cookie;
    if (request.session !== undefined) {
      // Mounted twice: the session is there already, and so is the translation of its cookie.
      const isMountedTwice = servedBy.get(request) === sessions;
      return next(isMountedTwice ? undefined : alreadyServed(request));
    }
    const answer = new AnswerCookies(response, sessions.settings.cookieName);
    if (header === undefined) return run(null, answer, request, response, next);
    if (sessions.legacy === undefined) return run(sessions.tokenFrom(header), answer, request, response, next);
    arrive(parts, header, answer).then((token) => {
      const sameAgain = token === LATE ? safeRedirectPath(request.originalUrl) : null;
      if (sameAgain !== null) response.writeHead(307, { Location: sameAgain, 'Cache-Control': 'no-store' }).end();
      else run(token === LATE ? null : token, answer, request, response, next);
    }, next);
  };
}

/** express-session steps aside for any session that is there: the application would run on, without a session of ours. */
function alreadyServed(request: Request): ConfigurationError {
  return new ConfigurationError(
    `store.middleware() must be the only session middleware of a path: remove ${serverOf(request)}, which is mounted before it`,
  );
}

function serverOf(request: Request): string {
  if (servedBy.has(request)) return 'the middleware of another SessiongateStore';
  // cookie-session has no store, and sets none.
  if ((request.sessionStore as unknown) !== undefined) return 'session(…) of express-session';
  return 'what else sets request.session, such as cookieSession(…) of cookie-session';
}

/**
 * The request was sent with the old cookie alone, while another brought the new one back. The browser has that by now, so
 * it is asked to send the same request again.
 */
const LATE = Symbol('late');

/** The session of an older system moves in, as in `withSession`, and its new cookie leaves with the answer. */
async function arrive(
  { sessions, requireArriving }: CookieParts,
  header: string,
  answer: AnswerCookies,
): Promise<string | typeof LATE | null> {
  const request = { headers: { cookie: header } };
  const session = await sessions.read(request);
  const arrival = await sessions.legacy?.arrive(request, session, requireArriving);
  const moved = arrival?.moved ?? undefined;
  if (moved === undefined && arrival !== undefined && arrival.session !== session) return LATE;
  answer.add([...(moved === undefined ? [] : [moved.setCookie]), ...(arrival?.clearCookies ?? [])]);
  return moved?.token ?? sessions.tokenFrom(header);
}

function sign(sessionId: string, secret: string): string {
  const signature = createHmac('sha256', secret).update(sessionId).digest('base64').replace(/=+$/, '');
  return encodeURIComponent(`s:${sessionId}.${signature}`);
}

/** The Set-Cookie headers of an answer as they leave: a session that this request ended takes its cookie along. */
function translate(
  parts: CookieParts,
  innerName: string,
  visit: Visit | undefined,
  request: Request,
  setCookies: readonly string[],
): readonly string[] {
  const { sessions } = parts;
  const without = (...names: string[]): string[] =>
    setCookies.filter((setCookie) => !names.some((name) => setCookie.startsWith(`${name}=`)));
  const others = without(innerName);
  const isAbandoned = others.length < setCookies.length && parts.abandonIfEmpty(request);
  const isSet = others.length < setCookies.length && !isAbandoned;
  // `destroy` takes the session from the request, a refused login its ID.
  const isLeftWithout = request.session === undefined || request.sessionID === undefined || isAbandoned;
  // Where the store failed, the browser needs the cookie for another try.
  const isOver = visit !== undefined && !visit.hasFailedToEnd && isLeftWithout;
  if (!isSet && !isOver) return others;
  // That of a session which moved in with this request and was replaced or ended by it goes, too.
  return [
    ...without(innerName, sessions.settings.cookieName),
    ...(isSet ? sessionCookie(parts, request) : [sessions.clearCookie]),
  ];
}

/** As long as `cookie.maxAge` says; without it as long as a session can last. None for a session that is not the store's. */
function sessionCookie({ sessions, tokenOf }: CookieParts, request: Request): readonly string[] {
  const { absoluteTimeoutSeconds, cookieName, insecureLocalhost } = sessions.settings;
  const token = tokenOf(request);
  if (token === undefined) return [];
  const { originalMaxAge } = request.session.cookie;
  const wanted = isAgeMillis(originalMaxAge) ? Math.ceil(originalMaxAge / 1000) : absoluteTimeoutSeconds;
  const maxAgeSeconds = Math.min(Math.max(1, wanted), absoluteTimeoutSeconds);
  return [serializeSessionCookie(token, { name: cookieName, insecureLocalhost, maxAgeSeconds })];
}
