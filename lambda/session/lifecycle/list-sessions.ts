// SPDX-License-Identifier: Apache-2.0
/** The devices a user is signed in on, and ending one of them. */
import { readString } from '../attribute';
import { isTokenHash } from '../token';
import { queryCollection, readSessions } from './collection';
import { keyOf, type LifecycleContext, repeat } from './context';
import { requireUserId } from './create-session';
import { endSession } from './end-session';
import { type Device, readDevice } from './session-item';

/** One signed-in device. Times are Unix seconds. */
export interface ListedDevice {
  /** The token hash: names the session to `revoke`; not a credential. */
  readonly id: string;
  readonly createdAt: number;
  /** Last slide of the idle timeout; absent without one. */
  readonly renewedAt?: number;
  readonly expiresAt: number;
  readonly device?: Device;
  /** Whether this is the session passed as `current`. */
  readonly current: boolean;
}

/** Newest login first. Sessions that are over are left out, and never deleted here: a login may be under way. */
export async function listSessions(
  context: LifecycleContext,
  user: string,
  currentId?: string,
): Promise<ListedDevice[]> {
  requireUserId(user);
  const listed = await queryCollection(context, user);
  const { live } = await readSessions(context, listed);
  return live
    .filter(({ valid }) => valid.user === user)
    .map(({ tokenHash, item, valid }) => {
      const device = readDevice(item);
      return {
        id: tokenHash,
        createdAt: valid.createdAt,
        ...(valid.renewedAt === undefined ? {} : { renewedAt: valid.renewedAt }),
        expiresAt: valid.expiresAt,
        ...(device === undefined ? {} : { device }),
        current: tokenHash === currentId,
      };
    })
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
}

/** Ends one session of the user; false for an id that is none, unknown, or another user's. */
export async function revokeSession(context: LifecycleContext, user: string, id: unknown): Promise<boolean> {
  requireUserId(user);
  if (!isTokenHash(id)) return false;
  const item = await repeat(context, () => context.store.get(keyOf(context, id), ['type', 'user']));
  // An absent item keeps its collection item: a login may just be writing it, and must find itself listed.
  if (item === undefined || readString(item, 'type') !== 'session' || readString(item, 'user') !== user) return false;
  await endSession(context, id, { reach: 'wholeSession', user });
  return true;
}
