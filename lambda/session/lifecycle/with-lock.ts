// SPDX-License-Identifier: Apache-2.0
/**
 * One request at a time on a session: a lease on the session item, in the attributes `lock_owner` and `lock_expires_at`.
 *
 * Taking it moves the version on, so that a save begun before, without the lock or under an older one, fails its condition.
 * The save at the end asks that the lock is still the one that was taken, and gives it back in the same write.
 */
import { hasAttribute, number, readWholeNumber, text } from '../attribute';
import { ConfigurationError, SessionConflictError, SessionLockedError } from '../errors';
import type { Condition, Item } from '../store';
import { attempt, IS_SESSION, isAlive, isUnchanged, keyOf, type LifecycleContext, repeat } from './context';
import { saveSession } from './save-session';
import { memoryOf, type Session, sessionFromItem } from './session';

export interface LockOptions {
  /** How long the lock is held at most; longer than the function ever takes. 1 to 900. Default 10. */
  readonly leaseSeconds?: number | undefined;
  /** How long to wait for another holder; longer than the lease outlasts one that crashed. 0 to 900. Default 15. */
  readonly maxWaitSeconds?: number | undefined;
}

const OWNER = 'lock_owner';
const EXPIRES_AT = 'lock_expires_at';

const FIRST_PAUSE_MILLIS = 20;
const LONGEST_PAUSE_MILLIS = 500;

export async function withLock<Data, T>(
  context: LifecycleContext,
  session: Session<Data>,
  run: (session: Session<Data>) => T | Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const { leaseSeconds = 10, maxWaitSeconds = 15 } = options;
  requireSeconds('leaseSeconds', leaseSeconds, 1);
  requireSeconds('maxWaitSeconds', maxWaitSeconds, 0);
  const owner = Buffer.from(context.randomBytes(16)).toString('hex');
  const isOurs: Condition = { attribute: OWNER, is: 'equal', to: text(owner) };
  const locked = await takeLock(context, session, { owner, leaseSeconds, maxWaitSeconds });
  try {
    const result = await run(locked);
    const hasSaved = await saveSession(context, locked, { conditions: [isOurs], remove: [OWNER, EXPIRES_AT] });
    if (!hasSaved) await release(context, locked.id, isOurs);
    return result;
  } catch (failure) {
    await release(context, locked.id, isOurs);
    throw failure;
  }
}

interface Taking {
  readonly owner: string;
  readonly leaseSeconds: number;
  readonly maxWaitSeconds: number;
}

/** The session as it stands when the lock was taken. The first try needs no read: it goes by what `session` knows. */
async function takeLock<Data>(
  context: LifecycleContext,
  session: Session<Data>,
  { owner, leaseSeconds, maxWaitSeconds }: Taking,
): Promise<Session<Data>> {
  const key = keyOf(context, session.id);
  const startedAt = context.now();
  let { item, valid } = memoryOf(session);
  let waitedMillis = 0;
  for (let looks = 0; ; looks++) {
    const free = conditionsIfFree(context, item);
    let isAfterFailure = false;
    if (free !== undefined) {
      const version = number(valid.version + 1);
      const isSameVersion = isUnchanged('version', valid.version, hasAttribute(item, 'version') || valid.version > 0);
      const taken = await attempt(context, () =>
        context.store.update(
          key,
          { set: { [OWNER]: text(owner), [EXPIRES_AT]: number(context.now() + leaseSeconds), version } },
          [...isAlive(context, context.now()), isSameVersion, ...free],
        ),
      );
      if (taken.result.applied) return aliveFrom(context, session.id, { ...taken.result.previous, version });
      isAfterFailure = taken.isAfterFailure;
    }
    const found = await repeat(context, () => context.store.get(key));
    const current = aliveFrom<Data>(context, session.id, found);
    ({ item, valid } = memoryOf(current));
    // The answer to our own write was lost.
    if (isAfterFailure && item[OWNER]?.S === owner) return current;
    if (conditionsIfFree(context, item) !== undefined) continue;
    if (Math.max(waitedMillis / 1000, context.now() - startedAt) >= maxWaitSeconds)
      throw new SessionLockedError(maxWaitSeconds);
    const pauseMillis = pause(context, looks);
    await context.sleep(pauseMillis);
    waitedMillis += pauseMillis;
  }
}

/** @throws SessionConflictError where there is no live session any more */
function aliveFrom<Data>(context: LifecycleContext, tokenHash: string, item: Item | undefined): Session<Data> {
  const session = sessionFromItem<Data>(context, tokenHash, item);
  if (session === undefined) throw new SessionConflictError('notWritten');
  return session;
}

/** What must still be so for the lock to be taken; `undefined` while somebody holds it. */
function conditionsIfFree(context: LifecycleContext, item: Item): readonly Condition[] | undefined {
  const owner = item[OWNER];
  if (owner === undefined) return [{ attribute: OWNER, is: 'absent' }];
  const end = readWholeNumber(item, EXPIRES_AT);
  // A whole second more than the lease, because times are rounded down.
  if (typeof end === 'number' && end >= context.now()) return undefined;
  return [{ attribute: OWNER, is: 'equal', to: owner }];
}

/** Best effort: a lock that stays ends by itself, and one that was lost is somebody else's. */
async function release(context: LifecycleContext, tokenHash: string, isOurs: Condition): Promise<void> {
  try {
    await repeat(context, () =>
      context.store.update(keyOf(context, tokenHash), { remove: [OWNER, EXPIRES_AT] }, [IS_SESSION, isOurs]),
    );
  } catch {
    // The store is failing; the next holder waits for the end of the lease.
  }
}

/** Doubles up to half a second; the random half keeps those who wait from coming all at once. */
function pause({ randomBytes }: LifecycleContext, looks: number): number {
  const longest = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** Math.min(looks, 10));
  return longest * (0.5 + Buffer.from(randomBytes(4)).readUInt32BE() / 2 ** 33);
}

function requireSeconds(option: string, value: unknown, lowest: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < lowest || (value as number) > 900)
    throw new ConfigurationError(`${option} must be a whole number from ${lowest} to 900`);
}
