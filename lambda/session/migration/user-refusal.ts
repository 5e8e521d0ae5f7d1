// SPDX-License-Identifier: Apache-2.0
/** Whether a user may still bring a session along: the bans and "valid after" lines that hold for our own sessions too. */
import { ODD, readWholeNumber } from '../attribute';
import type { LegacySession } from '../legacy-source';
import { type LifecycleContext, repeat } from '../lifecycle/context';
import type { UserState } from '../lifecycle/user-item';
import type { ItemKey } from '../store';

export type UserRefusal = 'userDisabled' | 'beforeLine' | 'userRecord';

/**
 * Why the user's own item ends the session. Equality is dead, other than for sessions of ours: within one second nobody can
 * tell which came first. A beginning that the older system does not tell is 0, which any line ends.
 */
export function refusalByUserItem(user: UserState, legacy: LegacySession): UserRefusal | undefined {
  if (user.isDisabled) return 'userDisabled';
  // Logged out everywhere, and the time is missing: nothing says that this session is younger.
  const line = user.sessionsValidAfter ?? (user.generation > 0 ? Number.POSITIVE_INFINITY : undefined);
  return line !== undefined && legacy.createdAt <= line ? 'beforeLine' : undefined;
}

/** The same for the line in the application's own user record, where the settings name one. */
export async function refusalByUserRecord(
  context: LifecycleContext,
  legacy: LegacySession,
  recordKey: ItemKey | undefined,
): Promise<UserRefusal | undefined> {
  const { userRecordAttribute } = context.settings;
  if (userRecordAttribute === undefined || recordKey === undefined) return undefined;
  // With the key, so that a record without a line is not taken for none.
  const attributes = [context.store.attributeNames.partitionKey, userRecordAttribute];
  const record = await repeat(context, () => context.store.get(recordKey, attributes));
  // A user that the application deleted.
  if (record === undefined) return 'userRecord';
  const line = readWholeNumber(record, userRecordAttribute);
  // A line that should be checked and cannot be.
  if (line === ODD) return 'userRecord';
  return line !== undefined && legacy.createdAt <= line ? 'beforeLine' : undefined;
}
