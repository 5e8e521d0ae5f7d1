// SPDX-License-Identifier: Apache-2.0
/**
 * Starts a session. For a user, the order is what makes it safe against a log-out-everywhere at the same time: the
 * generation is read before the credentials are checked, the session is listed before it exists, and after it exists the
 * generation is read once more. Whichever bump comes in between is seen here or sees the session there.
 */
import { number, text } from '../attribute';
import { type Claims, writeClaims } from '../claims';
import { AuthenticationSupersededError, InvalidInputError, SessionStoreError, UserDisabledError } from '../errors';
import type { Item } from '../store';
import { generateSessionToken, hashSessionToken } from '../token';
import { isUserId } from '../validate-session-item';
import { attempt, keyOf, type LifecycleContext, repeat } from './context';
import { endSession, undoAfterFault, undoSession } from './end-session';
import { limitSessions } from './limit-sessions';
import { type PreparedToken, useToken } from './prepared-token';
import { memoryOf, type Session, sessionFromItem } from './session';
import { serializeData } from './session-data';
import {
  collectionItem,
  type Device,
  effectiveEnd,
  keyAttributes,
  requireFittingItem,
  writeDevice,
} from './session-item';
import { readUser } from './user-item';

/** The user's generation as it was before the credentials were checked. Plain JSON, so it can wait for a second factor. */
export interface Authentication {
  readonly user: string;
  readonly generation: number;
}

export interface CreateInput<Data> {
  /** 1 to 128 visible ASCII characters; absent: an anonymous session, which never authorizes. */
  readonly user?: string | undefined;
  /** From `beginAuthentication`. Absent: the generation is read now, which misses a log-out-everywhere during the check of the credentials. */
  readonly authentication?: Authentication | undefined;
  /** JSON. Default `{}`. */
  readonly data?: Data | undefined;
  /** Copied to the authorizer's context. Default none. */
  readonly claims?: Claims | undefined;
  readonly device?: Device | undefined;
  /** The session of this browser until now, anonymous or another user's; ended once the new one stands. */
  readonly replaces?: Session<never> | Session<unknown> | null | undefined;
  /** Key of the application's own user record; wanted when the settings name a `userRecordAttribute`. */
  readonly userRecordKey?: { readonly partitionKey: string; readonly sortKey: string } | undefined;
  /** From `prepareToken`, where the token had to be known before. Default: a fresh one. */
  readonly token?: PreparedToken | undefined;
  /** When the login began, for sessions that moved in from elsewhere, in Unix seconds. Default now. */
  readonly createdAt?: number | undefined;
}

export interface IssuedSession<Data> {
  readonly session: Session<Data>;
  /** Hand it out in the cookie, and nowhere else. */
  readonly token: string;
}

export async function beginAuthentication(context: LifecycleContext, user: string): Promise<Authentication> {
  requireUserId(user);
  return { user, generation: (await readUser(context, user)).generation };
}

export async function createSession<Data>(
  context: LifecycleContext,
  input: CreateInput<Data>,
): Promise<IssuedSession<Data>> {
  const draft = draftOf(context, input);
  if (input.replaces) memoryOf(input.replaces);
  const generation = draft.user === undefined ? 0 : await generationFor(context, draft.user, input.authentication);
  const token = input.token === undefined ? generateSessionToken(context.randomBytes) : useToken(input.token);
  const tokenHash = hashSessionToken(token);
  const item: Item = {
    ...draft.attributes,
    generation: number(generation),
    ...keyAttributes(context.store, keyOf(context, tokenHash)),
  };
  try {
    if (draft.user !== undefined) {
      const { user, createdAt, device, absoluteEnd } = draft;
      await putListed(
        context,
        collectionItem(context, { user, tokenHash, generation, createdAt, absoluteEnd, device }),
      );
    }
    if (!(await putSession(context, tokenHash, item))) return await supersede(context, tokenHash, draft.user);
    if (draft.user !== undefined) {
      const after = await readUser(context, draft.user);
      if (after.generation !== generation) return await supersede(context, tokenHash, draft.user);
      if (after.isDisabled) {
        await undoSession(context, tokenHash, draft.user);
        throw new UserDisabledError();
      }
    }
    // The old session goes last: a fault before that takes the new one back, and the user still has the old.
    if (draft.user !== undefined) await limitSessions(context, draft.user, tokenHash, input.replaces?.id);
    if (input.replaces) await endSession(context, input.replaces.id, { reach: 'wholeSession' });
  } catch (failure) {
    if (failure instanceof SessionStoreError) await undoAfterFault(context, tokenHash, draft);
    throw failure;
  }
  const session = sessionFromItem<Data>(context, tokenHash, item);
  if (session === undefined)
    throw new InvalidInputError(
      'createdAt must not lie so far back that the session is already over, nor in the future',
    );
  return { session, token };
}

/** Everything that can be refused is refused here, before the first write. */
function draftOf<Data>(context: LifecycleContext, input: CreateInput<Data>) {
  const now = context.now();
  const { user, authentication, userRecordKey } = input;
  if (user !== undefined) requireUserId(user);
  if (authentication !== undefined && (user === undefined || authentication.user !== user))
    throw new InvalidInputError('authentication must come from beginAuthentication for the same user');
  if (user !== undefined && context.settings.userRecordAttribute !== undefined && userRecordKey === undefined)
    throw new InvalidInputError(
      'userRecordKey must name the user record, because the settings have a userRecordAttribute',
    );
  if (userRecordKey !== undefined && !(isKeyValue(userRecordKey.partitionKey) && isKeyValue(userRecordKey.sortKey)))
    throw new InvalidInputError('userRecordKey must have a partitionKey and a sortKey, strings of 1 to 1,024 bytes');
  const createdAt = input.createdAt ?? now;
  if (!Number.isSafeInteger(createdAt) || createdAt < 0 || createdAt > now)
    throw new InvalidInputError('createdAt must be a time in the past in whole Unix seconds');
  const claims = writeClaims(input.claims);
  const device = writeDevice(input.device);
  const expiresAt = effectiveEnd(context.settings, createdAt, now);
  if (expiresAt <= now) throw new InvalidInputError('createdAt must not lie further back than the absolute timeout');
  const attributes: Item = {
    type: text('session'),
    ...(user === undefined ? {} : { user: text(user), authenticated_at: number(now) }),
    ...(userRecordKey === undefined
      ? {}
      : { user_pk: text(userRecordKey.partitionKey), user_sk: text(userRecordKey.sortKey) }),
    created_at: number(createdAt),
    issued_at: number(now),
    [context.store.attributeNames.expiresAt]: number(expiresAt),
    version: number(0),
    data: text(serializeData(input.data ?? {})),
    ...(claims === undefined ? {} : { claims }),
    ...(device === undefined ? {} : { device }),
  };
  requireFittingItem(context, attributes);
  const absoluteEnd = createdAt + context.settings.absoluteTimeoutSeconds;
  return { user, createdAt, device, absoluteEnd, attributes };
}

async function generationFor(
  context: LifecycleContext,
  user: string,
  authentication: Authentication | undefined,
): Promise<number> {
  if (authentication !== undefined) {
    if (!Number.isSafeInteger(authentication.generation) || authentication.generation < 0)
      throw new InvalidInputError('authentication must be what beginAuthentication returned');
    return authentication.generation;
  }
  const state = await readUser(context, user);
  if (state.isDisabled) throw new UserDisabledError();
  return state.generation;
}

/** Puts the collection item; one that is already there is our own, from a put whose answer was lost. */
export async function putListed(context: LifecycleContext, item: Item): Promise<void> {
  await attempt(context, () => context.store.put(item));
}

/**
 * Puts the session item. False if it is not alive now: a sweep put its tombstone there first, or ended it between a put
 * whose answer was lost and the next.
 */
export async function putSession(context: LifecycleContext, tokenHash: string, item: Item): Promise<boolean> {
  const { result, isAfterFailure } = await attempt(context, () => context.store.put(item));
  if (result) return true;
  if (!isAfterFailure) return false;
  const found = await repeat(context, () => context.store.get(keyOf(context, tokenHash), ['type', 'revoked']));
  return found !== undefined && found.type?.S === 'session' && !Object.hasOwn(found, 'revoked');
}

async function supersede(context: LifecycleContext, tokenHash: string, user: string | undefined): Promise<never> {
  await undoSession(context, tokenHash, user);
  throw new AuthenticationSupersededError();
}

/** What DynamoDB takes as a sort key; it takes a little more as a partition key. */
function isKeyValue(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= 1024;
}

export function requireUserId(user: unknown): asserts user is string {
  if (isUserId(user)) return;
  const kind = typeof user === 'string' ? '' : `; it is no text but ${user === null ? 'null' : typeof user}`;
  throw new InvalidInputError(`user must be 1 to 128 visible ASCII characters, without spaces${kind}`);
}
