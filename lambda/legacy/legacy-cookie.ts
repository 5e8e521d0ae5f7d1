// SPDX-License-Identifier: Apache-2.0
/** Options that every source has: its name, its cut-off date, and how its cookies were set. */
import { ConfigurationError } from '../settings';

export interface LegacyCookieOptions {
  /** Name in metrics and claims: 1 to 64 characters of `a-z 0-9 -`. Give each of several applications its own, and keep it. */
  readonly sourceName?: string | undefined;
  /** Path that the old cookie was set with. Default `/`. */
  readonly cookiePath?: string | undefined;
  /** Domain that the old cookie was set with. Default none. */
  readonly cookieDomain?: string | undefined;
  /** Cut-off date in Unix seconds: from then on no old session is accepted. */
  readonly acceptUntil?: number | undefined;
}

/** RFC 6265bis, section 4.1.1: cookie-name = token; path-value = any character but control characters and `;`. */
const COOKIE_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
const PATH = /^\/[\x20-\x3a\x3c-\x7e]{0,255}$/;
const DOMAIN = /^[A-Za-z0-9.-]{1,253}$/;
const SOURCE_NAME = /^[a-z0-9-]{1,64}$/;

/**
 * Set-Cookie values that make a browser drop the cookies: only the same name, Path and Domain reach them.
 * @throws ConfigurationError naming the option
 */
export function clearingCookies(names: readonly string[], options: LegacyCookieOptions): readonly string[] {
  const { cookiePath = '/', cookieDomain } = options;
  requireThat(PATH.test(cookiePath), 'cookiePath', 'be the path that the old cookie was set with, such as /');
  requireThat(
    cookieDomain === undefined || DOMAIN.test(cookieDomain),
    'cookieDomain',
    'be the domain that the old cookie was set with, such as example.com',
  );
  const domain = cookieDomain === undefined ? '' : `; Domain=${cookieDomain}`;
  return names.map(
    (name) =>
      // Browsers drop a Set-Cookie of these prefixes without Secure (RFC 6265bis, section 4.1.3).
      `${name}=; Path=${cookiePath}${domain}; ${/^__(?:host|secure)-/i.test(name) ? 'Secure; ' : ''}HttpOnly; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`,
  );
}

/** @throws ConfigurationError naming the option */
export function requireLegacyOptions(cookieName: unknown, sourceName: unknown, acceptUntil: unknown): void {
  requireThat(
    typeof cookieName === 'string' && COOKIE_NAME.test(cookieName),
    'cookieName',
    'be 1 to 128 characters that RFC 6265 allows in a cookie name',
  );
  requireThat(
    typeof sourceName === 'string' && SOURCE_NAME.test(sourceName),
    'sourceName',
    'be 1 to 64 characters of a-z, 0-9 and hyphen',
  );
  requireThat(
    acceptUntil === undefined || (Number.isSafeInteger(acceptUntil) && (acceptUntil as number) < 1e11),
    'acceptUntil',
    'be a time in whole Unix seconds',
  );
}

function requireThat(condition: boolean, option: string, rule: string): asserts condition {
  if (!condition) throw new ConfigurationError(`${option} must ${rule}`);
}
