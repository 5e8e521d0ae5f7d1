// SPDX-License-Identifier: Apache-2.0
/** Holders of the lock on a session, over a store in memory. */
import { createSessions } from '../../lambda/session/create-sessions';
import type { Session } from '../../lambda/session/lifecycle/session';
import { type Fixture, type FixtureOptions, fixture } from './fixtures';

export interface Counter {
  count: number;
}

export const increment = (session: Session<Counter>) => {
  session.data.count++;
};

export async function start(options: FixtureOptions<Counter> = {}) {
  const given = fixture<Counter>(options);
  const { session, token } = await given.sessions.create({ user: 'u-1', data: { count: 0 } });
  const read = async () => {
    const found = await given.sessions.read(given.cookie(token));
    if (found === null) throw new Error('the session is gone');
    return found;
  };
  given.calls.reset();
  return { ...given, session, read };
}

/** A second library on the same store, such as another function's. */
export function elsewhere(given: Fixture<Counter>, sleep: () => Promise<void> = async () => {}) {
  return createSessions<Counter>({ store: given.store, now: given.clock.now, sleep });
}

/** Holds the lock until it is let go. */
export async function hold(given: Fixture<Counter>, session: Session<Counter>) {
  let letGo: (change: number) => void = () => {};
  let isHeld: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const change = new Promise<number>((resolve) => {
    letGo = resolve;
  });
  const done = given.sessions.withLock(session, async (locked) => {
    isHeld();
    locked.data.count += await change;
  });
  done.catch(() => undefined);
  await held;
  return { letGo, done };
}

export const lockOf = (given: Fixture<Counter>) => given.store.items().find((item) => 'lock_owner' in item);
