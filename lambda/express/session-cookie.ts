// SPDX-License-Identifier: Apache-2.0
/**
 * One cookie for Express and the gateway: the session cookie of this library, with the bare token. express-session wants a
 * signed cookie of its own, so the token it finds is signed on the way in, and what it sets is written anew on the way out.
 * The signed spelling never leaves the process; it proves nothing, and need not: the token is the secret.
 */
import { createHmac } from 'node:crypto';
import type session from 'express-session';
import { serializeSessionCookie } from '../session/cookie-writer';
import type { Sessions } from '../session/sessions';
import type { StoredData } from './express-data';

export type Handler = ReturnType<typeof session>;
export type Request = Parameters<Handler>[0];
type Response = Parameters<Handler>[1];

/** How express-session was told to name and sign its cookie. */
export interface InnerCookie {
  readonly name: string;
  readonly secret: string;
}

/** `handler` is express-session's. */
export function withSessionCookie(sessions: Sessions<StoredData>, inner: InnerCookie, handler: Handler): Handler {
  return (request, response, next) => {
    // Mounted twice: the session is there already, and so is the translation of its cookie.
    if (request.session !== undefined) return next();
    const header = request.headers.cookie;
    const token = header === undefined ? null : sessions.tokenFrom(header);
    let hadSession = false;
    // `destroy` takes the session from the request; one that could not be read was never there.
    const hasEnded = (): boolean => hadSession && request.session === undefined;
    translateCookies(sessions, inner.name, hasEnded, request, response);
    if (token === null) return handler(request, response, next);
    // In front: of two cookies of one name express-session takes the first.
    request.headers.cookie = `${inner.name}=${sign(token, inner.secret)}; ${header}`;
    const restore = (): void => {
      request.headers.cookie = header;
    };
    handler(request, response, (failure?: unknown) => {
      restore();
      hadSession = request.session !== undefined;
      next(failure);
    });
    restore();
  };
}

function sign(token: string, secret: string): string {
  const signature = createHmac('sha256', secret).update(token).digest('base64').replace(/=+$/, '');
  return encodeURIComponent(`s:${token}.${signature}`);
}

/**
 * Just before the headers leave. express-session hooks itself in later than this, and is therefore done by then.
 * Whatever concerns the cookie must not be cached, and a session that this request ended takes its cookie along.
 */
function translateCookies(
  sessions: Sessions<StoredData>,
  innerName: string,
  hasEnded: () => boolean,
  request: Request,
  response: Response,
): void {
  const writeHead = response.writeHead;
  response.writeHead = function (this: Response, ...head: Parameters<typeof writeHead>) {
    const setCookies = [response.getHeader('Set-Cookie') ?? []].flat().map(String);
    const others = setCookies.filter((setCookie) => !setCookie.startsWith(`${innerName}=`));
    const isSet = others.length < setCookies.length;
    if (isSet || hasEnded()) {
      response.setHeader('Set-Cookie', [...others, isSet ? sessionCookie(sessions, request) : sessions.clearCookie]);
      response.setHeader('Cache-Control', 'no-store');
    }
    return writeHead.apply(this, head);
  } as typeof writeHead;
}

/** As long as `cookie.maxAge` says; without it as long as a session can last. */
function sessionCookie({ settings }: Sessions<StoredData>, { session: current, sessionID }: Request): string {
  const { absoluteTimeoutSeconds, cookieName, insecureLocalhost } = settings;
  const { originalMaxAge } = current.cookie;
  const wanted = typeof originalMaxAge === 'number' ? Math.ceil(originalMaxAge / 1000) : absoluteTimeoutSeconds;
  const maxAgeSeconds = Math.min(Math.max(1, wanted), absoluteTimeoutSeconds);
  return serializeSessionCookie(sessionID, { name: cookieName, insecureLocalhost, maxAgeSeconds });
}
