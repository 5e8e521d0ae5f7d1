// SPDX-License-Identifier: Apache-2.0
/** Keeps a user at the most sessions the settings allow, by ending the oldest logins. */
import { queryCollection, readSessions } from './collection';
import type { LifecycleContext } from './context';
import { endSession } from './end-session';

/** Counts live sessions, not collection items: those of dead sessions linger until TTL and must push nobody out. */
export async function limitSessions(context: LifecycleContext, user: string, newTokenHash: string): Promise<void> {
  const { maxSessionsPerUser } = context.settings;
  const listed = await queryCollection(context, user);
  if (listed.length <= maxSessionsPerUser) return;
  const others = listed.map(({ tokenHash }) => tokenHash).filter((hash) => hash !== newTokenHash);
  const live = (await readSessions(context, others)).filter(({ valid }) => valid.user === user);
  const oldestFirst = live.sort(
    (a, b) => a.valid.createdAt - b.valid.createdAt || (a.tokenHash < b.tokenHash ? -1 : 1),
  );
  const excess = Math.max(0, oldestFirst.length + 1 - maxSessionsPerUser);
  for (const { tokenHash } of oldestFirst.slice(0, excess))
    await endSession(context, tokenHash, { reach: 'wholeSession', user });
}
