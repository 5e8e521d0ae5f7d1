// SPDX-License-Identifier: Apache-2.0
/** Writes the session cookie. Strict where the reader is total: a name or token that could add an attribute throws. */
import { ConfigurationError } from '../settings';
import { parseSessionToken } from './token';

export interface SessionCookieOptions {
  readonly name: string;
  /** Whole seconds until the browser drops the cookie; the server never relies on it. Ignored when clearing. */
  readonly maxAgeSeconds?: number;
  /** Leaves `Secure` out, for plain HTTP on localhost. Default false. */
  readonly insecureLocalhost?: boolean;
}

/** RFC 6265bis, section 4.1.1: cookie-name = token of RFC 9110. */
const COOKIE_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * The Set-Cookie value that hands the token to a browser: `Path=/; Secure; HttpOnly; SameSite=Lax`, no Domain, as the
 * `__Host-` prefix wants (RFC 6265bis, section 4.1.3.2). SameSite is always explicit: without it Chrome sends the cookie on
 * cross-site POSTs for two minutes.
 * @throws ConfigurationError for a name or lifetime that cannot stand in the header, TypeError for a malformed token
 */
export function serializeSessionCookie(token: string, options: SessionCookieOptions): string {
  if (parseSessionToken(token) === null) throw new TypeError('not a session token');
  const maxAgeSeconds = options.maxAgeSeconds;
  if (maxAgeSeconds === undefined || !Number.isSafeInteger(maxAgeSeconds) || maxAgeSeconds < 1)
    throw new ConfigurationError('maxAgeSeconds must be a whole number of at least 1');
  return `${start(token, options)}; Max-Age=${maxAgeSeconds}`;
}

/** The Set-Cookie value that makes a browser drop the cookie; same attributes, or browsers would keep both. */
export function clearSessionCookie(options: SessionCookieOptions): string {
  return `${start('', options)}; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`;
}

function start(value: string, { name, insecureLocalhost = false }: SessionCookieOptions): string {
  if (!COOKIE_NAME.test(name)) throw new ConfigurationError('name must be a cookie name (RFC 6265bis, section 4.1.1)');
  if (insecureLocalhost && name.startsWith('__'))
    throw new ConfigurationError('name must have no __Host- or __Secure- prefix with insecureLocalhost');
  return `${name}=${value}; Path=/; ${insecureLocalhost ? '' : 'Secure; '}HttpOnly; SameSite=Lax`;
}
