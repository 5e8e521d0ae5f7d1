// SPDX-License-Identifier: Apache-2.0
/** What the session library offers, and what each promise means. */
import type { SessionSettings } from '../settings';
import type { Authentication, CreateInput, IssuedSession } from './lifecycle/create-session';
import type { ListedDevice } from './lifecycle/list-sessions';
import type { PreparedToken } from './lifecycle/prepared-token';
import type { RevokeAllResult } from './lifecycle/revoke-all';
import type { RotateOptions } from './lifecycle/rotate-session';
import type { Session } from './lifecycle/session';
import type { RenewOutcome } from './lifecycle/slide-session';
import type { LockOptions } from './lifecycle/with-lock';
import type { LegacyMigration } from './migration/migration';
import type { OriginDecision } from './origin';

/** A session that was just issued, with the Set-Cookie value that hands its token to the browser. Answer with `Cache-Control: no-store`. */
export interface IssuedCookie<Data> extends IssuedSession<Data> {
  readonly setCookie: string;
}

/** Any session, whatever its data. */
type AnySession = Session<never> | Session<unknown>;

/**
 * The session library. Whatever a client sends gives a value: absent, expired, malformed and revoked sessions are all
 * `null`. Exceptions mean that the store failed (`SessionStoreError`), that the caller is wrong (`ConfigurationError`,
 * `InvalidInputError`), or one of the outcomes named at the method.
 */
export interface Sessions<Data> {
  readonly settings: SessionSettings;

  /** Set-Cookie value that makes the browser drop the cookie. */
  readonly clearCookie: string;

  /** The session token in a Cookie header or event; `null` unless there is exactly one well-formed. No read. */
  tokenFrom(request: unknown): string | null;

  /**
   * Call before the credentials are checked, pass the result to `create`. A log-out-everywhere that comes in between then
   * wins over the login. 1 read. Plain JSON: it may be kept while a second factor is asked for.
   */
  beginAuthentication(user: string): Promise<Authentication>;

  /**
   * Draws a session token for a later `create({ token })`, for frameworks that name a session before they store it. Nothing is
   * written, and nothing answers to the token until then; each serves one `create`.
   */
  prepareToken(): PreparedToken;

  /**
   * Starts a session. Hand the cookie out only if this returns. 2 writes, 1 read, 1 query; 1 read more without
   * `authentication`; with `replaces` the old session is ended once the new one stands (OWASP: renew the session ID after
   * any privilege level change).
   * @throws AuthenticationSupersededError if every session of the user was ended meanwhile
   * @throws UserDisabledError
   * @throws InvalidInputError naming what cannot be stored; nothing was written
   */
  create(input?: CreateInput<Data>): Promise<IssuedCookie<Data>>;

  /** The live session of a Cookie header or event, anonymous ones too; else `null`. 1 consistent read, none without a well-formed cookie. */
  read(request: unknown): Promise<Session<Data> | null>;

  /**
   * Writes the data if it changed, and slides the idle timeout in the same write if that is due. Returns whether anything
   * was written. `session.version` moves on.
   * @throws SessionConflictError if the session changed or ended since it was read
   */
  save(session: Session<Data>): Promise<boolean>;

  /**
   * Runs the function while no other `withLock` on the same session does, wherever that runs. It is given the session as it
   * stands once the lock is held, and its changes to the data are saved when it returns; `session` itself stays as it was.
   * The lock is a lease: a holder that crashed or takes longer loses it, and what it then saves is refused. It orders only
   * those who take it: `save` without it works, and of two that cross one is told. 2 writes, and 1 read for each look at a
   * lock that is held.
   * @throws SessionLockedError after `maxWaitSeconds`; the function did not run
   * @throws SessionConflictError if the session ended (the function did not run), or if the lock was lost or somebody saved
   *   without it before the changes were saved
   */
  withLock<T>(
    session: Session<Data>,
    run: (session: Session<Data>) => T | Promise<T>,
    options?: LockOptions,
  ): Promise<T>;

  /** Slides the idle timeout, at most once per renewal interval. `notDue` costs nothing. */
  renew(session: AnySession): Promise<RenewOutcome>;

  /** A fresh token for the same login, with the stored data; unsaved changes stay on the old object. `null` if the session ended. */
  rotate(session: Session<Data>, options?: RotateOptions): Promise<IssuedCookie<Data> | null>;

  /** Logout: ends the session and whatever it was rotated from or to. Idempotent; an unknown token creates nothing. */
  destroy(target: AnySession | string | null | undefined): Promise<void>;

  /** The devices a user is signed in on, newest first. 1 query and 1 read unit per session. */
  list(user: string, options?: { readonly current?: AnySession | null }): Promise<ListedDevice[]>;

  /** Ends one session of the user; `false` for an id that is unknown, malformed or another user's. */
  revoke(user: string, id: unknown): Promise<boolean>;

  /**
   * Log out everywhere: when it returns, no token issued before is accepted, and no login begun before will be. After an
   * error or a crash call it again; it finishes what is left.
   */
  revokeAll(user: string): Promise<RevokeAllResult>;
  /** The same but for one session, which gets a fresh token; `null` if that session is over, or another device was first. */
  revokeAll(
    user: string,
    options: { readonly except: Session<Data> },
  ): Promise<(IssuedCookie<Data> & RevokeAllResult) | null>;

  /** Log out everywhere and let no login through until `enable`. */
  disable(user: string): Promise<RevokeAllResult>;

  /** Lets the user log in again; `false` if somebody disabled the user anew meanwhile. */
  enable(user: string): Promise<boolean>;

  /**
   * Step-up (OWASP ASVS 7.5): the credentials must have been checked less than so many seconds ago. Check them again, then
   * `rotate(session, { authenticated: true })`.
   * @throws ReauthenticationRequiredError
   */
  requireRecentAuthentication(session: AnySession, withinSeconds: number): void;

  /**
   * Whether a request's origin lets it act with the user's cookie: the check of the settings' `csrf` profile, before any
   * read. `withSession` runs it; call it yourself in login and logout handlers that do not use it (login CSRF).
   */
  checkOrigin(event: unknown): OriginDecision;

  /** The session's anti-CSRF token, for pages in browsers without `Sec-Fetch-Site`. */
  csrfToken(token: string): string;
  /**
   * @param token the session token; `null` if the request has none
   * @param session also accepts the token that this session brought along from an older system, for pages still open
   */
  verifyCsrf(token: string | null, presented: unknown, session?: AnySession | null): boolean;

  /** Sessions of older systems that move in; only with the option `legacy`. */
  readonly legacy?: LegacyMigration<Data>;
}
