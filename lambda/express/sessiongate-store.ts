// SPDX-License-Identifier: Apache-2.0
/** express-session on Sessiongate: an Express application and an API behind the gateway share one login. */
import { randomBytes } from 'node:crypto';
import session from 'express-session';
import type { Session } from '../session/lifecycle/session';
import { ExpressSessions } from './express-sessions';
import { ExpressStore, HASHES, TOKENS, type Visit } from './express-store';
import { OldSession } from './old-session';
import { type MiddlewareOptions, type SessiongateStoreOptions, validateMiddlewareOptions } from './options';
import { type Handler, type Request, withSessionCookie } from './session-cookie';

/**
 * A store for express-session whose sessions are the library's: hashed at rest, listed by user, ended by `revokeAll`, and
 * admitted by the authorizer. Every write asks that the session is alive: nothing brings one back after logout.
 *
 *     const store = new SessiongateStore({ sessions, user: (data) => data.userId });
 *     app.use(store.middleware());
 *
 * Call `request.session.regenerate` at login (Passport does): a session is given a user only when it is created.
 *
 * Errors reach the callbacks of express-session: `SessionConflictError` if another request saved first or gave the session a
 * fresh token, `InvalidInputError` for a user that changed without `regenerate` or is none, `ConfigurationError` for a login of
 * Passport that `user` does not find, those of `sessions.create`, and `SessionStoreError` where the table fails. What ended
 * meanwhile stays ended, without an error. A session that could not be created gets no cookie, and saving it again fails the
 * same: `regenerate` first.
 */
export class SessiongateStore extends ExpressStore {
  readonly #sessions: ExpressSessions;
  /** By request: the token that came with it. */
  readonly #arrived = new WeakMap<object, string>();

  /** @throws ConfigurationError naming the option */
  constructor(options: SessiongateStoreOptions) {
    const sessions = new ExpressSessions(options);
    super(sessions, TOKENS);
    this.#sessions = sessions;
  }

  /**
   * express-session with this store, in the session cookie that the gateway reads. No secret is needed: the token is one.
   * `request.sessionID` is the session's id in lists, which is no credential. By default unchanged sessions are not saved
   * (`resave`: false), and a new one with nothing in it is neither saved nor handed out (`saveUninitialized`: false), unless
   * `request.session.save(callback)` was called and had called back.
   *
   * It must be the only session middleware of a path, though it may be mounted twice: a request that has another's `request.session`
   * already, from express-session or cookie-session, fails with a `ConfigurationError`.
   *
   * Answers that set or clear the cookie of a session leave with `Cache-Control: no-store`, whatever the route says. A logout that
   * fails clears nothing.
   *
   * Where `sessions` has `legacy`, sessions of older systems move in: `arrive` is called for every request, `end` for
   * `request.session.destroy()`, `replace` for `regenerate()`. One whose user Express would not see fails the request with a
   * `ConfigurationError` before anything is written.
   * @throws ConfigurationError naming the option, also for those of express-session that are decided here
   */
  middleware(options: MiddlewareOptions = {}): Handler {
    validateMiddlewareOptions(options);
    const { sessions, user } = this.#sessions;
    // Neither leaves the process, so that no cookie from outside, signed by whatever else, can name a session by its hash.
    const inner = { name: `sessiongate.${randomBytes(16).toString('hex')}`, secret: randomBytes(32).toString('hex') };
    const { cookie = {}, rolling, resave = false, saveUninitialized = false } = options;
    // With `destroy` express-session would also end the session of a request that could not read it.
    const store = new ExpressStore(this.#sessions, HASHES, cookie.maxAge ?? null);
    const handler = session({ ...inner, cookie, rolling, resave, saveUninitialized, store, unset: 'keep' });
    return withSessionCookie(
      {
        sessions,
        maxAgeMillis: cookie.maxAge,
        idOf: HASHES.idOf,
        tokenOf: (request) => this.#tokenOf(request),
        arrived: (request, token) => this.#arrived.set(request, token),
        served: (request, answer) => {
          const { legacy } = sessions;
          const old = legacy === undefined ? undefined : new OldSession(legacy, request, answer);
          const visit: Visit = { sid: request.sessionID, old, hasFailedToEnd: false };
          request.sessionStore = store.during(visit);
          return visit;
        },
        abandonIfEmpty: (request) => this.#sessions.abandonIfEmpty(request, saveUninitialized),
        requireArriving: (arriving, data) => user.requireArriving(arriving, data),
      },
      inner,
      handler,
    );
  }

  /** The session behind Express's own: its user, its times, its id in lists. `undefined` until it was saved. */
  sessionOf(expressSession: object): Session | undefined {
    return this.#sessions.knownAs(expressSession);
  }

  /**
   * The anti-CSRF token for the pages of this request's session, which changes with every login; `null` where the middleware
   * did not run. Costs no read.
   */
  csrfToken(request: Request): string | null {
    const token = this.#tokenOf(request);
    return token === undefined ? null : this.#sessions.sessions.csrfToken(token);
  }

  /** Whether the page that sent this request had the token of its session. */
  verifyCsrf(request: Request, presented: unknown): boolean {
    const token = this.#tokenOf(request);
    const known = this.sessionOf(request.session);
    return this.#sessions.sessions.verifyCsrf(token ?? null, presented, known);
  }

  /** The session's own token: the one that came, or the one that was drawn since. */
  #tokenOf(request: Request): string | undefined {
    return [this.#sessions.started.preparedToken(request), this.#arrived.get(request)].find(
      (token) => token !== undefined && HASHES.idOf(token) === request.sessionID,
    );
  }
}
