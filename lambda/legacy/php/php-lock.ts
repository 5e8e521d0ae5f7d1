// SPDX-License-Identifier: Apache-2.0
/**
 * The lock of one PHP session. Whether the attribute `lock` exists is all that PHP's handler looks at, so each side waits
 * for the other. PHP writes 1, which says neither who holds the lock nor until when. Ours is a number too, with both in it:
 *
 *     1800000060.012345678901234567891        ends at 1800000060, held by 01234567890123456789
 *
 * An attribute of its own for the holder would outlive the lock, for PHP removes `lock` and nothing else.
 */
import { hasAttribute, readWholeNumber } from '../../session/attribute';
import { SessionLockedError } from '../../session/errors';
import { attempt, repeat } from '../../session/lifecycle/context';
import type { AttributeValue, Condition, Item } from '../../session/store';
import { PhpSessionNotFoundError } from './php-errors';
import { keyOf, type PhpStoreContext } from './php-store-context';
import type { Conditions } from './php-table';

export const LOCK = 'lock';

const OURS = /^([0-9]{1,12})\.[0-9]+$/;
const NOT_LOCKED: Condition = { attribute: LOCK, is: 'absent' };

/** The item as it was when the lock was taken, and the value that holds as long as the lock is ours. */
export interface LockedItem {
  readonly item: Item;
  readonly lock: AttributeValue;
}

/**
 * Takes the lock of a session that exists. Writes nothing for an unknown id.
 * @throws PhpSessionNotFoundError
 * @throws SessionLockedError after `maxLockWaitSeconds`
 */
export async function takePhpLock(context: PhpStoreContext, id: string): Promise<LockedItem> {
  const key = keyOf(context, id);
  const expires = context.settings.names.sessionLifetimeAttribute;
  const startedAt = context.now();
  const owner = newOwner(context);
  let waitedMillis = 0;
  let mayTake: Condition | undefined = NOT_LOCKED;
  for (;;) {
    const lock = lockValue(context, owner);
    let isAfterFailure = false;
    if (mayTake !== undefined) {
      const conditions: Conditions = [mayTake, { attribute: expires, is: 'greater', than: 0 }];
      const taken = await attempt(context, () => context.table.update(key, { set: { [LOCK]: lock } }, conditions));
      if (taken.result.applied && taken.result.previous !== undefined) return { item: taken.result.previous, lock };
      isAfterFailure = taken.isAfterFailure;
    }
    const item = await repeat(context, () => context.table.get(key));
    // Only a session has an end; an item without one is what PHP's handler leaves for an id it does not know.
    if (item === undefined || !hasEnd(item, expires)) throw new PhpSessionNotFoundError();
    // The answer to an earlier try was lost.
    if (isAfterFailure && item[LOCK]?.N === lock.N) return { item, lock };
    mayTake = conditionIfFree(context, item);
    if (mayTake !== undefined) continue;
    if (Math.max(waitedMillis / 1000, context.now() - startedAt) >= context.settings.maxLockWaitSeconds)
      throw new SessionLockedError(context.settings.maxLockWaitSeconds);
    const pauseMillis = pause(context);
    await context.sleep(pauseMillis);
    waitedMillis += pauseMillis;
  }
}

/** As the condition of the lock has it: a number above 0. */
function hasEnd(item: Item, expires: string): boolean {
  const end = readWholeNumber(item, expires);
  return typeof end === 'number' && end > 0;
}

/** For a session that is new and so known to nobody else. */
export function newPhpLock(context: PhpStoreContext): AttributeValue {
  return lockValue(context, newOwner(context));
}

/** The lock is still the one that was taken: the fence against a holder that woke up late. */
export function holdsPhpLock(lock: AttributeValue): Condition {
  return { attribute: LOCK, is: 'equal', to: lock };
}

/** What must still be so for the lock to be taken, or `undefined` while somebody holds it. */
function conditionIfFree(context: PhpStoreContext, item: Item): Condition | undefined {
  if (!hasAttribute(item, LOCK)) return NOT_LOCKED;
  const lock = item[LOCK];
  const end = OURS.exec(lock?.N ?? '')?.[1];
  const isOver = end !== undefined && Number(end) <= context.now();
  // Nothing of an expired session is left to protect, whoever locked it.
  const isExpired = Number(item[context.settings.names.sessionLifetimeAttribute]?.N) <= context.now();
  return lock !== undefined && (isOver || isExpired) ? holdsPhpLock(lock) : undefined;
}

function lockValue({ now, settings }: PhpStoreContext, owner: string): AttributeValue {
  return { N: `${now() + settings.lockLeaseSeconds}.${owner}` };
}

/** 20 random digits. The last one keeps DynamoDB from cutting zeros off; its numbers have 38 digits. */
function newOwner({ randomBytes }: PhpStoreContext): string {
  const random = BigInt(`0x${Buffer.from(randomBytes(8)).toString('hex')}`);
  return `${String(random).padStart(20, '0')}1`;
}

function pause({ settings, randomBytes }: PhpStoreContext): number {
  const { minLockRetryMicroseconds: shortest, maxLockRetryMicroseconds: longest } = settings;
  const share = Buffer.from(randomBytes(4)).readUInt32BE() / 2 ** 32;
  return (shortest + share * (longest - shortest)) / 1000;
}
