// SPDX-License-Identifier: Apache-2.0
/** Writes the two cookies of a signed session: the data, and the signature over name and data. */
import { InvalidInputError } from '../../session/errors';
import { ConfigurationError } from '../../settings';
import { isCookieSized, serializeCookieData } from './cookie-data';
import { signCookie } from './cookie-signature';

export interface SignedCookieNames {
  readonly cookieName: string;
  /** Leaves `Secure` out, for plain HTTP on localhost. */
  readonly insecureLocalhost: boolean;
}

/** RFC 6265bis, section 4.1.1: cookie-name = token of RFC 9110. */
const COOKIE_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/;

/** @throws ConfigurationError naming the option */
export function requireSignedCookieNames({ cookieName, insecureLocalhost }: SignedCookieNames): void {
  if (!COOKIE_NAME.test(cookieName))
    throw new ConfigurationError('cookieName must be 1 to 64 characters that RFC 6265 allows in a cookie name');
  if (insecureLocalhost && process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined)
    throw new ConfigurationError('insecureLocalhost must not be set in a deployed function');
  if (insecureLocalhost && cookieName.startsWith('__'))
    throw new ConfigurationError('cookieName must have no __Host- or __Secure- prefix with insecureLocalhost');
}

/**
 * Set-Cookie values that hand the data out.
 * @throws InvalidInputError for data that does not fit into a cookie
 */
export function signedCookies(
  names: SignedCookieNames,
  data: object,
  key: string,
  maxAgeSeconds: number,
): readonly [string, string] {
  const { cookieName } = names;
  const value = serializeCookieData(data);
  if (!isCookieSized(cookieName, value))
    throw new InvalidInputError(`data makes the cookie ${value.length} bytes; browsers keep 4,096 with its name`);
  const signature = signCookie(cookieName, value, key, 'sha256');
  const attributes = `${attributesOf(names)}; Max-Age=${Math.max(1, maxAgeSeconds)}`;
  return [`${cookieName}=${value}; ${attributes}`, `${cookieName}.sig=${signature}; ${attributes}`];
}

/** The same attributes, or browsers would keep both. */
export function clearedCookies(names: SignedCookieNames): readonly [string, string] {
  const attributes = `${attributesOf(names)}; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`;
  return [`${names.cookieName}=; ${attributes}`, `${names.cookieName}.sig=; ${attributes}`];
}

function attributesOf({ insecureLocalhost }: SignedCookieNames): string {
  return `Path=/; ${insecureLocalhost ? '' : 'Secure; '}HttpOnly; SameSite=Lax`;
}
