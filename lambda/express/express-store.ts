// SPDX-License-Identifier: Apache-2.0
/** The face that express-session sees: callbacks, and session IDs in one of two spellings. */
import { Session as ExpressSession, type SessionData, Store } from 'express-session';
import { hashSessionToken, isTokenHash, parseSessionToken } from '../session/token';
import { ignoreOddAge } from './cookie-age';
import type { ExpressSessions } from './express-sessions';
import type { OldSession } from './old-session';
import type { Request } from './session-cookie';

export type Callback<Value> = (failure: unknown, value?: Value) => void;

/** What express-session calls a session. */
export interface SessionIds {
  /** `null` for what is none: an older store's, or made up. */
  hashOf(sid: string): string | null;
  idOf(token: string): string;
}

/** The token itself, as express-session writes it into its own cookie. */
export const TOKENS: SessionIds = {
  hashOf(sid) {
    const token = parseSessionToken(sid);
    return token === null ? null : hashSessionToken(token);
  },
  idOf: (token) => token,
};

/** Its hash, which may be seen. Only where nothing but this package says which session a request has: a hash is no credential. */
export const HASHES: SessionIds = {
  hashOf: (sid) => (isTokenHash(sid) ? sid : null),
  idOf: hashSessionToken,
};

/** One request, as far as it concerns its store. */
export interface Visit {
  /** The session that the request came with. */
  readonly sid: string;
  /** That of an older system, where sessions move in. */
  readonly old: OldSession | undefined;
  /** Whether the store failed to end that session, so that it lives on. */
  hasFailedToEnd: boolean;
}

/** Gives a request a new session. */
type Generate = Express.SessionStore['generate'];

export class ExpressStore extends Store {
  // Not `#private`: `during` makes stores whose prototype is this one.
  private readonly sessions: ExpressSessions;
  private readonly ids: SessionIds;
  private readonly maxAgeMillis: number | null;
  private readonly visit: Visit | undefined;
  /** @internal */
  declare generate: Generate;

  /** @param maxAgeMillis how long the browser keeps the cookie of a session that does not say so itself; `null`: as long as it lasts */
  constructor(sessions: ExpressSessions, ids: SessionIds, maxAgeMillis: number | null = null) {
    super();
    this.sessions = sessions;
    this.ids = ids;
    this.maxAgeMillis = maxAgeMillis;
    let generate: Generate = () => {};
    // express-session puts its own here, which names a session by what `genid` returns, 24 random bytes by default.
    Object.defineProperty(this, 'generate', {
      get: () => generate,
      set: (theirs: Generate) => {
        generate = (request) => {
          theirs(request);
          this.nameByToken(request);
        };
      },
    });
  }

  /** This store for one request. @internal */
  during(visit: Visit): ExpressStore {
    return Object.create(this, { visit: { value: visit } }) as ExpressStore;
  }

  private nameByToken(request: Express.Request): void {
    const { cookie } = request.session;
    request.sessionID = this.ids.idOf(this.sessions.started.prepareToken(request));
    // The ID of Express's session is fixed when it is made.
    request.session = Reflect.construct(ExpressSession, [request, { cookie }]);
    ignoreOddAge(request.session);
  }

  /** `null` if the session is absent, expired or ended. 1 consistent read. */
  override get(sid: string, callback: Callback<SessionData | null>): void {
    const tokenHash = this.ids.hashOf(sid);
    answer(tokenHash === null ? Promise.resolve(null) : this.sessions.read(tokenHash, this.maxAgeMillis), callback);
  }

  /**
   * Creates a session for an ID that this request drew, saves the data of one that was read, and refuses everything else. What
   * ended meanwhile stays ended, without an error. Data that no longer names the user is a logout, and ends the session.
   * A session that could not be created is not tried again: saving it once more fails the same, and no cookie leaves for it.
   * Errors, through the callback: `SessionConflictError` if another request saved first or gave the session a fresh token
   * (nothing was written; `reload` and do it again), `InvalidInputError` for a user that changed without `regenerate`, and
   * those of `sessions.create`.
   */
  override set(sid: string, expressSession: SessionData, callback?: Callback<void>): void {
    const saved = this.sessions
      .write(this.ids.hashOf(sid), expressSession)
      .then((outcome) => (outcome === 'ended' ? this.visit?.old?.end() : undefined));
    answer(saved, callback);
  }

  /** Slides the idle timeout, at most once per renewal interval; costs nothing while that is not due. */
  override touch(sid: string, expressSession: SessionData, callback?: Callback<void>): void {
    answer(this.sessions.touch(this.ids.hashOf(sid), expressSession), callback);
  }

  /** Logout: ends the session. Idempotent; an unknown ID creates nothing. */
  override destroy(sid: string, callback?: Callback<void>): void {
    const old = this.visit?.old?.isWithoutSession ? this.visit.old : undefined;
    const ended = this.end(sid).then(() => old?.end());
    answer(ended, callback);
  }

  /** Login: ends the request's session, and gives the request a new one. */
  override regenerate(request: Request, callback: Callback<void>): void {
    const replaced = this.end(request.sessionID).then(() => this.visit?.old?.replace());
    answer(replaced, (failure) => {
      this.generate(request);
      if (failure) this.sessions.started.followFailure(request.session);
      callback(failure);
    });
  }

  private async end(sid: string): Promise<void> {
    const tokenHash = this.ids.hashOf(sid);
    if (tokenHash === null) return;
    const visit = this.visit?.sid === sid ? this.visit : undefined;
    try {
      await this.sessions.destroy(tokenHash);
      if (visit !== undefined) visit.hasFailedToEnd = false;
    } catch (failure) {
      if (visit !== undefined) visit.hasFailedToEnd = true;
      throw failure;
    }
  }

  /** @internal */
  override createSession(request: Request, data: SessionData): ReturnType<Store['createSession']> {
    const expressSession = super.createSession(request, data);
    ignoreOddAge(expressSession);
    this.sessions.passOn(data, expressSession, request);
    return expressSession;
  }
}

/** In a tick of its own, so that what the callback throws is not taken for a failure of the store. */
function answer<Value>(result: Promise<Value>, callback: Callback<Value> = () => {}): void {
  result.then(
    (value) => process.nextTick(callback, null, value),
    (failure) => process.nextTick(callback, failure),
  );
}
