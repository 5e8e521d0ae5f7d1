// SPDX-License-Identifier: Apache-2.0
/** Keeps a user at the most sessions the settings allow, by ending the oldest logins. */

import { collectionKey } from '../session-keys';
import { queryCollection, readSessions } from './collection';
import { type LifecycleContext, repeat } from './context';
import { endSession } from './end-session';

/** Each login adds one, so the list gets shorter; more would make one login pay for all. */
const MOST_CLEARED_PER_LOGIN = 25;

/**
 * Counts live sessions, not collection items. Ends only logins older than the new one, and none if that was ended already,
 * so that logins at the same time never end each other both; what can remain is more sessions than allowed until the next
 * login. Collection items of sessions that are over go here, or a user with a short idle timeout would gather them for as
 * long as the absolute one.
 * @param replacedHash is ended by the caller, and does not count
 */
export async function limitSessions(
  context: LifecycleContext,
  user: string,
  newTokenHash: string,
  replacedHash?: string,
): Promise<void> {
  const { maxSessionsPerUser } = context.settings;
  const listed = (await queryCollection(context, user)).filter(({ tokenHash }) => tokenHash !== replacedHash);
  if (listed.length <= maxSessionsPerUser) return;
  const { live, over } = await readSessions(context, listed);
  for (const tokenHash of over.slice(0, MOST_CLEARED_PER_LOGIN))
    await repeat(context, () => context.store.delete(collectionKey(user, tokenHash)));

  const oldestFirst = live
    .filter(({ valid }) => valid.user === user)
    .sort((a, b) => a.valid.createdAt - b.valid.createdAt || (a.tokenHash < b.tokenHash ? -1 : 1));
  // -1 where the new session is not alive any more: then nobody is older.
  const position = oldestFirst.findIndex(({ tokenHash }) => tokenHash === newTokenHash);
  const older = oldestFirst.slice(0, Math.max(0, position));
  for (const { tokenHash } of older.slice(0, Math.max(0, oldestFirst.length - maxSessionsPerUser)))
    await endSession(context, tokenHash, { reach: 'wholeSession', user });
}
