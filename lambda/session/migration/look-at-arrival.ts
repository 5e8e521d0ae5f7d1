// SPDX-License-Identifier: Apache-2.0
/** Whether a session of an older system may move in: is it alive, may its user, does what it carries fit. No write. */
import { ConfigurationError, InvalidInputError } from '../errors';
import type { LegacySession } from '../legacy-source';
import type { LifecycleContext } from '../lifecycle/context';
import { readUser } from '../lifecycle/user-item';
import { askSource } from './ask-source';
import type { PendingClaim } from './claim-item';
import type { LegacyOptions, MovedSession } from './legacy-options';
import { refusalByContent } from './legacy-refusal';
import type { LegacyVisit } from './legacy-visit';
import type { MoveRefusal } from './migration-report';
import { type MovedAttributes, type MovedTimes, movedAttributes, timesOf } from './moved-session';
import { refusalByUserItem, refusalByUserRecord } from './user-refusal';

export interface MoveInOptions extends LegacyOptions<unknown> {
  /** Throws for data that the caller could not work with. */
  readonly check?: ((user: string, data: unknown) => void) | undefined;
}

/** What one look at older system and user gives; `generation` was read after the older session was found alive. */
export interface Arrival {
  readonly legacy: LegacySession;
  readonly times: MovedTimes;
  readonly attributes: MovedAttributes;
  readonly generation: number;
}

/**
 * Reads the older session, the user and what the user may do.
 * @param pending the claim by which the session was moving in before; absent: it was not
 */
export async function lookAtArrival(
  context: LifecycleContext,
  visit: LegacyVisit,
  options: MoveInOptions,
  pending: PendingClaim | undefined,
): Promise<Arrival | { readonly refused: MoveRefusal }> {
  const legacy = await askSource(context, () => visit.source.read(visit.id, context.now()));
  if (legacy === undefined) return { refused: 'absent' };
  if ('refused' in legacy) return { refused: legacy.refused };
  const refusedAtOnce = refusalByContent(legacy, context.now(), options.startedAfter);
  if (refusedAtOnce !== undefined) return { refused: refusedAtOnce };
  // It was moving in before: where nobody knows when it began, it is no younger than that.
  const knownSince = pending?.user === legacy.user ? pending.createdAt : context.now();
  const times = timesOf(context, legacy, knownSince, options);
  // Older than the absolute timeout allows, or about to end.
  if (times === undefined) return { refused: 'over' };
  const user = await readUser(context, legacy.user);
  const refused = refusalByUserItem(user, legacy);
  if (refused !== undefined) return { refused };
  const carried = options.asSession === undefined ? {} : await options.asSession(legacy, visit.source.name);
  requireMovedSession(carried);
  options.check?.(legacy.user, carried.data ?? {});
  const byRecord = await refusalByUserRecord(context, legacy, carried.userRecordKey);
  if (byRecord !== undefined) return { refused: byRecord };
  try {
    const attributes = movedAttributes(context, legacy, carried, visit.claimId);
    return { legacy, times, attributes, generation: user.generation };
  } catch (failure) {
    // Too much data, or data that is no JSON: this user logs in anew, all others move in.
    if (failure instanceof InvalidInputError) return { refused: 'unfit' };
    throw failure;
  }
}

const MOVED: ReadonlySet<string> = new Set<keyof MovedSession>(['data', 'claims', 'device', 'userRecordKey']);

/** Whatever else it returned would be lost with the old session. */
function requireMovedSession(carried: unknown): asserts carried is MovedSession<unknown> {
  const isObject = typeof carried === 'object' && carried !== null;
  // What else it has is not named: returned by mistake, the data of a user may be names, too.
  if (!isObject || Object.keys(carried).some((name) => !MOVED.has(name)))
    throw new ConfigurationError(
      `legacy.asSession must return an object with nothing but ${[...MOVED].join(', ')}; it returned ${isObject ? 'something else beside' : 'no object'}`,
    );
}
