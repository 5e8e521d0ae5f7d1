// SPDX-License-Identifier: Apache-2.0
/** Verifies signed sessions by their cookies, for those who read them and for the authorizer that admits them. */
import { createHash } from 'node:crypto';
import { type OptionNames, refuseUnknownOptions } from '../../known-options';
import { SessionStoreError } from '../../session/errors';
import type { CookieValues, LegacySource } from '../../session/legacy-source';
import { COOKIE_NAME_HINT, requireLegacyOptions } from '../legacy-cookie';
import { type LoadedSecrets, type Secrets, useSecrets } from '../secrets';
import { parseCookieData } from './cookie-data';
import { secretsOf } from './cookie-signature';
import { clearedCookies, requireSignedCookieNames, type SignedCookieNames } from './signed-session-cookies';
import { type SignedCookieSession, verifySignedCookie } from './verify-signed-cookie';

/** What a signed session must agree with beside its signature and dates. */
export interface SignedSessionRules {
  readonly cookieName: string;
  readonly keys: LoadedSecrets;
  readonly epoch: string | undefined;
}

/** Names in the cookie that are not the application's. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['id', 'user', 'iat', 'exp', 'epoch']);

/** `undefined` unless the cookies hold a session that is signed, of this epoch and not over. */
export function verifySignedSession(
  { cookieName, keys, epoch }: SignedSessionRules,
  cookies: CookieValues,
  now: number,
): SignedCookieSession | undefined {
  const value = cookies[cookieName];
  const signature = cookies[`${cookieName}.sig`];
  const session = verifySignedCookie({ name: cookieName, value, signature, keys: keys.current(), now });
  // Of another epoch, or of none where there is one: a new epoch ends them all.
  return session === null || session.data.epoch !== epoch ? undefined : session;
}

/**
 * The id in the cookie. Applications that sign with cookie-session write none: then it is that of user and beginning, which
 * stay what they are while data and end change. Two logins of a user within one second are one there.
 */
export function loginId({ data, user, issuedAt }: SignedCookieSession): string {
  if (typeof data.id === 'string' && data.id !== '') return data.id;
  return createHash('sha256').update(`${user} ${issuedAt}`).digest().subarray(0, ID_BYTES).toString('base64url');
}

export const ID_BYTES = 16;

/** The application's own data in the cookie. */
export function ownData(content: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(content).filter(([name]) => !RESERVED_NAMES.has(name)));
}

export type SessionsValidAfter = (user: string) => Promise<number | undefined>;

/**
 * Whether the session was issued before the user's line; one of the same second lives.
 * @throws SessionStoreError if the line is no time: what should be checked and cannot be is no reason to let in
 */
export async function isBeforeLine(
  session: { readonly user: string; readonly issuedAt: number },
  sessionsValidAfter: SessionsValidAfter | undefined,
): Promise<boolean> {
  const line = await sessionsValidAfter?.(session.user);
  if (line === undefined) return false;
  if (!Number.isSafeInteger(line)) throw new SessionStoreError('sessionsValidAfter must return whole Unix seconds');
  return session.issuedAt < line;
}

export interface SignedSessionSourceOptions {
  readonly keys: Secrets;
  /** Default `__Host-signed`. */
  readonly cookieName?: string | undefined;
  readonly epoch?: string | undefined;
  readonly sessionsValidAfter?: SessionsValidAfter | undefined;
  /** Name in metrics and claims. Default `signed-session`. */
  readonly sourceName?: string | undefined;
  /**
   * Admit by the cookies alone, without a read (default); or `false` where these sessions move into the table: then what
   * moved in or was logged out is asked for first, and the user's own item. A login moves in once, by its `id`, whatever else
   * of its data changes.
   */
  readonly isStateless?: boolean | undefined;
}

const OPTIONS: OptionNames<SignedSessionSourceOptions> = {
  keys: true,
  cookieName: true,
  epoch: true,
  sessionsValidAfter: true,
  sourceName: true,
  isStateless: true,
};

/**
 * Signed sessions as a source: for `createAuthorizer`, and with `isStateless: false` for `createSessions`, where they move in.
 * @throws ConfigurationError naming the option
 */
export function createSignedSessionSource(options: SignedSessionSourceOptions): LegacySource {
  refuseUnknownOptions(options, OPTIONS, COOKIE_NAME_HINT);
  const {
    cookieName = '__Host-signed',
    sourceName = 'signed-session',
    epoch,
    sessionsValidAfter,
    isStateless = true,
  } = options;
  const names: SignedCookieNames = { cookieName, insecureLocalhost: false };
  requireSignedCookieNames(names);
  requireLegacyOptions(cookieName, sourceName, undefined);
  const keys = useSecrets('keys', options.keys);
  const rules = { cookieName, keys, epoch };

  return {
    name: sourceName,
    cookieNames: [cookieName, `${cookieName}.sig`],
    clearCookies: clearedCookies(names),
    ...(isStateless ? { isStateless } : {}),
    prepare: keys.prepare,
    verify: (cookies, now) =>
      verifySignedSession(rules, cookies, now) === undefined ? undefined : cookies[cookieName],

    async read(id, now) {
      const content = parseCookieData(id);
      const { user, iat, exp } = content ?? {};
      // Verified before; checked again, because this function may be called with anything.
      if (content === undefined || typeof user !== 'string' || typeof iat !== 'number' || typeof exp !== 'number')
        return { refused: 'malformed' };
      if (exp <= now) return { refused: 'expired' };
      if (await isBeforeLine({ user, issuedAt: iat }, sessionsValidAfter)) return { refused: 'beforeLine' };
      return { user, createdAt: iat, expiresAt: exp, isEndFinal: true, data: ownData(content) };
    },

    /** There is nothing to end but in the browser. */
    end: async () => {},

    lastingId: loginIdIn,

    tokenSecrets(id, cookies) {
      const signature = cookies[`${cookieName}.sig`];
      return secretsOf({ name: cookieName, value: id, signature, lastingId: loginIdIn(id) }, keys.current(), 'sha256');
    },
  };
}

/** Each login has its own, and keeps it when the cookie is written anew; cookies of cookie-session itself have none. */
function loginIdIn(value: string): string | undefined {
  const { id, user } = parseCookieData(value) ?? {};
  return typeof id === 'string' && id !== '' ? `${user}\0${id}` : undefined;
}
