// SPDX-License-Identifier: Apache-2.0
/** One opened PHP session: its data, and the one write that ends the request's hold on it. */
import { number, text } from '../../session/attribute';
import { ConfigurationError, SessionConflictError } from '../../session/errors';
import { attempt, repeat } from '../../session/lifecycle/context';
import type { AttributeValue, Change, Condition, Item } from '../../session/store';
import { holdsPhpLock, LOCK, newPhpLock } from './php-lock';
import { keyOf, type PhpStoreContext } from './php-store-context';
import type { Conditions } from './php-table';
import type { PhpRecord } from './php-value';
import { serializePhpSession } from './serialize-php-session';

/** How the session stands in the table. */
export interface StoredSession {
  /** `new`: nowhere yet. `expired`: its data was read as empty and the next write replaces it. */
  readonly state: 'new' | 'live' | 'expired';
  /** As it was read, where there is an item. */
  readonly item?: Item;
  readonly lock?: AttributeValue;
}

export class PhpSession {
  /** Yours to change; `write` stores it. */
  data: PhpRecord;
  readonly #context: PhpStoreContext;
  #id: string;
  #stored: StoredSession;
  /** The data as it would have been written when it was read, so that only changes are written. */
  #textAsRead: string;
  #isOpen = true;

  constructor(context: PhpStoreContext, id: string, stored: StoredSession, data: PhpRecord) {
    this.#context = context;
    this.#id = id;
    this.#stored = stored;
    this.data = data;
    this.#textAsRead = serializePhpSession(data, context.settings.format);
  }

  /** The cookie's value. A credential: it belongs into no log. */
  get id(): string {
    return this.#id;
  }

  /** Not in the table yet: `write` puts it there, and the response must set the cookie. */
  get isNew(): boolean {
    return this.#stored.state === 'new';
  }

  /**
   * Stores the data if it changed, sets the end to now + `sessionLifetimeSeconds`, releases the lock and closes the session.
   * 1 write.
   * @throws SessionConflictError if the session ended, the lock was lost, or without locking the data is not as it was read;
   *   nothing was written, or with `unknown` that is not known
   * @throws InvalidInputError naming what PHP cannot hold; nothing was written
   */
  async write(): Promise<void> {
    this.#requireOpen();
    const dataText = serializePhpSession(this.data, this.#context.settings.format);
    if (this.#stored.state === 'new') await this.#put(this.#id, this.#newItem(this.#id, dataText));
    else {
      const isChanged = dataText !== this.#textAsRead || this.#stored.state === 'expired';
      await this.#update(this.#change(isChanged ? dataText : undefined), this.#mayWrite(isChanged));
    }
    this.#isOpen = false;
  }

  /** Ends the request without storing the data: sets the end and releases the lock, unless `write` did. An expired session stays expired. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { state, lock } = this.#stored;
    if (state === 'new' || (state === 'expired' && lock === undefined)) return;
    const change = state === 'live' ? this.#change(undefined) : { remove: [LOCK] };
    // A session that ended meanwhile, or a lock that was lost: there is nothing left to do, and nothing was to be stored.
    await repeat(this.#context, () =>
      this.#context.table.update(keyOf(this.#context, this.#id), change, this.#mayWrite(false)),
    );
  }

  /**
   * Moves the session to a fresh id, data included, as is due after a login (OWASP: renew the session ID after any privilege
   * level change); the response must set the cookie. The old session is deleted. 2 writes, before `write` or `close`.
   * @param keepOld leaves the old session alive with the same data, as PHP's session_regenerate_id() does by default: whoever knows its id stays logged in
   * @throws SessionConflictError as `write` does; the old session is as it was
   */
  async regenerateId({ keepOld = false }: { readonly keepOld?: boolean } = {}): Promise<void> {
    this.#requireOpen();
    const id = newPhpSessionId(this.#context);
    const dataText = serializePhpSession(this.data, this.#context.settings.format);
    if (this.#stored.state !== 'new') {
      const lock = this.#stored.lock === undefined ? undefined : newPhpLock(this.#context);
      const item = { ...this.#newItem(id, dataText), ...(lock === undefined ? {} : { [LOCK]: lock }) };
      await this.#put(id, item);
      try {
        if (keepOld) await this.#update(this.#change(dataText), this.#mayWrite(true));
        else await this.#delete(this.#mayWrite(true));
      } catch (failure) {
        // Nobody knows the new id; best effort, the failure that led here speaks.
        await this.#context.table.delete(keyOf(this.#context, id)).catch(() => undefined);
        throw failure;
      }
      this.#stored = { state: 'live', item, ...(lock === undefined ? {} : { lock }) };
      this.#textAsRead = dataText;
    }
    this.#id = id;
  }

  /** Logout: deletes the session. Idempotent. */
  async destroy(): Promise<void> {
    this.#isOpen = false;
    if (this.#stored.state !== 'new')
      await repeat(this.#context, () => this.#context.table.delete(keyOf(this.#context, this.#id)));
  }

  #requireOpen(): void {
    if (!this.#isOpen)
      throw new ConfigurationError('session must be open: write, close and destroy end it; open it again for more');
  }

  /** @param dataText absent: the stored data stays */
  #change(dataText: string | undefined): Change {
    const { names, sessionLifetimeSeconds } = this.#context.settings;
    return {
      set: {
        [names.sessionLifetimeAttribute]: number(this.#context.now() + sessionLifetimeSeconds),
        ...(dataText ? { [names.dataAttribute]: text(dataText) } : {}),
      },
      remove: [
        // Without locking, a lock is somebody else's.
        ...(this.#stored.lock === undefined ? [] : [LOCK]),
        ...(dataText === '' ? [names.dataAttribute] : []),
      ],
    };
  }

  #newItem(id: string, dataText: string): Item {
    const { names } = this.#context.settings;
    const { set } = this.#change(dataText);
    return { [names.hashKey]: text(keyOf(this.#context, id)), ...set };
  }

  /** The session did not end since it was read, and nobody wrote what this write would hide. */
  #mayWrite(isDataWritten: boolean): Conditions {
    const { names } = this.#context.settings;
    const { state, item, lock } = this.#stored;
    const expires = names.sessionLifetimeAttribute;
    const isSame = (name: string): Condition => {
      const value = item?.[name];
      return value === undefined ? { attribute: name, is: 'absent' } : { attribute: name, is: 'equal', to: value };
    };
    // An expired session is replaced only if it is still that one; a live one only while it lives.
    const isStill: Condition =
      state === 'expired' ? isSame(expires) : { attribute: expires, is: 'greater', than: this.#context.now() };
    if (lock !== undefined) return [holdsPhpLock(lock), isStill];
    return isDataWritten ? [isStill, isSame(names.dataAttribute)] : [isStill];
  }

  async #put(id: string, item: Item): Promise<void> {
    const { result, isAfterFailure } = await attempt(this.#context, () => this.#context.table.put(item));
    if (!result) await this.#requireOwnDoing(isAfterFailure, id, (found) => holdsAll(found, item));
  }

  async #update(change: Change, conditions: Conditions): Promise<void> {
    const { result, isAfterFailure } = await attempt(this.#context, () =>
      this.#context.table.update(keyOf(this.#context, this.#id), change, conditions),
    );
    if (!result.applied)
      await this.#requireOwnDoing(isAfterFailure, this.#id, (found) => holdsAll(found, change.set ?? {}));
  }

  async #delete(conditions: Conditions): Promise<void> {
    const { result, isAfterFailure } = await attempt(this.#context, () =>
      this.#context.table.deleteIf(keyOf(this.#context, this.#id), conditions),
    );
    if (!result) await this.#requireOwnDoing(isAfterFailure, this.#id, (found) => found === undefined);
  }

  /** After a lost answer, a condition that fails may be our own doing: then the item is as we wanted it. */
  async #requireOwnDoing(
    isAfterFailure: boolean,
    id: string,
    isOurs: (found: Item | undefined) => boolean,
  ): Promise<void> {
    if (!isAfterFailure) throw new SessionConflictError('notWritten');
    const found = await repeat(this.#context, () => this.#context.table.get(keyOf(this.#context, id)));
    if (!isOurs(found)) throw new SessionConflictError('unknown');
  }
}

/** 64 characters, 256 random bits, within PHP's grammar. */
export function newPhpSessionId({ randomBytes }: PhpStoreContext): string {
  return Buffer.from(randomBytes(32)).toString('hex');
}

function holdsAll(found: Item | undefined, attributes: Item): boolean {
  return Object.entries(attributes).every(([name, { S, N }]) => found?.[name]?.S === S && found?.[name]?.N === N);
}
