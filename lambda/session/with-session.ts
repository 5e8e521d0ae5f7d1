// SPDX-License-Identifier: Apache-2.0
/** Wraps a Lambda proxy handler, so that it has its session without thinking of cookies, writes or races. */
import { refuseUnknownOptions } from '../known-options';
import { ConfigurationError, SessionConflictError } from './errors';
import type { CreateInput } from './lifecycle/create-session';
import type { RotateOptions } from './lifecycle/rotate-session';
import { hasSameStoredData, hasUnsavedData, type Session } from './lifecycle/session';
import { jsonResponse, type ProxyResponse, withCookies } from './proxy-response';
import { headerValues, requestMethod } from './request';
import type { Sessions } from './sessions';

/** The session of one request. */
export interface RequestSession<Data> {
  /** The live session, anonymous ones too; `null` without one. Change `data` freely: what changed is saved after the handler. */
  readonly session: Session<Data> | null;
  /** The anti-CSRF token to put into a page; `null` without a session. */
  readonly csrfToken: string | null;

  /** Login: starts a session in place of the current one. Pass `authentication` from `beginAuthentication`. */
  start(input: Omit<CreateInput<Data>, 'replaces'>): Promise<Session<Data>>;
  /** A fresh token, after a change of privilege; unsaved data moves along. `null` if the session ended meanwhile. */
  rotate(options?: RotateOptions): Promise<Session<Data> | null>;
  /** Signs out everywhere else and keeps this session; `null` if it ended meanwhile. Returns how many were ended. */
  endOthers(): Promise<number | null>;
  /** Logout: ends the session and clears the cookie. */
  end(): Promise<void>;
}

export type SessionHandler<Data, Event, Answer = unknown> = (
  event: Event,
  request: RequestSession<Data>,
) => Promise<Answer>;

export interface WithSessionOptions {
  /** Header in which unsafe requests must carry the anti-CSRF token, for browsers without `Sec-Fetch-Site`. Default: none is asked for. */
  readonly csrfHeader?: string;
}

/**
 * The handler is called with the event and its session. Around it: the origin check for unsafe methods (403 before any
 * read), one read, and at most one write: the data if it changed, else the slide of the idle timeout if that is due. Answers
 * that set or clear the cookie carry `Cache-Control: no-store`. Data that lost its race is answered with 409 and sets no
 * cookie. What fails is thrown, which API Gateway answers with 5xx; once a fresh cookie was issued it is logged and answered
 * with 500 here, so that the cookie arrives. Call `start`, `rotate`, `endOthers` and `end` one after the other.
 * @throws ConfigurationError for arguments that are none, and for options that nothing reads
 */
export function withSession<Data, Event = unknown, Answer = unknown>(
  sessions: Sessions<Data>,
  handler: SessionHandler<Data, Event, Answer>,
  options: WithSessionOptions = {},
): (event: Event) => Promise<Answer | ProxyResponse> {
  requireArguments(sessions, handler, options);
  return async (event) => {
    // A cross-site page must not act with the user's cookie, nor log the user into another account.
    if (!sessions.checkOrigin(event).allowed) return jsonResponse(403, { message: 'Forbidden' });
    const request = await OneRequest.begin(sessions, event);
    if (options.csrfHeader !== undefined && isUnsafe(event)) {
      const [presented] = headerValues(event, options.csrfHeader.toLowerCase());
      if (!request.acceptsCsrfToken(presented)) return jsonResponse(403, { message: 'Forbidden' });
    }
    return withCookies(event, await answer(request, () => handler(event, request)), request.setCookies);
  };
}

/** An option that nothing reads would be a check that nobody makes. */
function requireArguments(sessions: unknown, handler: unknown, options: WithSessionOptions): void {
  if (typeof (sessions as Partial<Sessions<unknown>> | undefined)?.checkOrigin !== 'function')
    throw new ConfigurationError(
      'sessions must be what createSessions returned: withSession(sessions, handler, options)',
    );
  if (typeof handler !== 'function') throw new ConfigurationError('handler must be a function');
  refuseUnknownOptions(options, { csrfHeader: true });
  const { csrfHeader } = options;
  if (csrfHeader !== undefined && (typeof csrfHeader !== 'string' || csrfHeader === ''))
    throw new ConfigurationError('csrfHeader must be the name of a header');
}

/** The handler's answer, once what it changed is saved; the answer to a conflict or a failure in its place. */
async function answer<Data, Answer>(
  request: OneRequest<Data>,
  handle: () => Promise<Answer>,
): Promise<Answer | ProxyResponse> {
  try {
    const response = await handle();
    return (await request.finish()) ? response : jsonResponse(409, { message: 'Conflict' });
  } catch (failure) {
    if (!request.hasIssuedCookie) throw failure;
    // The old token is dead by now: without an answer that carries the new one, the user would be logged out.
    console.error(failure instanceof Error ? failure.stack : 'the handler failed');
    return jsonResponse(500, { message: 'Internal Server Error' });
  }
}

class OneRequest<Data> implements RequestSession<Data> {
  readonly #sessions: Sessions<Data>;
  readonly #event: unknown;
  #session: Session<Data> | null;
  #token: string | null;
  #setCookie: string | undefined;
  #clearCookies: readonly string[] = [];
  #hasLostData = false;

  /** Reads the session of the event; where there is none, that of an older system may move in. */
  static async begin<Data>(sessions: Sessions<Data>, event: unknown): Promise<OneRequest<Data>> {
    const session = await sessions.read(event);
    const request = new OneRequest(sessions, event, session, sessions.tokenFrom(event));
    const arrival = await sessions.legacy?.arrive(event, session);
    if (arrival === undefined) return request;
    if (arrival.moved !== null) request.#become(arrival.moved);
    else if (arrival.session !== session) {
      // Served with an old cookie that mints nothing any more: no token is known, and none leaves with the answer.
      request.#session = arrival.session;
      request.#token = null;
    }
    request.#clearCookies = arrival.clearCookies;
    return request;
  }

  private constructor(sessions: Sessions<Data>, event: unknown, session: Session<Data> | null, token: string | null) {
    this.#sessions = sessions;
    this.#event = event;
    this.#session = session;
    this.#token = token;
  }

  /** A request without a session has nothing that could be forged. */
  acceptsCsrfToken(presented: unknown): boolean {
    return this.#session === null || this.#sessions.verifyCsrf(this.#token, presented, this.#session);
  }

  get session(): Session<Data> | null {
    return this.#session;
  }

  get csrfToken(): string | null {
    return this.#session === null || this.#token === null ? null : this.#sessions.csrfToken(this.#token);
  }

  get hasIssuedCookie(): boolean {
    return this.#setCookie !== undefined && this.#setCookie !== this.#sessions.clearCookie;
  }

  get setCookies(): readonly string[] {
    return [...(this.#setCookie === undefined ? [] : [this.#setCookie]), ...this.#clearCookies];
  }

  async start(input: Omit<CreateInput<Data>, 'replaces'>): Promise<Session<Data>> {
    const issued = await this.#sessions.create({ ...input, replaces: this.#session });
    this.#hasLostData = false;
    this.#become(issued);
    // Somebody else's old cookie would be left beside the new one.
    this.#clearCookies = (await this.#sessions.legacy?.replace(this.#event)) ?? [];
    return issued.session;
  }

  async rotate(options?: RotateOptions): Promise<Session<Data> | null> {
    if (this.#session === null || this.#isServedLate()) return null;
    return this.#moveTo(await this.#sessions.rotate(this.#session, options));
  }

  async endOthers(): Promise<number | null> {
    if (this.#session?.user === undefined || this.#isServedLate()) return null;
    const issued = await this.#sessions.revokeAll(this.#session.user, { except: this.#session });
    this.#moveTo(issued);
    return issued === null ? null : issued.ended;
  }

  async end(): Promise<void> {
    await this.#sessions.destroy(this.#session ?? this.#token);
    // Also where the session is not from there: an old cookie left behind would log the user in again.
    this.#clearCookies = (await this.#sessions.legacy?.end(this.#event)) ?? [];
    this.#session = null;
    this.#hasLostData = false;
    this.#setCookie = this.#sessions.clearCookie;
  }

  /** After the handler: one write at most. False if data could not be saved because the session changed or ended. */
  async finish(): Promise<boolean> {
    if (this.#hasLostData) return false;
    if (this.#session === null) return true;
    try {
      if (!(await this.#sessions.save(this.#session))) await this.#sessions.renew(this.#session);
      return true;
    } catch (failure) {
      if (failure instanceof SessionConflictError) return false;
      throw failure;
    }
  }

  /** The answer cannot carry a fresh token, so nothing is rotated and the request is answered with 409: its repetition has the new cookie. */
  #isServedLate(): boolean {
    if (this.#token !== null) return false;
    this.#hasLostData = true;
    return true;
  }

  #become(issued: { readonly session: Session<Data>; readonly token: string; readonly setCookie: string }): void {
    this.#session = issued.session;
    this.#token = issued.token;
    this.#setCookie = issued.setCookie;
  }

  /** Goes on with the successor, unsaved data and all; `null` when the session ended: then there is nothing to save it on. */
  #moveTo(
    issued: { readonly session: Session<Data>; readonly token: string; readonly setCookie: string } | null,
  ): Session<Data> | null {
    const before = this.#session;
    if (issued === null) {
      this.#hasLostData = before !== null && hasUnsavedData(before);
      this.#session = null;
      return null;
    }
    if (before !== null && hasUnsavedData(before)) {
      // Somebody else's save was carried over by the rotation: ours was made on older data.
      if (hasSameStoredData(before, issued.session)) issued.session.data = before.data;
      else this.#hasLostData = true;
    }
    this.#become(issued);
    return issued.session;
  }
}

function isUnsafe(event: unknown): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(requestMethod(event));
}
