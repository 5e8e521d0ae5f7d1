// SPDX-License-Identifier: Apache-2.0
/** Sessions of `cookie-session`, which are nothing but signed cookies, as a source to move in from. */
import { type OptionNames, refuseUnknownOptions } from '../../known-options';
import type { LegacySource } from '../../session/legacy-source';
import { ConfigurationError } from '../../settings';
import {
  COOKIE_NAME_HINT,
  clearingCookies,
  LEGACY_COOKIE_OPTIONS,
  type LegacyCookieOptions,
  requireLegacyOptions,
} from '../legacy-cookie';
import type { DataPath } from '../php/read-php-item';
import { type Secrets, useSecrets } from '../secrets';
import {
  readLogin,
  requireDataPaths,
  SESSION_DATA_PATHS,
  type SessionDataPaths,
  userAt,
  valueAt,
} from '../session-data';
import { isCookieSized, parseCookieData } from './cookie-data';
import { findSigningKey, requireAlgorithm, type SignatureAlgorithm, secretsOf } from './cookie-signature';

export interface CookieSessionSourceOptions extends LegacyCookieOptions, SessionDataPaths {
  /** The option `keys` of `cookie-session`, or those given to its Keygrip. */
  readonly keys: Secrets;
  /** Default `sha1`, as in `cookie-session`; what was given to its Keygrip otherwise. */
  readonly algorithm?: SignatureAlgorithm | undefined;
  /** The option `name` of `cookie-session`. Default `session`. */
  readonly cookieName?: string | undefined;
  /**
   * Where the data hold what each login has of its own and keeps, text or a number, such as `id`: a login moves in once by it,
   * and is logged out by it, whatever else of its data changes. Sessions that lack it go by the cookie's value. Default: all
   * do, so that each change of the data makes another session of the older system.
   */
  readonly loginIdPath?: DataPath | undefined;
  /**
   * Cut-off date in Unix seconds, and the end of every session: nothing in the cookie says when it ends, so a stolen one
   * would be good for ever.
   */
  readonly acceptUntil: number;
}

const OPTIONS: OptionNames<CookieSessionSourceOptions> = {
  ...LEGACY_COOKIE_OPTIONS,
  ...SESSION_DATA_PATHS,
  keys: true,
  algorithm: true,
  cookieName: true,
  loginIdPath: true,
};

/**
 * Costs no read. Two browsers whose cookies hold the very same data are one session here, and only the first of them moves
 * in. Data that each login has of its own (`loginIdPath`) tell them apart.
 * @throws ConfigurationError naming the option
 */
export function createCookieSessionSource(options: CookieSessionSourceOptions): LegacySource {
  refuseUnknownOptions(options, OPTIONS, { ...COOKIE_NAME_HINT, secret: 'a list, as keys' });
  requireDataPaths(options, { ...SESSION_DATA_PATHS, loginIdPath: true });
  const {
    loginIdPath,
    cookieName = 'session',
    algorithm = 'sha1',
    sourceName = 'cookie-session',
    acceptUntil,
  } = options;
  requireLegacyOptions(cookieName, sourceName, acceptUntil);
  requireAlgorithm(algorithm);
  if (acceptUntil === undefined)
    throw new ConfigurationError('acceptUntil must be given: the cookies of cookie-session say no end themselves');
  const keys = useSecrets('keys', options.keys);
  const signatureName = `${cookieName}.sig`;

  /** With the user: an id may be older than the login, and must not make one user's cookie another's. */
  function loginIdIn(value: string): string | undefined {
    if (loginIdPath === undefined) return undefined;
    const data = parseCookieData(value);
    const loginId = valueAt(data, loginIdPath);
    if ((typeof loginId !== 'string' || loginId === '') && !Number.isSafeInteger(loginId)) return undefined;
    const user = userAt(data, options);
    return user === undefined ? undefined : `${user}\0${typeof loginId} ${loginId}`;
  }

  return {
    name: sourceName,
    cookieNames: [cookieName, signatureName],
    clearCookies: clearingCookies([cookieName, signatureName], options),
    acceptUntil,
    prepare: keys.prepare,

    verify(cookies, now) {
      const value = cookies[cookieName];
      const signature = cookies[signatureName];
      // Past the cut-off date, or a cookie alone: unsigned ones prove nothing.
      if (now >= acceptUntil || value === undefined || signature === undefined) return undefined;
      if (!isCookieSized(cookieName, value)) return undefined;
      const signed = { name: cookieName, value, signature };
      return findSigningKey(signed, keys.current(), algorithm) === undefined ? undefined : value;
    },

    async read(id, now) {
      const data = parseCookieData(id);
      const login = readLogin(data, options, now);
      if ('refused' in login) return login;
      return now >= acceptUntil ? { refused: 'expired' } : { ...login, expiresAt: acceptUntil, isEndFinal: true, data };
    },

    /** There is nothing to end: the claim remembers that the cookie is worth nothing any more. */
    end: async () => {},

    lastingId: loginIdIn,

    tokenSecrets(id, cookies) {
      const signature = cookies[signatureName];
      return secretsOf({ name: cookieName, value: id, signature, lastingId: loginIdIn(id) }, keys.current(), algorithm);
    },
  };
}
