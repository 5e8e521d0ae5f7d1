// SPDX-License-Identifier: Apache-2.0
/** Between the user of a session and the place where the application's data name it. */
import { isPlainRecord } from '../session/attribute';
import { ConfigurationError, InvalidInputError } from '../session/errors';
import { serializeData } from '../session/lifecycle/session-data';
import { isUserId } from '../session/validate-session-item';
import type { StoredData } from './express-data';
import type { ExpressData, SessiongateStoreOptions } from './options';

export class SessionUser {
  readonly #user: SessiongateStoreOptions['user'];
  readonly #setUser: SessiongateStoreOptions['setUser'];

  constructor({ user, setUser }: Pick<SessiongateStoreOptions, 'user' | 'setUser'>) {
    this.#user = user;
    this.#setUser = setUser;
  }

  /**
   * Whom the data name; `undefined` for nobody.
   * @throws InvalidInputError for what is no user's id, saying what kind of thing it is
   */
  in(data: StoredData): string | undefined {
    const found = this.#user(data as ExpressData);
    if (isNobody(found)) return undefined;
    const user = userIdFrom(found);
    if (user === undefined)
      throw new InvalidInputError(
        `user must return 1 to 128 visible ASCII characters or a whole number above 0, but returned ${kindOf(found)}`,
      );
    return user;
  }

  /**
   * Whether data that are about to be saved without a user are nobody's.
   * @throws ConfigurationError where Passport sees a login: nothing would list that session, end it or let it in
   */
  requireNobody(data: StoredData): void {
    // `null` is the application's own word, say before a second factor.
    if (!isPassportLogin(data) || this.#user(data as ExpressData) === null) return;
    throw new ConfigurationError(
      'user found nobody, but passport.user is set, and that login would be anonymous: ' +
        'use user: (data) => data.passport?.user, or return null where that is meant',
    );
  }

  /**
   * Writes the user into the data, where they name anybody else and there is a way to.
   * @throws ConfigurationError if `user` does not find it there
   */
  putInto(data: StoredData, user: string): void {
    if (this.#setUser === undefined || this.#names(data, user)) return;
    this.#setUser(data as ExpressData, user);
    if (!this.#names(data, user))
      throw new ConfigurationError(
        `setUser must write the user where the option user finds it, which found ${this.#whom(data)}`,
      );
  }

  /**
   * Whether Express would know the user of a session that is about to move in.
   * @throws ConfigurationError if not: the old session must not be given up for one in which Express sees nobody
   */
  requireArriving(user: string, moved: unknown): void {
    const data = copyOf(moved);
    // Cannot be stored at all: this user logs in anew, which is for the move to say.
    if (data === undefined) return;
    this.putInto(data, user);
    if (!this.#names(data, user))
      throw new ConfigurationError(
        'legacy.asSession must return data in which the option user of SessiongateStore finds the user who moves in, ' +
          `but it found ${this.#whom(data)}; return them, or give the store setUser`,
      );
  }

  #names(data: StoredData, user: string): boolean {
    return userIdFrom(this.#user(data as ExpressData)) === user;
  }

  #whom(data: StoredData): string {
    const found = this.#user(data as ExpressData);
    if (isNobody(found)) return 'nobody';
    return userIdFrom(found) === undefined ? kindOf(found) : 'somebody else';
  }
}

function isNobody(found: unknown): found is undefined | null {
  return found === undefined || found === null;
}

/** As Passport itself sees it. */
function isPassportLogin({ passport }: StoredData): boolean {
  const user = isPlainRecord(passport) ? passport.user : undefined;
  return typeof user === 'number' || (typeof user === 'string' && user !== '');
}

/** Numbers are how databases name their users; anything else that is no text is not an id. */
function userIdFrom(found: unknown): string | undefined {
  if (Number.isSafeInteger(found) && (found as number) > 0) return String(found);
  return isUserId(found) ? found : undefined;
}

/** Never the value: it is the application's, and may be anything. */
function kindOf(found: unknown): string {
  if (found === '') return 'an empty string';
  if (typeof found === 'string') return found.length > 128 ? 'a longer string' : 'a string with other characters';
  if (typeof found === 'number') return 'another number';
  if (Array.isArray(found)) return 'an array';
  return typeof found === 'object' ? 'an object' : `a ${typeof found}`;
}

/** As it would be stored and read again; `undefined` for what cannot be. */
function copyOf(data: unknown): StoredData | undefined {
  try {
    return JSON.parse(serializeData(data)) as StoredData;
  } catch (failure) {
    if (failure instanceof InvalidInputError) return undefined;
    throw failure;
  }
}
