// SPDX-License-Identifier: Apache-2.0
/**
 * Sessions shared with PHP: the equal of the AWS SDK for PHP's DynamoDB session handler, on the same table, with items that
 * each reads and writes. Where the handler loses data (a lock that could not be had, a store that failed), this one refuses.
 */
import { randomBytes as systemRandomBytes } from 'node:crypto';
import { readString, readWholeNumber } from '../../session/attribute';
import { repeat } from '../../session/lifecycle/context';
import type { Item } from '../../session/store';
import { parsePhpSession } from './parse-php-session';
import { PhpSessionNotFoundError, PhpSessionUnreadableError } from './php-errors';
import { holdsPhpLock, LOCK, type LockedItem, takePhpLock } from './php-lock';
import { newPhpSessionId, PhpSession, type StoredSession } from './php-session';
import { isPhpSessionId } from './php-session-id';
import { keyOf, type PhpStoreContext } from './php-store-context';
import { type PhpSessionStoreOptions, resolvePhpStoreOptions } from './php-store-options';
import { createPhpTable } from './php-table';
import { emptyRecord } from './unserialize-php';

export interface PhpSessionStore {
  /**
   * session_start() in strict mode: the session of the id, or a new one under a fresh id where the id is absent, malformed
   * or unknown. Nothing is written for a new one before its `write`.
   * @param id from the cookie, whatever it holds
   * @throws as `open` does, except for an unknown id
   */
  start(id: unknown): Promise<PhpSession>;

  /**
   * The session of the id, locked for this request unless locking is off. An expired session is empty and not deleted; the
   * next write replaces it. With locking 1 write, and 1 read for each look at a lock that is held; without, 1 read.
   * @throws PhpSessionNotFoundError for an unknown or malformed id; nothing was written
   * @throws SessionLockedError if another request, or a lock that a PHP process left behind, held it for too long
   * @throws PhpSessionUnreadableError if its data holds objects or is damaged; it was left as it is
   * @throws SessionStoreError
   */
  open(id: unknown): Promise<PhpSession>;

  /** Logout: deletes the session. Idempotent; an unknown id is no error. */
  destroy(id: unknown): Promise<void>;
}

/** @throws ConfigurationError naming the option */
export function createPhpSessionStore(options: PhpSessionStoreOptions): PhpSessionStore {
  const settings = resolvePhpStoreOptions(options);
  const { tableName, endpoint, region, client } = options;
  const context: PhpStoreContext = {
    table: createPhpTable({ tableName, hashKey: settings.names.hashKey, endpoint, region, client }),
    settings,
    now: options.now ?? (() => Math.floor(Date.now() / 1000)),
    randomBytes: options.randomBytes ?? systemRandomBytes,
    sleep: options.sleep ?? ((millis) => new Promise((resolve) => setTimeout(resolve, millis))),
  };

  const open = async (id: unknown): Promise<PhpSession> => {
    if (!isPhpSessionId(id)) throw new PhpSessionNotFoundError();
    return context.settings.locking
      ? openLocked(context, id, await takePhpLock(context, id))
      : sessionOf(context, id, { item: await readItem(context, id) });
  };

  return {
    open,
    async start(id) {
      try {
        return await open(id);
      } catch (failure) {
        if (!(failure instanceof PhpSessionNotFoundError)) throw failure;
        return new PhpSession(context, newPhpSessionId(context), { state: 'new' }, emptyRecord());
      }
    },
    async destroy(id) {
      if (isPhpSessionId(id)) await repeat(context, () => context.table.delete(keyOf(context, id)));
    },
  };
}

async function readItem(context: PhpStoreContext, id: string): Promise<Item> {
  const isConsistent = context.settings.consistentRead;
  const item = await repeat(context, () => context.table.get(keyOf(context, id), { isConsistent }));
  if (item === undefined) throw new PhpSessionNotFoundError();
  return item;
}

/** Data that cannot be read must not stay locked. */
async function openLocked(context: PhpStoreContext, id: string, locked: LockedItem): Promise<PhpSession> {
  try {
    return sessionOf(context, id, locked);
  } catch (failure) {
    await repeat(context, () =>
      context.table.update(keyOf(context, id), { remove: [LOCK] }, [holdsPhpLock(locked.lock)]),
    ).catch(() => undefined);
    throw failure;
  }
}

function sessionOf(
  context: PhpStoreContext,
  id: string,
  read: Omit<StoredSession, 'state'> & { item: Item },
): PhpSession {
  const { names, format } = context.settings;
  const expiresAt = readWholeNumber(read.item, names.sessionLifetimeAttribute);
  // What PHP's handler leaves behind for an id it does not know: no session.
  if (typeof expiresAt !== 'number') throw new PhpSessionNotFoundError();
  // TTL deletes late; this line is the real end. The data is there still, and must not come back.
  if (expiresAt <= context.now()) return new PhpSession(context, id, { ...read, state: 'expired' }, emptyRecord());
  const dataText = readString(read.item, names.dataAttribute) ?? '';
  if (typeof dataText !== 'string') throw new PhpSessionUnreadableError('notText');
  const parsed = parsePhpSession(dataText, format);
  if ('refused' in parsed) throw new PhpSessionUnreadableError(parsed.refused);
  return new PhpSession(context, id, { ...read, state: 'live' }, parsed.data);
}
