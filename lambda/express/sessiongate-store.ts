// SPDX-License-Identifier: Apache-2.0
/** express-session on Sessiongate: an Express application and an API behind the gateway share one login. */
import { randomBytes } from 'node:crypto';
import session, { type CookieOptions, type SessionData, type SessionOptions, Store } from 'express-session';
import { InvalidInputError, SessionConflictError } from '../session/errors';
import type { CreateInput } from '../session/lifecycle/create-session';
import type { PreparedToken } from '../session/lifecycle/prepared-token';
import type { Session } from '../session/lifecycle/session';
import type { Sessions } from '../session/sessions';
import { hashSessionToken, parseSessionToken } from '../session/token';
import { fromStored, type StoredData, toStored } from './express-data';
import { KeyedQueue } from './keyed-queue';
import { type Handler, type Request, withSessionCookie } from './session-cookie';

/** The data of a session as the application knows it. */
export type ExpressData = StoredData & Partial<SessionData>;

/** What a login may bring along besides its data; see `sessions.create`. */
export type LoginDetails = Pick<CreateInput<never>, 'authentication' | 'claims' | 'device' | 'userRecordKey'>;

export interface SessiongateStoreOptions {
  /** From `createSessions()`. Its settings decide when a session ends, for Express as for the gateway. */
  readonly sessions: Sessions<Record<string, unknown>>;
  /**
   * Whose session it is, by its data: 1 to 128 visible ASCII characters; `undefined` before login, which never authorizes.
   * With Passport: `(data) => data.passport?.user`.
   */
  readonly user: (data: ExpressData) => string | undefined;
  /** What else the session of a login gets, such as claims, or the `authentication` that its handler began. Default: nothing. */
  readonly login?: (data: ExpressData, request: Request) => LoginDetails;
}

/** What the application may still say to express-session; the rest is this store's. */
export interface MiddlewareOptions extends Pick<SessionOptions, 'resave' | 'rolling' | 'saveUninitialized'> {
  /** `maxAge`: how many milliseconds the browser keeps the cookie. Default: until the absolute timeout. */
  readonly cookie?: Pick<CookieOptions, 'maxAge'>;
}

type Callback<Value> = (failure: unknown, value?: Value) => void;

/** Never leaves the process, so that no application can take it for one of its own. */
const INNER_COOKIE_NAME = 'sessiongate.sid';

/**
 * A store for express-session whose session IDs are session tokens: hashed at rest, listed by user, ended by `revokeAll`, and
 * admitted by the authorizer. Every write asks that the session is alive: nothing brings one back after logout.
 *
 *     const store = new SessiongateStore({ sessions, user: (data) => data.userId });
 *     app.use(store.middleware());
 *
 * Call `request.session.regenerate` at login (Passport does): a session is given a user only when it is created.
 */
export class SessiongateStore extends Store {
  readonly #sessions: Sessions<StoredData>;
  readonly #user: SessiongateStoreOptions['user'];
  readonly #login: SessiongateStoreOptions['login'];
  /** What was read or created, by Express's session object: a save goes to what it was made from. */
  readonly #known = new WeakMap<object, Session<StoredData>>();
  /** By request. */
  readonly #prepared = new WeakMap<object, PreparedToken>();
  readonly #queue = new KeyedQueue();
  /** Draws the session ID; for express-session's option `genid`, where it is set up without `middleware`. */
  readonly genid: (request: object) => string;

  constructor({ sessions, user, login }: SessiongateStoreOptions) {
    super();
    this.#sessions = sessions;
    this.#user = user;
    this.#login = login;
    this.genid = (request) => {
      const prepared = sessions.prepareToken();
      this.#prepared.set(request, prepared);
      return prepared.token;
    };
  }

  /**
   * express-session with this store, in the session cookie that the gateway reads. No secret is needed: the token is one.
   * By default unchanged and empty sessions are not saved (`resave`, `saveUninitialized`: false).
   */
  middleware(options: MiddlewareOptions = {}): Handler {
    const inner = { name: INNER_COOKIE_NAME, secret: randomBytes(32).toString('hex') };
    const defaults = { resave: false, saveUninitialized: false };
    // With `destroy` express-session would also end the session of a request that could not read it.
    const handler = session({ ...defaults, ...options, ...inner, store: this, genid: this.genid, unset: 'keep' });
    return withSessionCookie(this.#sessions, inner, handler);
  }

  /** The session behind Express's own: its user, its times, its id in lists. `undefined` until it was saved. */
  sessionOf(expressSession: object): Session | undefined {
    return this.#known.get(expressSession);
  }

  /** `null` if the session is absent, expired or ended. 1 consistent read. */
  override get(sid: string, callback: Callback<SessionData | null>): void {
    answer(this.#read(sid), callback);
  }

  /**
   * Creates a session for an ID that this request drew, saves the data of one that was read, and refuses everything else. What
   * ended meanwhile stays ended, without an error. Data that no longer names the user is a logout, and ends the session.
   * Errors, through the callback: `SessionConflictError` if another request saved first (nothing was written; `reload` and
   * do it again), `InvalidInputError` for a user that changed without `regenerate`, and those of `sessions.create`.
   */
  override set(sid: string, expressSession: SessionData, callback?: Callback<undefined>): void {
    answer(this.#write(sid, expressSession), callback);
  }

  /** Slides the idle timeout, at most once per renewal interval; costs nothing while that is not due. */
  override touch(sid: string, expressSession: SessionData, callback?: Callback<undefined>): void {
    const known = this.#known.get(expressSession);
    const work = async (): Promise<undefined> => {
      if (known !== undefined) await this.#sessions.renew(known);
    };
    answer(this.#queue.run(sid, work), callback);
  }

  /** Logout: ends the session. Idempotent; an unknown ID creates nothing. */
  override destroy(sid: string, callback?: Callback<void>): void {
    answer(
      this.#queue.run(sid, () => this.#sessions.destroy(sid)),
      callback,
    );
  }

  /** @internal */
  override createSession(request: Request, data: SessionData): ReturnType<Store['createSession']> {
    const known = this.#known.get(data);
    const expressSession = super.createSession(request, data);
    if (known !== undefined) this.#known.set(expressSession, known);
    return expressSession;
  }

  async #read(sid: string): Promise<SessionData | null> {
    const found = await this.#find(sid);
    if (found === null) return null;
    const data = fromStored(found);
    this.#known.set(data, found);
    return data;
  }

  async #find(sid: string): Promise<Session<StoredData> | null> {
    // Of another shape: an older store's ID, or made up.
    if (parseSessionToken(sid) === null) return null;
    return this.#sessions.read(`${this.#sessions.settings.cookieName}=${sid}`);
  }

  async #write(sid: string, expressSession: SessionData): Promise<undefined> {
    // Both as of this call: the application may go on changing its session.
    const data = toStored(expressSession);
    const request = requestOf(expressSession);
    await this.#queue.run(sid, async () => {
      const known = this.#known.get(expressSession);
      if (known !== undefined) return this.#save(sid, known, data);
      const token = request && this.#prepared.get(request);
      if (request === undefined || token?.token !== sid)
        throw new InvalidInputError(
          'the session was neither read from this store nor generated by it; use store.middleware(), or genid: store.genid',
        );
      const user = this.#user(data as ExpressData);
      const details = user === undefined ? {} : this.#login?.(data as ExpressData, request);
      const created = await this.#sessions.create({ ...details, user, data, token });
      this.#known.set(expressSession, created.session);
    });
  }

  async #save(sid: string, known: Session<StoredData>, data: StoredData): Promise<void> {
    if (hashSessionToken(sid) !== known.id)
      throw new InvalidInputError('the session must be saved under its own session ID');
    const before = this.#user(known.data as ExpressData);
    const user = this.#user(data as ExpressData);
    if (user !== before && user !== known.user) {
      if (user !== undefined)
        throw new InvalidInputError('call request.session.regenerate before you give the session another user');
      return this.#sessions.destroy(known);
    }
    known.data = data;
    try {
      if (!(await this.#sessions.save(known))) await this.#sessions.renew(known);
    } catch (failure) {
      // What ended is over, and its data with it; only a live session has data to lose.
      if (!(failure instanceof SessionConflictError) || (await this.#find(sid)) !== null) throw failure;
    }
  }
}

/** The request, if this is its session now and not one that it has left behind. */
function requestOf(expressSession: SessionData): Request | undefined {
  const request = (expressSession as { readonly req?: Request }).req;
  return request !== undefined && (request.session as object | undefined) === expressSession ? request : undefined;
}

/** In a tick of its own, so that what the callback throws is not taken for a failure of the store. */
function answer<Value>(result: Promise<Value>, callback: Callback<Value> = () => {}): void {
  result.then(
    (value) => process.nextTick(callback, null, value),
    (failure) => process.nextTick(callback, failure),
  );
}
