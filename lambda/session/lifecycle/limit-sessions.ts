// SPDX-License-Identifier: Apache-2.0
/** Keeps a user at the most sessions the settings allow, by ending the oldest logins. */
import { queryCollection, readSessions } from './collection';
import type { LifecycleContext } from './context';
import { endSession } from './end-session';

/**
 * Counts live sessions, not collection items: those of dead sessions linger until TTL and must push nobody out. Ends only
 * logins older than the new one, and none if that was ended already, so that logins at the same time never end each other
 * both. What can remain is more sessions than allowed until the next login.
 */
export async function limitSessions(context: LifecycleContext, user: string, newTokenHash: string): Promise<void> {
  const { maxSessionsPerUser } = context.settings;
  const listed = await queryCollection(context, user);
  if (listed.length <= maxSessionsPerUser) return;
  const hashes = listed.map(({ tokenHash }) => tokenHash);
  const live = (await readSessions(context, hashes)).filter(({ valid }) => valid.user === user);
  const oldestFirst = live.sort(
    (a, b) => a.valid.createdAt - b.valid.createdAt || (a.tokenHash < b.tokenHash ? -1 : 1),
  );
  // -1 where the new session is not alive any more: then nobody is older.
  const position = oldestFirst.findIndex(({ tokenHash }) => tokenHash === newTokenHash);
  const older = oldestFirst.slice(0, Math.max(0, position));
  for (const { tokenHash } of older.slice(0, Math.max(0, live.length - maxSessionsPerUser)))
    await endSession(context, tokenHash, { reach: 'wholeSession', user });
}
