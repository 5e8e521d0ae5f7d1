// SPDX-License-Identifier: Apache-2.0
/** What the store does with sessions, named by their token hash; each write asks that the session is alive. */
import type { SessionData } from 'express-session';
import { isPlainRecord } from '../session/attribute';
import { InvalidInputError, SessionConflictError } from '../session/errors';
import { keyOf, type LifecycleContext, repeat } from '../session/lifecycle/context';
import { contextOf } from '../session/lifecycle/context-of';
import { endSession } from '../session/lifecycle/end-session';
import { readSessionOf } from '../session/lifecycle/read-session';
import type { Session } from '../session/lifecycle/session';
import type { Sessions } from '../session/sessions';
import { rotationLinks } from '../session/validate-session-item';
import { fromStored, type StoredData, toStored } from './express-data';
import { KeyedQueue } from './keyed-queue';
import { NewSessions } from './new-sessions';
import { type SessiongateStoreOptions, validateStoreOptions } from './options';
import type { Request } from './session-cookie';
import { SessionUser } from './session-user';

export class ExpressSessions {
  readonly sessions: Sessions<StoredData>;
  readonly user: SessionUser;
  readonly started: NewSessions;
  readonly #context: LifecycleContext;
  /** What was read or created, by Express's session object: a save goes to what it was made from. */
  readonly #known = new WeakMap<object, Session<StoredData>>();
  readonly #queue = new KeyedQueue();

  /** @throws ConfigurationError naming the option */
  constructor(options: SessiongateStoreOptions) {
    validateStoreOptions(options);
    // To Express, data are properties by name, whatever type other handlers give them.
    this.sessions = options.sessions as Sessions<StoredData>;
    this.user = new SessionUser(options);
    this.#context = contextOf(options.sessions);
    this.started = new NewSessions(this.sessions, options.login, this.user);
  }

  knownAs(expressSession: object): Session<StoredData> | undefined {
    return this.#known.get(expressSession);
  }

  /** Express makes several objects of one session. */
  passOn(from: object, to: object, request: object): void {
    const known = this.#known.get(from);
    if (known === undefined) return;
    this.#known.set(to, known);
    this.started.follow(request, known);
  }

  /** Whether the request leaves with a new session that is not stored, as there is nothing in it. */
  abandonIfEmpty({ session }: Request, isEmptyKept: boolean): boolean {
    return isObject(session) && !this.#known.has(session) && this.started.abandonIfEmpty(session, isEmptyKept);
  }

  async read(tokenHash: string, maxAgeMillis: number | null): Promise<SessionData | null> {
    const found = await readSessionOf<StoredData>(this.#context, tokenHash);
    if (found === null) return null;
    // Another handler's; to Express, data are properties.
    if (!isPlainRecord(found.data)) found.data = {};
    // Into what was read, so that its going from there is a logout.
    if (found.user !== undefined) this.user.putInto(found.data, found.user);
    const data = fromStored(found, maxAgeMillis);
    this.#known.set(data, found);
    return data;
  }

  /** `ended`: the data no longer name the user, which is a logout. */
  write(tokenHash: string | null, expressSession: SessionData): Promise<'saved' | 'ended'> {
    // Both as of this call: the application may go on changing its session.
    const data = toStored(expressSession);
    const request = requestOf(expressSession);
    return this.#queue.run(tokenHash ?? '', async () => {
      const known = this.#known.get(expressSession);
      if (known !== undefined) return this.#save(tokenHash, known, data);
      const created = await this.started.create(tokenHash, request, expressSession, data);
      if (created !== undefined) this.#known.set(expressSession, created);
      return 'saved';
    });
  }

  touch(tokenHash: string | null, expressSession: SessionData): Promise<void> {
    const known = this.#known.get(expressSession);
    return this.#queue.run(tokenHash ?? '', async () => {
      if (known !== undefined) await this.sessions.renew(known);
    });
  }

  destroy(tokenHash: string): Promise<void> {
    return this.#queue.run(tokenHash, async () => {
      await endSession(this.#context, tokenHash, { reach: 'wholeSession' });
    });
  }

  async #save(tokenHash: string | null, known: Session<StoredData>, data: StoredData): Promise<'saved' | 'ended'> {
    if (tokenHash !== known.id) throw new InvalidInputError('the session must be saved under its own session ID');
    const before = this.user.in(known.data);
    const user = this.user.in(data);
    if (user !== before && user !== known.user) {
      if (user !== undefined)
        throw new InvalidInputError('call request.session.regenerate before you give the session another user');
      await this.sessions.destroy(known);
      return 'ended';
    }
    if (user === undefined && known.user === undefined) this.user.requireNobody(data);
    known.data = data;
    try {
      if (!(await this.sessions.save(known))) await this.sessions.renew(known);
    } catch (failure) {
      if (!(failure instanceof SessionConflictError) || !(await this.#isOver(known))) throw failure;
    }
    return 'saved';
  }

  /** What ended is over, and its data with it. A session that was rotated lives on, and with it what was to be saved. */
  async #isOver({ id }: Session<StoredData>): Promise<boolean> {
    if ((await readSessionOf(this.#context, id)) !== null) return false;
    const item = await repeat(this.#context, () => this.#context.store.get(keyOf(this.#context, id)));
    return item === undefined || rotationLinks(item).replacedBy === undefined;
  }
}

/** The request, if this is its session now and not one that it has left behind. */
function requestOf(expressSession: SessionData): Request | undefined {
  const request = (expressSession as { readonly req?: Request }).req;
  return request !== undefined && (request.session as object | undefined) === expressSession ? request : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
