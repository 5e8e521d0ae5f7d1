// SPDX-License-Identifier: Apache-2.0
/** The lock beside those who do not ask for it, on sessions that ended, under faults, and under load. */
import { createSessions } from '../../lambda/session/create-sessions';
import { ConfigurationError, SessionConflictError } from '../../lambda/session/errors';
import type { SessionStore } from '../../lambda/session/store';
import { type EmulatedTable, startEmulatedTable } from './emulated-table';

import { type Counter, increment, lockOf, start } from './lock-holders';

describe('beside those who do not lock', () => {
  it('a save begun before the lock is refused', async () => {
    const given = await start();
    const early = await given.read();
    early.data.count = 50;
    await given.sessions.withLock(given.session, async (locked) => {
      await expect(given.sessions.save(early)).rejects.toThrow(SessionConflictError);
      increment(locked);
    });

    expect((await given.read()).data).toEqual({ count: 1 });
  });

  it('a save that comes in under the lock makes the holder’s a conflict', async () => {
    const given = await start();
    const run = given.sessions.withLock(given.session, async (locked) => {
      const late = await given.read();
      late.data.count = 50;
      await given.sessions.save(late);
      increment(locked);
    });

    await expect(run).rejects.toThrow(SessionConflictError);
    expect((await given.read()).data).toEqual({ count: 50 });
    expect(lockOf(given)).toBeUndefined();
  });

  it('a lock is taken although somebody saved since the session was read', async () => {
    const given = await start();
    const other = await given.read();
    other.data.count = 7;
    await given.sessions.save(other);
    await given.sessions.withLock(given.session, increment);

    expect((await given.read()).data).toEqual({ count: 8 });
  });

  it('a rotation keeps its data and leaves the lock behind', async () => {
    const given = await start();
    const stale = await given.read();
    await given.sessions.withLock(given.session, increment);
    const rotated = await given.sessions.rotate(stale);

    expect(rotated?.session.data).toEqual({ count: 1 });
    expect(lockOf(given)).toBeUndefined();
  });
});

describe('a session that ended', () => {
  it.each(['destroy', 'expire'] as const)('(%s) is a conflict, and the function does not run', async (end) => {
    const given = await start({ absoluteTimeoutSeconds: 100 });
    if (end === 'destroy') await given.sessions.destroy(given.session);
    else given.clock.advance(100);
    const run = jest.fn();

    await expect(given.sessions.withLock(given.session, run)).rejects.toThrow(SessionConflictError);
    expect(run).not.toHaveBeenCalled();
  });

  it('under the lock takes no more data', async () => {
    const given = await start();
    const run = given.sessions.withLock(given.session, async (locked) => {
      await given.sessions.destroy(locked);
      increment(locked);
    });

    await expect(run).rejects.toThrow(SessionConflictError);
    expect(given.store.items().every((item) => !('data' in item))).toBe(true);
  });
});

describe('faults', () => {
  it('a lock whose answer was lost is known as our own', async () => {
    const given = await start();
    given.calls.loseAnswerOf('update');
    await given.sessions.withLock(given.session, increment, { maxWaitSeconds: 0 });

    expect((await given.read()).data).toEqual({ count: 1 });
  });

  it('a lock whose request was lost is asked for again', async () => {
    const given = await start();
    given.calls.dropRequestOf('update');
    await given.sessions.withLock(given.session, increment, { maxWaitSeconds: 0 });

    expect((await given.read()).data).toEqual({ count: 1 });
  });

  it('a save whose answer was lost is known as our own', async () => {
    const given = await start();
    await given.sessions.withLock(given.session, (locked) => {
      given.calls.loseAnswerOf('update');
      increment(locked);
    });

    expect((await given.read()).data).toEqual({ count: 1 });
    expect(lockOf(given)).toBeUndefined();
  });
});

it.each([{ leaseSeconds: 0 }, { leaseSeconds: 901 }, { maxWaitSeconds: -1 }, { maxWaitSeconds: 0.5 }])(
  'refuses %j and names it',
  async (options) => {
    const { sessions, session } = await start();
    const run = sessions.withLock(session, increment, options);

    await expect(run).rejects.toThrow(ConfigurationError);
    await expect(run).rejects.toThrow(Object.keys(options)[0]);
  },
);

describe('50 concurrent increments on the emulated table', () => {
  let table: EmulatedTable;
  beforeAll(async () => {
    table = await startEmulatedTable();
  });
  afterAll(() => table.close());

  async function counter(store: SessionStore) {
    // Longer pauses than the library's own, so that 50 who wait do not keep the emulator from those who work.
    const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, 5 * millis));
    const sessions = createSessions<Counter>({ store, sleep });
    const { token } = await sessions.create({ user: 'u-1', data: { count: 0 } });
    const read = async () => {
      const session = await sessions.read(`${sessions.settings.cookieName}=${token}`);
      if (session === null) throw new Error('the session is gone');
      return session;
    };
    const many = (run: () => Promise<unknown>) => Promise.allSettled(Array.from({ length: 50 }, run));
    return { sessions, read, many };
  }

  it('under the lock give 50', async () => {
    const { sessions, read, many } = await counter(table.store);
    const outcomes = await many(async () =>
      sessions.withLock(await read(), increment, { leaseSeconds: 900, maxWaitSeconds: 900 }),
    );

    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await read()).data).toEqual({ count: 50 });
  }, 120_000);

  it('without it report every conflict, and lose none silently', async () => {
    const { sessions, read, many } = await counter(table.store);
    const outcomes = await many(async () => {
      const session = await read();
      increment(session);
      await sessions.save(session);
    });

    const conflicts = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(conflicts.every(({ reason }) => reason instanceof SessionConflictError)).toBe(true);
    expect((await read()).data).toEqual({ count: 50 - conflicts.length });
  });
});
