// SPDX-License-Identifier: Apache-2.0
/**
 * Sessions without a table: everything is in the cookie, signed. No read, no write, and no way to end one: what a
 * stolen cookie may do, it may do until its end. See docs/signed-sessions.md for when that is good enough.
 */
import { randomBytes as systemRandomBytes } from 'node:crypto';
import { type OptionNames, refuseUnknownOptions } from '../../known-options';
import { isPlainRecord } from '../../session/attribute';
import { csrfToken } from '../../session/csrf-token';
import { InvalidInputError } from '../../session/errors';
import { serializeData } from '../../session/lifecycle/session-data';
import { legacyCookieValues } from '../../session/migration/legacy-visit';
import { cookieLinesOf } from '../../session/request';
import type { RandomBytes } from '../../session/token';
import { isUserId } from '../../session/validate-session-item';
import { ConfigurationError, MAX_LIFETIME_SECONDS } from '../../settings';
import { isSameSignature, type Secrets, useSecrets } from '../secrets';
import { clearedCookies, requireSignedCookieNames, signedCookies } from './signed-session-cookies';
import {
  ID_BYTES,
  isBeforeLine,
  loginId,
  ownData,
  RESERVED_NAMES,
  type SessionsValidAfter,
  verifySignedSession,
} from './signed-session-source';

export interface SignedSessionsOptions {
  /**
   * All verify, the first signs. `createSecrets` loads and refreshes them, so that a key is rotated without a deployment:
   * append the new one, wait until every function has it, and only then move it to the front.
   */
  readonly keys: Secrets;
  /** Default `__Host-signed`; the signature is in the cookie `<cookieName>.sig`. */
  readonly cookieName?: string | undefined;
  /** How long a session lives from its login; nothing prolongs it. 1 to 400 days in seconds. Default 12 hours. */
  readonly lifetimeSeconds?: number | undefined;
  /** 1 to 64 characters; a new value ends every session at once. Default none. */
  readonly epoch?: string | undefined;
  /**
   * The user's "sessions valid after" line in Unix seconds, from your own user record; `undefined` where there is none. A
   * session issued before it is over, one of the same second lives. Costs whatever you read. Default: no line, and no read.
   */
  readonly sessionsValidAfter?: SessionsValidAfter | undefined;
  /** Plain HTTP on localhost. Default false. */
  readonly insecureLocalhost?: boolean | undefined;
  /** Unix seconds; fractions are cut off. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
  /** Default: the system's cryptographically secure source. */
  readonly randomBytes?: RandomBytes | undefined;
}

const OPTIONS: OptionNames<SignedSessionsOptions> = {
  keys: true,
  cookieName: true,
  lifetimeSeconds: true,
  epoch: true,
  sessionsValidAfter: true,
  insecureLocalhost: true,
  now: true,
  randomBytes: true,
};

/** Times are Unix seconds. `data` is yours to change; `write` puts it into the answer. The user can read it. All else is fixed. */
export interface SignedSession<Data = Record<string, unknown>> {
  /** Tells logins apart, in logs too; proves nothing. Of a cookie that cookie-session wrote without one: derived from user and `iat`. */
  readonly id: string;
  readonly user: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  data: Data;
  /** For pages in browsers without `Sec-Fetch-Site`; changes when the cookie is written anew. */
  readonly csrfToken: string;
  /** True: signed with an older key; `write` it into the answer, so that the key can go. */
  readonly isDueForWriting: boolean;
}

export interface SignedSessions<Data> {
  /** Login. Returns the Set-Cookie values; answer with `Cache-Control: no-store`. */
  create(input: { readonly user: string; readonly data?: Data }): Promise<readonly string[]>;
  /** The session of a Cookie header or event, else `null`. No read, but for `sessionsValidAfter`. */
  read(request: unknown): Promise<SignedSession<Data> | null>;
  /**
   * Set-Cookie values for the session with its data as they are now: same user, id and dates as were read, signed with the
   * first key.
   * @throws InvalidInputError for an object that `read` did not return, such as a copy
   */
  write(session: SignedSession<Data>): Promise<readonly string[]>;
  /** Logout, in this browser: Set-Cookie values that make it drop the cookies. A copy of them stays good. */
  readonly clearCookies: readonly string[];
  verifyCsrf(session: SignedSession<Data>, presented: unknown): boolean;
}

type SignedContent<Data> = Pick<SignedSession<Data>, 'id' | 'user' | 'issuedAt' | 'expiresAt' | 'data'>;

/** @throws ConfigurationError naming the option */
export function createSignedSessions<Data extends object = Record<string, unknown>>(
  options: SignedSessionsOptions,
): SignedSessions<Data> {
  refuseUnknownOptions(options, OPTIONS, {
    name: "the cookie's name is cookieName",
    maxAge: 'in seconds, as lifetimeSeconds',
  });
  const {
    cookieName = '__Host-signed',
    lifetimeSeconds = 43_200,
    epoch,
    sessionsValidAfter,
    insecureLocalhost = false,
    now: clock = () => Date.now() / 1000,
    randomBytes = systemRandomBytes,
  } = options;
  const names = { cookieName, insecureLocalhost };
  requireSignedCookieNames(names);
  if (!Number.isSafeInteger(lifetimeSeconds) || lifetimeSeconds < 1 || lifetimeSeconds > MAX_LIFETIME_SECONDS)
    throw new ConfigurationError('lifetimeSeconds must be a whole number from 1 to 400 days');
  if (epoch !== undefined && !/^[A-Za-z0-9._-]{1,64}$/.test(epoch))
    throw new ConfigurationError('epoch must be 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen');
  const keys = useSecrets('keys', options.keys);
  const rules = { cookieName, keys, epoch };

  /** Objects that were made here of cookies that were verified; what they say beside the data cannot be changed. */
  const known = new WeakSet<object>();

  function now(): number {
    const value: unknown = clock();
    const seconds = typeof value === 'number' ? Math.floor(value) : Number.NaN;
    // Without a clock nothing would ever be over.
    if (!Number.isSafeInteger(seconds)) throw new ConfigurationError('now must return Unix seconds');
    return seconds;
  }

  /** A list that was checked is not empty; an empty key would be anybody's. */
  function signingKey(): string {
    const [key] = keys.current();
    if (!key) throw new ConfigurationError('keys must hold at least one secret');
    return key;
  }

  async function sign({ id, user, issuedAt, expiresAt, data }: SignedContent<Data>): Promise<readonly string[]> {
    await keys.prepare();
    // A list or a text would become an object of its parts.
    if (!isPlainRecord(data)) throw new InvalidInputError('data must be an object of names and values');
    // Refuses what JSON would silently change.
    serializeData(data);
    const reserved = Object.keys(data).find((name) => RESERVED_NAMES.has(name));
    if (reserved !== undefined) throw new InvalidInputError(`data must not have a property named ${reserved}`);
    const content = {
      ...data,
      id,
      user,
      iat: issuedAt,
      exp: expiresAt,
      ...(epoch === undefined ? {} : { epoch }),
    };
    return signedCookies(names, content, signingKey(), expiresAt - now());
  }

  return {
    async create({ user, data = {} as Data }) {
      if (!isUserId(user))
        throw new InvalidInputError('user must be 1 to 128 visible ASCII characters, without spaces');
      const id = Buffer.from(randomBytes(ID_BYTES)).toString('base64url');
      const issuedAt = now();
      return sign({ id, user, issuedAt, expiresAt: issuedAt + lifetimeSeconds, data });
    },

    async read(request) {
      const lines = cookieLinesOf(request);
      const cookies = legacyCookieValues(lines, [cookieName, `${cookieName}.sig`]);
      if (Object.keys(cookies).length === 0) return null;
      await keys.prepare();
      const verified = verifySignedSession(rules, cookies, now());
      if (verified === undefined || (await isBeforeLine(verified, sessionsValidAfter))) return null;
      const session = fixed(ownData(verified.data) as Data, {
        id: loginId(verified),
        user: verified.user,
        issuedAt: verified.issuedAt,
        expiresAt: verified.expiresAt,
        csrfToken: csrfToken(cookies[`${cookieName}.sig`] ?? ''),
        isDueForWriting: !verified.isSignedWithFirstKey,
      });
      known.add(session);
      return session;
    },

    async write(session) {
      if (!known.has(session))
        throw new InvalidInputError('session must be an object that read returned, not a copy of it');
      return sign(session);
    },

    clearCookies: clearedCookies(names),
    verifyCsrf: (session, presented) => typeof presented === 'string' && isSameSignature(presented, session.csrfToken),
  };
}

/** Everything but the data is signed as it is: merging a request's body into a session must not change who it is. */
function fixed<Data>(data: Data, properties: Omit<SignedSession<Data>, 'data'>): SignedSession<Data> {
  const session = { data } as SignedSession<Data>;
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(session, name, { value, enumerable: true });
  return session;
}
