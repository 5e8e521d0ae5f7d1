// SPDX-License-Identifier: Apache-2.0
/**
 * The user item and its generation: the fence between logins and "log out everywhere". A generation is a counter, not a
 * time: within one second a time is wrong one way or the other. The item is never deleted, so that it never restarts.
 */
import { hasAttribute, number, ODD, readString, readWholeNumber, text } from '../attribute';
import { SessionStoreError } from '../errors';
import { userKey } from '../session-keys';
import type { Condition, Item } from '../store';
import { attempt, isUnchanged, type LifecycleContext, repeat } from './context';

export interface UserState {
  /** 0 where the user never logged out everywhere. */
  readonly generation: number;
  readonly isDisabled: boolean;
  /** The call, or for `except` the session, that set the generation last. */
  readonly changedBy?: string;
  /** When the generation was set last; what an older system began by then is over. Absent where it never was. */
  readonly sessionsValidAfter?: number;
  /** Holds as long as the generation is still this one. */
  readonly isSameGeneration: Condition;
}

export async function readUser(context: LifecycleContext, user: string): Promise<UserState> {
  return userStateFrom(await repeat(context, () => context.store.get(userKey(user))));
}

/**
 * @param item `undefined` where the user never logged out everywhere and was never disabled
 * @throws SessionStoreError for an item that this library did not write
 */
export function userStateFrom(item: Item = {}): UserState {
  const generation = readWholeNumber(item, 'generation');
  if (generation === ODD) throw new SessionStoreError('the user item has a generation that is not a whole number');
  const changedBy = readString(item, 'changed_by');
  const sessionsValidAfter = readWholeNumber(item, 'sessions_valid_after');
  return {
    generation: generation ?? 0,
    isDisabled: isDisabled(item),
    ...(typeof changedBy === 'string' ? { changedBy } : {}),
    ...(typeof sessionsValidAfter === 'number' ? { sessionsValidAfter } : {}),
    isSameGeneration: isUnchanged('generation', generation ?? 0, generation !== undefined),
  };
}

/** Anything but an explicit false disables: an attribute of another type was not written to let someone in. */
function isDisabled(item: Item): boolean {
  return hasAttribute(item, 'disabled') && item.disabled?.BOOL !== false;
}

/** The fence: a session of this generation may be handed out only if nothing moved the generation meanwhile. */
export async function isStillGeneration(context: LifecycleContext, user: string, generation: number): Promise<boolean> {
  const state = await readUser(context, user);
  return state.generation === generation && !state.isDisabled;
}

export interface BumpOptions {
  /** Identifies who bumps. */
  readonly changedBy: string;
  readonly disable?: boolean;
  /** Looked at before each try; false gives up. */
  readonly mayBump?: (state: UserState) => boolean;
}

export interface BumpOutcome {
  /** False if `mayBump` refused. */
  readonly isBumped: boolean;
  /** Everything older is from before: the new generation, or the one that made `mayBump` refuse. */
  readonly generation: number;
  /** Who set that generation. */
  readonly changedBy: string | undefined;
}

const MAX_BUMPS = 20;

/**
 * Moves the user to the next generation. Another caller's bump is never taken for ours: each must have its own.
 */
export async function bumpGeneration(
  context: LifecycleContext,
  user: string,
  options: BumpOptions,
): Promise<BumpOutcome> {
  for (let bumps = 0; bumps < MAX_BUMPS; bumps++) {
    const state = await readUser(context, user);
    if (options.mayBump?.(state) === false)
      return { isBumped: false, generation: state.generation, changedBy: state.changedBy };
    const generation = state.generation + 1;
    const { result, isAfterFailure } = await attempt(context, () =>
      context.store.update(
        userKey(user),
        {
          set: {
            generation: number(generation),
            changed_by: text(options.changedBy),
            sessions_valid_after: number(context.now()),
            ...(options.disable ? { disabled: { BOOL: true } } : {}),
          },
        },
        [state.isSameGeneration],
      ),
    );
    if (result.applied) return { isBumped: true, generation, changedBy: options.changedBy };
    if (isAfterFailure) {
      const found = await readUser(context, user);
      if (found.changedBy === options.changedBy && found.generation === generation)
        return { isBumped: true, generation, changedBy: options.changedBy };
    }
  }
  throw new SessionStoreError('the user is being logged out by too many callers at once; try again', {
    isRetryable: true,
  });
}

/**
 * Lifts a disable if nothing moved the generation since it was read, so that a late duplicate cannot undo a newer ban.
 * Returns whether the user is enabled now, as far as this call knows.
 */
export async function enableUser(context: LifecycleContext, user: string): Promise<boolean> {
  const state = await readUser(context, user);
  if (!state.isDisabled) return true;
  const { result, isAfterFailure } = await attempt(context, () =>
    context.store.update(userKey(user), { remove: ['disabled'] }, [state.isSameGeneration]),
  );
  if (result.applied) return true;
  return isAfterFailure && !(await readUser(context, user)).isDisabled;
}
