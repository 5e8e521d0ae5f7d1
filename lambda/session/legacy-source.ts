// SPDX-License-Identifier: Apache-2.0
/**
 * What an older session system must answer so that its users stay logged in while a team moves over. Implementations are
 * in `lambda/legacy`; the authorizer admits by them read-only, the library migrates.
 */

/** Values of the cookies a source asked for, by name; only those that the request has exactly once. */
export type CookieValues = Readonly<Record<string, string | undefined>>;

/** A live session of the older system. Times are Unix seconds. */
export interface LegacySession {
  /** Principal: 1 to 128 characters of `[\x21-\x7e]`; anything else is refused. */
  readonly user: string;
  /** When the login began; 0 if the older system does not say. */
  readonly createdAt: number;
  /** When it ends; a session that has ended, or has no end, is not returned. */
  readonly expiresAt: number;
  /**
   * Nothing prolongs it, in the older system or here: a cut-off date, or an end that was signed. Absent: each use prolongs it,
   * as in express-session and PHP, and the idle timeout of the settings goes on from there.
   */
  readonly isEndFinal?: boolean;
  /** Session data to carry over. */
  readonly data?: unknown;
  /** Token that pages already open will send, so that they keep working after the migration. */
  readonly csrfToken?: string;
}

/**
 * Why the older system has no session that may be used. `absent`: none, or it was ended; `anonymous`: it has no user;
 * `malformed`: its user, its times or its data cannot be read; `beforeLine`: it began at or before the user's "valid after" line.
 */
export interface LegacyRefusal {
  readonly refused: 'absent' | 'expired' | 'anonymous' | 'malformed' | 'beforeLine';
}

export interface LegacySource {
  /** Short name for metrics and the keys of claim items, such as `express-session`. */
  readonly name: string;

  /** Which cookies the source wants; a request that has one of them twice is not shown to it. */
  readonly cookieNames: readonly string[];

  /** Set-Cookie values that make a browser drop those cookies. Absent: they stay until they expire. */
  readonly clearCookies?: readonly string[];

  /**
   * Cut-off date in Unix seconds: from then on `verify` refuses everything, and nothing has to be remembered of what moved
   * in. Absent: what moved in is remembered for 400 days, longer than any cookie lives.
   */
  readonly acceptUntil?: number;

  /**
   * The cookies are all there is of these sessions, and they do not move in: the authorizer admits them without a read, and
   * log-out-everywhere does not reach them. Absent: claim and user item are asked first.
   */
  readonly isStateless?: boolean;

  /** Called before `verify`; loads what that needs, such as keys, and is cheap while they are fresh. Absent: nothing to load. */
  prepare?(): Promise<void>;

  /**
   * The session's id in the older system if the cookies prove it: signature, grammar, cut-off date. Before any read, pure,
   * never throws; `undefined` refuses. What it returns is a credential: it appears in no log and no error.
   * @param now Unix seconds
   */
  verify(cookies: CookieValues, now: number): string | undefined;

  /**
   * The session, or why there is none that may be used; `undefined` is `absent`. An unknown beginning is 0, which any line
   * ends. Writes nothing. Rejects with a `SessionStoreError` when the older system cannot be asked.
   */
  read(id: string, now: number): Promise<LegacySession | LegacyRefusal | undefined>;

  /** Ends the session in the older system; idempotent. Called only after the new cookie has come back, or at logout. */
  end(id: string): Promise<void>;

  /**
   * What stays the same where the id does not, because the cookie's value is the id and changes with the data: one login is
   * moved in once by it. `undefined` where this session has none. Absent: the id stays.
   */
  lastingId?(id: string): string | undefined;

  /**
   * Secrets of this session that its cookie shows and that are in no table, such as its signature under each key; the
   * token that it gets when it moves in is derived from one of them and a random number. The first is preferred, and should
   * be the one that the cookies show, as whoever accepts them knows its key; the others find what an earlier request began.
   * Absent: the id itself, because nothing signed it.
   */
  tokenSecrets?(id: string, cookies: CookieValues): readonly string[];
}
