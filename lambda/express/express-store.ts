// SPDX-License-Identifier: Apache-2.0
/** The face that express-session sees: callbacks, and session IDs in one of two spellings. */
import { Session as ExpressSession, type SessionData, Store } from 'express-session';
import { hashSessionToken, isTokenHash, parseSessionToken } from '../session/token';
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

/** Gives a request a new session. */
type Generate = Express.SessionStore['generate'];

export class ExpressStore extends Store {
  // Not `#private`: `beside` makes stores whose prototype is this one.
  private readonly sessions: ExpressSessions;
  private readonly ids: SessionIds;
  private readonly old: OldSession | undefined;
  /** @internal */
  declare generate: Generate;

  constructor(sessions: ExpressSessions, ids: SessionIds) {
    super();
    this.sessions = sessions;
    this.ids = ids;
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

  /** This store for a request that may have brought a session of an older system. @internal */
  beside(old: OldSession): ExpressStore {
    return Object.create(this, { old: { value: old } }) as ExpressStore;
  }

  private nameByToken(request: Express.Request): void {
    const { cookie } = request.session;
    request.sessionID = this.ids.idOf(this.sessions.prepareToken(request));
    // The ID of Express's session is fixed when it is made.
    request.session = Reflect.construct(ExpressSession, [request, { cookie }]);
  }

  /** `null` if the session is absent, expired or ended. 1 consistent read. */
  override get(sid: string, callback: Callback<SessionData | null>): void {
    const tokenHash = this.ids.hashOf(sid);
    answer(tokenHash === null ? Promise.resolve(null) : this.sessions.read(tokenHash), callback);
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
      .then((outcome) => (outcome === 'ended' ? this.old?.end() : undefined));
    answer(saved, callback);
  }

  /** Slides the idle timeout, at most once per renewal interval; costs nothing while that is not due. */
  override touch(sid: string, expressSession: SessionData, callback?: Callback<void>): void {
    answer(this.sessions.touch(this.ids.hashOf(sid), expressSession), callback);
  }

  /** Logout: ends the session. Idempotent; an unknown ID creates nothing. */
  override destroy(sid: string, callback?: Callback<void>): void {
    const old = this.old?.isWithoutSession ? this.old : undefined;
    const ended = this.end(sid).then(() => old?.end());
    answer(ended, callback);
  }

  /** Login: ends the request's session, and gives the request a new one. */
  override regenerate(request: Request, callback: Callback<void>): void {
    const replaced = this.end(request.sessionID).then(() => this.old?.replace());
    answer(replaced, (failure) => {
      this.generate(request);
      callback(failure);
    });
  }

  private async end(sid: string): Promise<void> {
    const tokenHash = this.ids.hashOf(sid);
    if (tokenHash !== null) await this.sessions.destroy(tokenHash);
  }

  /** @internal */
  override createSession(request: Request, data: SessionData): ReturnType<Store['createSession']> {
    const expressSession = super.createSession(request, data);
    this.sessions.passOn(data, expressSession);
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
