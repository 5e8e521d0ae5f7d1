// SPDX-License-Identifier: Apache-2.0
/** What the store and its middleware may be told, and what they must not. */
import type { CookieOptions, SessionData, SessionOptions } from 'express-session';
import { type OptionNames, refuseUnknownOptions } from '../known-options';
import { ConfigurationError } from '../session/errors';
import type { CreateInput } from '../session/lifecycle/create-session';
import type { Sessions } from '../session/sessions';
import { isAgeMillis } from './cookie-age';
import type { StoredData } from './express-data';
import type { Request } from './session-cookie';

/** As Passport keeps it, unless the application says in its own `SessionData` what it keeps there. */
export type WithPassport<Data> = Partial<Data> &
  ('passport' extends keyof Data ? unknown : { passport?: { user?: string | number } });

/**
 * The data of a session as the application knows it: what it declares in `SessionData`, and `passport.user` as Passport keeps it
 * unless it declares that itself.
 */
export type ExpressData = StoredData & WithPassport<SessionData>;

/** What a login may bring along besides its data; see `sessions.create`. */
export type LoginDetails = Pick<CreateInput<never>, 'authentication' | 'claims' | 'device' | 'userRecordKey'>;

export interface SessiongateStoreOptions {
  /**
   * From `createSessions()`, whatever type the data have there. Its settings decide when a session ends, for Express as for the
   * gateway.
   */
  readonly sessions: Sessions<object>;
  /**
   * Whose session it is, by its data: 1 to 128 visible ASCII characters, or a whole number above 0, which is taken as its digits;
   * `undefined` or `null` before login, which never authorizes. With Passport: `(data) => data.passport?.user`. Data with text or a
   * number in `passport.user` for which it returns `undefined` are not saved: that is a `ConfigurationError`. `null` saves them as nobody's.
   */
  readonly user: (data: ExpressData) => string | number | null | undefined;
  /**
   * The other way round: writes the user into the data of a session that another handler started or that moved in, so that `user`
   * finds it. With Passport: `(data, user) => { data.passport = { user }; }`. Called where `user` finds anything else than the
   * session's user; stored with the next change. If `user` still does not find it, the request fails with a
   * `ConfigurationError`. Default: such sessions are seen as they are, logged in only if their data say so.
   */
  readonly setUser?: ((data: ExpressData, user: string) => void) | undefined;
  /**
   * What else the session of a login gets, such as claims, or the `authentication` that its handler began. Default: nothing. Without
   * `authentication`, a session of the user whom the request came with loses to a log-out-everywhere since the request was read.
   */
  readonly login?: ((data: ExpressData, request: Request) => LoginDetails) | undefined;
}

/** What the application may still say to express-session; the rest is this store's. */
export interface MiddlewareOptions extends Pick<SessionOptions, 'resave' | 'rolling' | 'saveUninitialized'> {
  /** `maxAge`: how many milliseconds the browser keeps the cookie. Default: until the absolute timeout. */
  readonly cookie?: Pick<CookieOptions, 'maxAge'> | undefined;
}

const STORE_OPTIONS: OptionNames<SessiongateStoreOptions> = { sessions: true, user: true, setUser: true, login: true };

/** @throws ConfigurationError naming the option */
export function validateStoreOptions(options: SessiongateStoreOptions): void {
  refuseUnknownOptions(options, STORE_OPTIONS);
  const { user, setUser, login } = options;
  if (typeof user !== 'function')
    throw new ConfigurationError('user must be a function that tells whose session it is, by its data');
  for (const [option, value] of Object.entries({ setUser, login }))
    if (value !== undefined && typeof value !== 'function')
      throw new ConfigurationError(`${option} must be a function`);
}

const MIDDLEWARE_OPTIONS: OptionNames<MiddlewareOptions> = {
  resave: true,
  rolling: true,
  saveUninitialized: true,
  cookie: true,
};

/** Options of express-session, and why the middleware takes none of them. */
const DECIDED_HERE: Readonly<Record<string, string>> = {
  secret: 'decided here: a session token needs no signature',
  name: 'decided here: cookieName of createSessions names the cookie',
  key: 'decided here: cookieName of createSessions names the cookie',
  store: 'decided here: it is the one whose middleware this is',
  genid: 'decided here: the library draws the session tokens',
  unset: 'decided here: request.session.destroy() ends a session, and nothing else',
  proxy: 'decided here: the cookie is Secure whatever stands in front',
};

const ATTRIBUTES = 'decided here: the cookie is Secure, HttpOnly, SameSite=Lax and Path=/, without Domain';
const COOKIE_DECIDED_HERE: Readonly<Record<string, string>> = {
  'cookie.secure': `${ATTRIBUTES}; insecureLocalhost of createSessions leaves Secure out`,
  'cookie.expires': 'decided here: cookie.maxAge says how long the browser keeps the cookie',
  ...Object.fromEntries(
    ['domain', 'encode', 'httpOnly', 'partitioned', 'path', 'priority', 'sameSite', 'signed'].map((attribute) => [
      `cookie.${attribute}`,
      ATTRIBUTES,
    ]),
  ),
};

/** @throws ConfigurationError naming the option */
export function validateMiddlewareOptions(options: MiddlewareOptions): void {
  refuseUnknownOptions(options, MIDDLEWARE_OPTIONS, DECIDED_HERE);
  const { cookie = {} } = options;
  // express-session also takes a function here.
  if (typeof cookie !== 'object' || cookie === null)
    throw new ConfigurationError('cookie must be an object with maxAge');
  const named = Object.fromEntries(Object.entries(cookie).map(([name, value]) => [`cookie.${name}`, value]));
  refuseUnknownOptions(named, { 'cookie.maxAge': true }, COOKIE_DECIDED_HERE);
  const { maxAge = null } = cookie;
  if (maxAge !== null && !(isAgeMillis(maxAge) && maxAge > 0))
    throw new ConfigurationError('cookie.maxAge must be a number of milliseconds above 0');
}
