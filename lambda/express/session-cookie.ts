// SPDX-License-Identifier: Apache-2.0
/**
 * One cookie for Express and the gateway: the session cookie of this library, with the bare token. express-session wants a
 * signed cookie of its own, with its session ID. So it finds the signed hash of the token on the way in, and what it sets is
 * written anew on the way out: its cookie never leaves the process, and the token is in nothing that Express shows or logs.
 */
import { createHmac } from 'node:crypto';
import type session from 'express-session';
import { serializeSessionCookie } from '../session/cookie-writer';
import { safeRedirectPath } from '../session/redirect';
import type { Sessions } from '../session/sessions';
import type { StoredData } from './express-data';

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
  served(request: Request, response: Response): void;
  /** Throws for data of an older system's session that Express could not work with; nothing was written by then. */
  requireArriving(user: string, data: unknown): void;
}

/** How express-session was told to name and sign its cookie. */
export interface InnerCookie {
  readonly name: string;
  readonly secret: string;
}

/** `handler` is express-session's. */
export function withSessionCookie(parts: CookieParts, inner: InnerCookie, handler: Handler): Handler {
  const { sessions } = parts;
  const run = (token: string | null, ...[request, response, next]: Parameters<Handler>): void => {
    let hadSession = false;
    // `destroy` takes the session from the request, a refused login its ID; a session that could not be read was never there.
    const isLeftWithout = (): boolean =>
      hadSession && (request.session === undefined || request.sessionID === undefined);
    translateCookies(parts, inner.name, isLeftWithout, request, response);
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
      hadSession = token !== null && request.session !== undefined;
      parts.served(request, response);
      next(failure);
    });
    restore();
  };

  return (request, response, next) => {
    const header = request.headers.cookie;
    // Mounted twice: the session is there already, and so is the translation of its cookie.
    if (request.session !== undefined) return next();
    if (header === undefined) return run(null, request, response, next);
    if (sessions.legacy === undefined) return run(sessions.tokenFrom(header), request, response, next);
    arrive(parts, header, response).then((token) => {
      const sameAgain = token === LATE ? safeRedirectPath(request.originalUrl) : null;
      if (sameAgain !== null) response.writeHead(307, { Location: sameAgain, 'Cache-Control': 'no-store' }).end();
      else run(token === LATE ? null : token, request, response, next);
    }, next);
  };
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
  response: Response,
): Promise<string | typeof LATE | null> {
  const request = { headers: { cookie: header } };
  const session = await sessions.read(request);
  const arrival = await sessions.legacy?.arrive(request, session, requireArriving);
  const moved = arrival?.moved ?? undefined;
  if (moved === undefined && arrival !== undefined && arrival.session !== session) return LATE;
  const setCookies = [...(moved === undefined ? [] : [moved.setCookie]), ...(arrival?.clearCookies ?? [])];
  if (setCookies.length > 0) {
    response.appendHeader('Set-Cookie', setCookies);
    response.setHeader('Cache-Control', 'no-store');
  }
  return moved?.token ?? sessions.tokenFrom(header);
}

function sign(sessionId: string, secret: string): string {
  const signature = createHmac('sha256', secret).update(sessionId).digest('base64').replace(/=+$/, '');
  return encodeURIComponent(`s:${sessionId}.${signature}`);
}

/**
 * Just before the headers leave. express-session hooks itself in later than this, and is therefore done by then.
 * Whatever concerns the cookie must not be cached, and a session that this request ended takes its cookie along.
 */
function translateCookies(
  parts: CookieParts,
  innerName: string,
  isLeftWithout: () => boolean,
  request: Request,
  response: Response,
): void {
  const { sessions } = parts;
  const writeHead = response.writeHead;
  response.writeHead = function (this: Response, ...head: Parameters<typeof writeHead>) {
    const setCookies = [response.getHeader('Set-Cookie') ?? []].flat().map(String);
    const isSet = setCookies.some((setCookie) => setCookie.startsWith(`${innerName}=`));
    if (isSet || isLeftWithout()) {
      // That of a session which moved in with this request and was replaced or ended by it goes, too.
      const replaced = [`${innerName}=`, `${sessions.settings.cookieName}=`];
      const others = setCookies.filter((setCookie) => !replaced.some((start) => setCookie.startsWith(start)));
      response.setHeader('Set-Cookie', [
        ...others,
        ...(isSet ? sessionCookie(parts, request) : [sessions.clearCookie]),
      ]);
      response.setHeader('Cache-Control', 'no-store');
    }
    return writeHead.apply(this, head);
  } as typeof writeHead;
}

/** As long as `cookie.maxAge` says; without it as long as a session can last. None for a session that is not the store's. */
function sessionCookie({ sessions, tokenOf }: CookieParts, request: Request): readonly string[] {
  const { absoluteTimeoutSeconds, cookieName, insecureLocalhost } = sessions.settings;
  const token = tokenOf(request);
  if (token === undefined) return [];
  const { originalMaxAge } = request.session.cookie;
  const wanted = typeof originalMaxAge === 'number' ? Math.ceil(originalMaxAge / 1000) : absoluteTimeoutSeconds;
  const maxAgeSeconds = Math.min(Math.max(1, wanted), absoluteTimeoutSeconds);
  return [serializeSessionCookie(token, { name: cookieName, insecureLocalhost, maxAgeSeconds })];
}
