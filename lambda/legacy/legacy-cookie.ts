// SPDX-License-Identifier: Apache-2.0
/** Options that every source has: its name, its cut-off date, and how its cookies were set. */
import type { OptionNames } from '../known-options';
import { requireCookieName, requireCookieScope, requireSourceName, requireTime } from '../legacy-settings';

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

export const LEGACY_COOKIE_OPTIONS: OptionNames<LegacyCookieOptions> = {
  sourceName: true,
  cookiePath: true,
  cookieDomain: true,
  acceptUntil: true,
};

/** The older systems' own option for it, which stands in every example of theirs. */
export const COOKIE_NAME_HINT = { name: "the cookie's name is cookieName" };

/**
 * Set-Cookie values that make a browser drop the cookies: only the same name, Path and Domain reach them.
 * @throws ConfigurationError naming the option
 */
export function clearingCookies(names: readonly string[], options: LegacyCookieOptions): readonly string[] {
  const { cookiePath = '/', cookieDomain } = options;
  requireCookieScope(cookiePath, cookieDomain);
  const domain = cookieDomain === undefined ? '' : `; Domain=${cookieDomain}`;
  return names.map(
    (name) =>
      // Browsers drop a Set-Cookie of these prefixes without Secure (RFC 6265bis, section 4.1.3).
      `${name}=; Path=${cookiePath}${domain}; ${/^__(?:host|secure)-/i.test(name) ? 'Secure; ' : ''}HttpOnly; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`,
  );
}

/** @throws ConfigurationError naming the option */
export function requireLegacyOptions(cookieName: unknown, sourceName: unknown, acceptUntil: unknown): void {
  requireCookieName(cookieName);
  requireSourceName(sourceName);
  if (acceptUntil !== undefined) requireTime('acceptUntil', acceptUntil);
}
