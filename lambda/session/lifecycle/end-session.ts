// SPDX-License-Identifier: Apache-2.0
/**
 * Ending sessions. A session item is never deleted but turned into a tombstone, which makes a put or a renewal that
 * arrives late harmless. The item always goes before its collection item: a session that is alive stays listed.
 */
import { hasAttribute, number, readString, readWholeNumber, text } from '../attribute';
import { settleClaim } from '../migration/claim';
import { claimIdIn } from '../migration/claim-item';
import { collectionKey } from '../session-keys';
import type { Item } from '../store';
import { rotationLinks } from '../validate-session-item';
import { attempt, IS_SESSION, keyOf, type LifecycleContext, repeat } from './context';

/** What a tombstone need not keep. */
export const CONTENT_ATTRIBUTES = ['data', 'claims', 'device'] as const;

/** How far an end reaches along the traces of rotation. */
export type Reach = 'wholeSession' | 'predecessors' | 'onlyThis';

export interface EndOptions {
  readonly reach: Reach;
  /** The user in whose collection the session is listed, where the item may not say it. */
  readonly user?: string;
  /** Where the item may not have been written yet (a sweep, an undo after a fault), a tombstone that expires then takes its place. */
  readonly tombstoneExpiresAt?: number;
}

/** One session to end: the one asked for, one that its claim names, or one that a rotation links to it. */
interface Step {
  readonly hash: string;
  readonly isLinked: boolean;
  readonly isPredecessor: boolean;
  readonly tombstoneExpiresAt: number | undefined;
}

/**
 * Ends a session and, along its rotations, what it came from and what came from it: during a rotation both are one
 * session. Safe to repeat. Returns whether this call ended a session that was alive.
 */
export async function endSession(context: LifecycleContext, tokenHash: string, options: EndOptions): Promise<boolean> {
  const { tombstoneExpiresAt } = options;
  const todo: Step[] = [{ hash: tokenHash, isLinked: false, isPredecessor: false, tombstoneExpiresAt }];
  const seen = new Set([tokenHash]);
  const listed: { readonly user: string; readonly hash: string }[] = [];
  const enqueue = (hash: string | undefined, isPredecessor: boolean): void => {
    if (hash === undefined || seen.has(hash)) return;
    seen.add(hash);
    todo.push({ hash, isLinked: true, isPredecessor, tombstoneExpiresAt: undefined });
  };
  let hasEndedLive = false;

  for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
    const { hash, isPredecessor } = next;
    const dead = next.isLinked ? await findDead(context, hash) : undefined;
    const previous = dead ?? (await kill(context, hash, next.tombstoneExpiresAt));
    const user = options.user ?? userOf(previous);
    if (user !== undefined && dead === undefined) listed.push({ user, hash });
    if (previous === undefined) continue;
    const wasEnded = hasAttribute(previous, 'revoked');
    if (!wasEnded && expiryOf(context, previous) > context.now()) hasEndedLive = true;
    const { replaces, replacedBy } = rotationLinks(previous);
    // Once it was rotated, the claim is its successor's.
    const claimId = options.reach === 'onlyThis' || replacedBy !== undefined ? undefined : claimIdIn(previous);
    if (claimId !== undefined) {
      // It moved in from an older system, whose cookie may still be about: it must not bring anything back.
      const claimed = await settleClaim(context, claimId);
      if (claimed !== undefined && !seen.has(claimed.tokenHash)) {
        seen.add(claimed.tokenHash);
        todo.push({
          hash: claimed.tokenHash,
          isLinked: false,
          isPredecessor: false,
          tombstoneExpiresAt: claimed.expiresAt,
        });
      }
    }
    // A predecessor that was already dead had been issued after its own predecessor died: nothing behind it is alive.
    if (options.reach !== 'onlyThis' && !(isPredecessor && wasEnded)) enqueue(replaces, true);
    if (options.reach === 'wholeSession') enqueue(replacedBy, false);
  }
  for (const { user, hash } of listed) await repeat(context, () => context.store.delete(collectionKey(user, hash)));
  return hasEndedLive;
}

/** Takes back a session that was written but never handed out; what it replaced lives on. */
export function undoSession(context: LifecycleContext, tokenHash: string, user: string | undefined): Promise<boolean> {
  return endSession(context, tokenHash, { reach: 'onlyThis', ...(user === undefined ? {} : { user }) });
}

/**
 * The same after a fault: tries, and lets the fault speak. The put of the item may still be on its way, and the session would
 * be alive without being listed: as in a sweep, a tombstone takes its place.
 */
export async function undoAfterFault(
  context: LifecycleContext,
  tokenHash: string,
  { user, absoluteEnd }: { readonly user: string | undefined; readonly absoluteEnd: number },
): Promise<void> {
  try {
    await endSession(context, tokenHash, {
      reach: 'onlyThis',
      tombstoneExpiresAt: absoluteEnd,
      ...(user === undefined ? {} : { user }),
    });
  } catch {
    // The store is failing; the caller throws the fault that led here.
  }
}

/**
 * The tombstone, if there is one. A session that many rotations left behind costs reads to follow and no writes; what is
 * dead stays so, and its links are final.
 */
async function findDead(context: LifecycleContext, tokenHash: string): Promise<Item | undefined> {
  const item = await repeat(context, () => context.store.get(keyOf(context, tokenHash)));
  return item !== undefined && item.type?.S === 'session' && hasAttribute(item, 'revoked') ? item : undefined;
}

/** Turns the item into a tombstone; returns what it was, `undefined` where no session item existed. */
async function kill(
  context: LifecycleContext,
  tokenHash: string,
  expiresAt: number | undefined,
): Promise<Item | undefined> {
  const isUpsert = expiresAt !== undefined;
  const { result } = await attempt(context, () =>
    context.store.update(
      keyOf(context, tokenHash),
      {
        ...(isUpsert ? { set: { type: text('session') } } : {}),
        setIfAbsent: {
          revoked: number(context.now()),
          ...(isUpsert ? { [context.store.attributeNames.expiresAt]: number(expiresAt) } : {}),
        },
        remove: CONTENT_ATTRIBUTES,
      },
      [IS_SESSION],
      { orNoItem: isUpsert },
    ),
  );
  return result.applied ? result.previous : undefined;
}

function userOf(item: Item | undefined): string | undefined {
  const user = item === undefined ? undefined : readString(item, 'user');
  return typeof user === 'string' ? user : undefined;
}

function expiryOf(context: LifecycleContext, item: Item): number {
  const expiresAt = readWholeNumber(item, context.store.attributeNames.expiresAt);
  return typeof expiresAt === 'number' ? expiresAt : 0;
}
