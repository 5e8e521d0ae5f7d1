// SPDX-License-Identifier: Apache-2.0
/**
 * Gives a session a fresh token: same user, same login, same data. The new item is written first, the old one retired last
 * and only if nothing happened to it meanwhile; a save that came in between is carried over, not lost.
 */
import { hasAttribute, number, readString, readWholeNumber, text } from '../attribute';
import { type Claims, writeClaims } from '../claims';
import { SessionStoreError } from '../errors';
import { passClaimOn } from '../migration/claim';
import { claimIdIn } from '../migration/claim-item';
import { collectionKey } from '../session-keys';
import type { Item } from '../store';
import { generateSessionToken, hashSessionToken } from '../token';
import { rotationLinks } from '../validate-session-item';
import {
  attempt,
  IN_FLIGHT_MARGIN_SECONDS,
  IS_SESSION,
  isAlive,
  isUnchanged,
  keyOf,
  type LifecycleContext,
  repeat,
} from './context';
import { type IssuedSession, putListed, putSession } from './create-session';
import { CONTENT_ATTRIBUTES, undoAfterFault, undoSession } from './end-session';
import { memoryOf, type Session, sessionFromItem } from './session';
import { collectionItem, effectiveEnd, keyAttributes, requireFittingItem } from './session-item';
import { isStillGeneration } from './user-item';

export interface RotateOptions {
  /** New claims; absent: the stored ones. */
  readonly claims?: Claims | undefined;
  /** The credentials were checked just now (step-up). Default false. */
  readonly authenticated?: boolean | undefined;
}

const COPIED_ATTRIBUTES = [
  'type',
  'user',
  'user_pk',
  'user_sk',
  'created_at',
  'authenticated_at',
  'data',
  'device',
  'max_end',
  'legacy_claim',
  'came_back_at',
] as const;

/** How often data saved during the rotation is carried over before it is given up. */
const MAX_COPIES = 3;

/** @param generation of the new session; the old one's unless the user was just bumped */
export async function rotateSession<Data>(
  context: LifecycleContext,
  session: Session<Data>,
  options: RotateOptions = {},
  generation?: number,
): Promise<IssuedSession<Data> | null> {
  memoryOf(session);
  const claims = writeClaims(options.claims);
  const oldHash = session.id;
  const old = await readAlive(context, oldHash);
  if (old === undefined) return null;

  const token = generateSessionToken(context.randomBytes);
  const newHash = hashSessionToken(token);
  const next = successorOf(context, { old, oldHash, newHash, claims, options, generation });
  // Claims are all that a rotation can add; a session that no longer fits a lowered cap must still be rotated.
  if (claims !== undefined) requireFittingItem(context, next.item);
  try {
    if (next.user !== undefined) await putListed(context, next.listed(next.user));
    const stored = (await putSession(context, newHash, next.item)) ? await replace(context, old, next) : undefined;
    if (stored === undefined) {
      await undoSession(context, newHash, next.user);
      return null;
    }
    const claimId = claimIdIn(old);
    // It moved in from an older system and its cookie has not come back yet; what is waited for now is the new one.
    if (claimId !== undefined) await passClaimOn(context, claimId, oldHash, newHash);
    await unlist(context, oldHash, next.user);
    const rotated = sessionFromItem<Data>(context, newHash, stored);
    return rotated === undefined ? null : { session: rotated, token };
  } catch (failure) {
    if (failure instanceof SessionStoreError) await undoAfterFault(context, newHash, next);
    throw failure;
  }
}

interface Successor {
  readonly oldHash: string;
  readonly newHash: string;
  readonly user: string | undefined;
  readonly generation: number;
  readonly absoluteEnd: number;
  readonly item: Item;
  readonly listed: (user: string) => Item;
}

/** The item as it stands if it is a live session, with its version. */
async function readAlive(context: LifecycleContext, tokenHash: string): Promise<Item | undefined> {
  const item = await repeat(context, () => context.store.get(keyOf(context, tokenHash)));
  return item !== undefined && sessionFromItem(context, tokenHash, item) !== undefined ? item : undefined;
}

function successorOf(
  context: LifecycleContext,
  from: {
    readonly old: Item;
    readonly oldHash: string;
    readonly newHash: string;
    readonly claims: Item[string] | undefined;
    readonly options: RotateOptions;
    readonly generation: number | undefined;
  },
): Successor {
  const { old, oldHash, newHash, options } = from;
  const { expiresAt } = context.store.attributeNames;
  const now = context.now();
  const createdAt = numberOf(old, 'created_at');
  const generation = from.generation ?? numberOf(old, 'generation');
  const user = readString(old, 'user');
  const claims = options.claims === undefined ? old.claims : from.claims;
  const isSliding = context.settings.idleTimeoutSeconds !== undefined;
  const item: Item = {
    ...pick(old, COPIED_ATTRIBUTES),
    ...keyAttributes(context.store, keyOf(context, newHash)),
    ...(claims === undefined ? {} : { claims }),
    ...(options.authenticated ? { authenticated_at: number(now) } : {}),
    ...(isSliding ? { renewed_at: number(now) } : {}),
    issued_at: number(now),
    // With an idle timeout that came later than the session, its successor has it.
    [expiresAt]: number(
      isSliding ? Math.min(effectiveEnd(context.settings, createdAt, now), endOf(old)) : numberOf(old, expiresAt),
    ),
    generation: number(generation),
    version: number(0),
    replaces: text(oldHash),
  };
  const absoluteEnd = Math.max(numberOf(item, expiresAt), createdAt + context.settings.absoluteTimeoutSeconds);
  return {
    oldHash,
    newHash,
    user: typeof user === 'string' ? user : undefined,
    generation,
    absoluteEnd,
    item,
    listed: (owner) =>
      collectionItem(context, {
        user: owner,
        tokenHash: newHash,
        generation,
        createdAt,
        absoluteEnd,
        device: item.device,
      }),
  };
}

/** Retires the old item in favour of the new; returns the new item as stored, `undefined` if the session ended first. */
async function replace(context: LifecycleContext, old: Item, next: Successor): Promise<Item | undefined> {
  let current = old;
  let stored = next.item;
  for (let copies = 0; ; copies++) {
    if (next.user !== undefined && !(await isStillGeneration(context, next.user, next.generation))) return undefined;
    const version = isUnchanged('version', numberOf(current, 'version'), hasAttribute(current, 'version'));
    const { result } = await attempt(context, () =>
      context.store.update(
        keyOf(context, next.oldHash),
        {
          set: { replaced_by: text(next.newHash), revoked: number(context.now()) },
          remove: CONTENT_ATTRIBUTES,
        },
        [...isAlive(context, context.now() + IN_FLIGHT_MARGIN_SECONDS), version],
      ),
    );
    if (result.applied) return stored;
    const found = await repeat(context, () => context.store.get(keyOf(context, next.oldHash)));
    // An answer was lost: the old item was retired by this very rotation.
    if (found !== undefined && rotationLinks(found).replacedBy === next.newHash) return stored;
    const hasNewData =
      found !== undefined &&
      sessionFromItem(context, next.oldHash, found) !== undefined &&
      numberOf(found, 'version') !== numberOf(current, 'version');
    if (!hasNewData || copies === MAX_COPIES) return undefined;
    const copied = await copyData(context, found, stored, next.newHash);
    if (copied === undefined) return undefined;
    current = found;
    stored = copied;
  }
}

/** Carries data that was saved on the old item over to the new one, which only this rotation knows. */
async function copyData(context: LifecycleContext, from: Item, to: Item, newHash: string): Promise<Item | undefined> {
  const version = numberOf(to, 'version');
  const set: Item = { ...pick(from, ['data']), version: number(version + 1) };
  const { result, isAfterFailure } = await attempt(context, () =>
    context.store.update(keyOf(context, newHash), { set }, [
      IS_SESSION,
      { attribute: 'revoked', is: 'absent' },
      isUnchanged('version', version, true),
    ]),
  );
  if (result.applied) return { ...to, ...set };
  if (!isAfterFailure) return undefined;
  const found = await repeat(context, () => context.store.get(keyOf(context, newHash)));
  const isOurs = found !== undefined && !hasAttribute(found, 'revoked') && numberOf(found, 'version') === version + 1;
  return isOurs ? { ...to, ...set } : undefined;
}

/** The old session is dead by now; a collection item that stays names nothing alive, so a fault here is no failure of the rotation. */
async function unlist(context: LifecycleContext, tokenHash: string, user: string | undefined): Promise<void> {
  if (user === undefined) return;
  try {
    await repeat(context, () => context.store.delete(collectionKey(user, tokenHash)));
  } catch (failure) {
    if (!(failure instanceof SessionStoreError)) throw failure;
  }
}

function numberOf(item: Item, name: string): number {
  const value = readWholeNumber(item, name);
  return typeof value === 'number' ? value : 0;
}

function endOf(item: Item): number {
  return numberOf(item, 'max_end') || Number.POSITIVE_INFINITY;
}

function pick(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}
