// SPDX-License-Identifier: Apache-2.0
/**
 * One cookie for Express and the gateway: the session cookie of this library, with the bare token. express-session wants a
 * signed cookie of its own, with its session ID. So it finds the signed hash of the token on the way in, and what it sets is
 * written anew on the way out: its cookie never leaves the process, and the token is in nothing that Express shows or logs.
 */
import { createHmac } from 'node:crypto';
import type session from 'express-session';
import { ConfigurationError } from '../session/errors';
import type { IssuedCookie, Sessions } from '../session/sessions';
import { AnswerCookies } from './answer-cookies';
import type { StoredData } from './express-data';
import type { Visit } from './express-store';
import { askToComeAgain } from './late-request';
import { leavingCookies } from './leaving-cookies';

export type Handler = ReturnType<typeof session>;
export type Request = Parameters<Handler>[0];
export type Response = Parameters<Handler>[1];

/** What stands behind the cookie. */
export interface CookieParts {
  readonly sessions: Sessions<StoredData>;
  /** `cookie.maxAge`. */
  readonly maxAgeMillis: number | null | undefined;
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
    { token, moved }: Arrived,
    answer: AnswerCookies,
    ...[request, response, next]: Parameters<Handler>
  ): void => {
    // Of a request that came with a session: one that could not be read was never there.
    let visit: Visit | undefined;
    answer.onLeaving((setCookies) => leavingCookies(parts, inner.name, { visit, moved }, request, setCookies));
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
    if (header === undefined) return run({ token: null }, answer, request, response, next);
    if (sessions.legacy === undefined)
      return run({ token: sessions.tokenFrom(header) }, answer, request, response, next);
    arrive(parts, header, answer).then((arrived) => {
      if (arrived === LATE) askToComeAgain(sessions, request, response).catch(next);
      else run(arrived, answer, request, response, next);
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

/** The session that a request comes with. */
interface Arrived {
  readonly token: string | null;
  /** Set where it moved in with this very request. */
  readonly moved?: IssuedCookie<StoredData> | undefined;
}

/** The token of the session that the browser has by now, or is about to have, is not known here. */
const LATE = Symbol('late');

/** The session of an older system moves in, as in `withSession`. */
async function arrive(
  { sessions, requireArriving }: CookieParts,
  header: string,
  answer: AnswerCookies,
): Promise<Arrived | typeof LATE> {
  const request = { headers: { cookie: header } };
  const session = await sessions.read(request);
  const arrival = await sessions.legacy?.arrive(request, session, requireArriving);
  const moved = arrival?.moved ?? undefined;
  if (moved === undefined && arrival !== undefined && arrival.session !== session) return LATE;
  answer.clear(arrival?.clearCookies ?? []);
  return { token: moved?.token ?? sessions.tokenFrom(header), moved };
}

function sign(sessionId: string, secret: string): string {
  const signature = createHmac('sha256', secret).update(sessionId).digest('base64').replace(/=+$/, '');
  return encodeURIComponent(`s:${sessionId}.${signature}`);
}
