// SPDX-License-Identifier: Apache-2.0
/** The lock on a session: holders that wait, crash, pause and wake up late; and what happens without it. */
import { createSessions } from '../../lambda/session/create-sessions';
import {
  ConfigurationError,
  InvalidInputError,
  SessionConflictError,
  SessionLockedError,
  SessionStoreError,
} from '../../lambda/session/errors';
import type { Session } from '../../lambda/session/lifecycle/session';
import type { SessionStore } from '../../lambda/session/store';
import { type EmulatedTable, startEmulatedTable } from './emulated-table';
import { type Fixture, fixture, NOW } from './fixtures';

interface Counter {
  count: number;
}

const increment = (session: Session<Counter>) => {
  session.data.count++;
};

async function start(options: Parameters<typeof fixture>[0] = {}) {
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
function elsewhere(given: Fixture<Counter>, sleep: () => Promise<void> = async () => {}) {
  return createSessions<Counter>({ store: given.store, now: given.clock.now, sleep });
}

/** Holds the lock until it is let go. */
async function hold(given: Fixture<Counter>, session: Session<Counter>) {
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

const lockOf = (given: Fixture<Counter>) => given.store.items().find((item) => 'lock_owner' in item);

describe('a lock that nobody else wants', () => {
  it('costs two writes and no read', async () => {
    const { sessions, session, calls } = await start();
    await sessions.withLock(session, increment);

    expect(calls.counts()).toEqual({ update: 2 });
  });

  it('is a lease with owner and end on the session item while the function runs, and gone after', async () => {
    const given = await start();
    await given.sessions.withLock(given.session, () => {
      expect(lockOf(given)).toMatchObject({
        lock_owner: { S: expect.stringMatching(/^[0-9a-f]{32}$/) },
        lock_expires_at: { N: String(NOW + 10) },
      });
    });

    expect(lockOf(given)).toBeUndefined();
  });

  it('gives the function the stored data, saves what it changed, and returns what it returned', async () => {
    const { sessions, session, read } = await start();
    session.data.count = 99;
    const returned = await sessions.withLock(session, (locked) => {
      expect(locked.data).toEqual({ count: 0 });
      locked.data.count = 5;
      return 'done';
    });

    expect(returned).toBe('done');
    expect((await read()).data).toEqual({ count: 5 });
    expect(session.data).toEqual({ count: 99 });
  });

  it('slides the idle timeout in the same write', async () => {
    const { sessions, session, read, clock } = await start({ idleTimeoutSeconds: 1000, renewalIntervalSeconds: 100 });
    clock.advance(200);
    await sessions.withLock(session, increment);

    expect((await read()).expiresAt).toBe(NOW + 1200);
  });

  it('writes no data if nothing changed', async () => {
    const { sessions, session, read } = await start();
    const { version } = await read();
    await sessions.withLock(session, () => {});

    expect(await read()).toMatchObject({ data: { count: 0 }, version: version + 1 });
  });

  it('lets the function save in between', async () => {
    const given = await start();
    await given.sessions.withLock(given.session, async (locked) => {
      locked.data.count = 1;
      await given.sessions.save(locked);
      expect(lockOf(given)).toBeDefined();
      locked.data.count = 2;
    });

    expect((await given.read()).data).toEqual({ count: 2 });
    expect(lockOf(given)).toBeUndefined();
  });
});

describe('a function that fails', () => {
  it('saves nothing and gives the lock back', async () => {
    const given = await start();
    const failure = new Error('mine');
    const run = given.sessions.withLock(given.session, (locked) => {
      increment(locked);
      throw failure;
    });

    await expect(run).rejects.toBe(failure);
    expect((await given.read()).data).toEqual({ count: 0 });
    expect(lockOf(given)).toBeUndefined();
  });

  it('with data that cannot be saved gives the lock back too', async () => {
    const given = await start();
    const run = given.sessions.withLock(given.session, (locked) => {
      locked.data.count = Number.NaN;
    });

    await expect(run).rejects.toThrow(InvalidInputError);
    expect(lockOf(given)).toBeUndefined();
  });

  it('speaks for itself even if the lock cannot be given back', async () => {
    const given = await start();
    const run = given.sessions.withLock(given.session, () => {
      given.calls.interceptor = {
        before: () => {
          throw new SessionStoreError('down');
        },
      };
      throw new Error('mine');
    });

    await expect(run).rejects.toThrow('mine');
  });
});

describe('two holders', () => {
  it('the second waits for the first and sees what it saved', async () => {
    const given = await start();
    const first = await hold(given, given.session);
    let waits = 0;
    const second = elsewhere(given, async () => {
      if (++waits < 3) return;
      first.letGo(1);
      await first.done;
    });
    await second.withLock(await given.read(), increment);

    expect(waits).toBe(3);
    expect((await given.read()).data).toEqual({ count: 2 });
  });

  it('the second waits with growing, random pauses and gives up in time', async () => {
    const pauses: number[] = [];
    const given = await start({ sleep: async (millis) => void pauses.push(millis) });
    await hold(given, given.session);
    const second = given.sessions.withLock(await given.read(), increment, { maxWaitSeconds: 5 });

    await expect(second).rejects.toMatchObject({ name: SessionLockedError.name, waitedSeconds: 5 });
    expect(pauses[0]).toBeLessThanOrEqual(40);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(500);
    expect(Math.max(...pauses)).toBeGreaterThan(250);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThanOrEqual(5000);
  });

  it('the wait ends by the clock too, however slow the store is', async () => {
    const given = await start();
    await hold(given, given.session);
    given.calls.interceptor = { before: ({ operation }) => operation === 'get' && given.clock.advance(5) };

    await expect(given.sessions.withLock(given.session, increment, { maxWaitSeconds: 5 })).rejects.toThrow(
      SessionLockedError,
    );
  });

  it('a lock that was held when the session was read, and is free now, costs a look and no wait', async () => {
    const given = await start({ sleep: () => Promise.reject(new Error('waited')) });
    const first = await hold(given, given.session);
    const session = await given.read();
    first.letGo(1);
    await first.done;
    await given.sessions.withLock(session, increment, { maxWaitSeconds: 0 });

    expect((await given.read()).data).toEqual({ count: 2 });
  });

  it('different sessions of one user do not wait for each other', async () => {
    const given = await start();
    const other = await given.sessions.create({ user: 'u-1', data: { count: 0 } });
    await hold(given, given.session);
    await given.sessions.withLock(other.session, increment, { maxWaitSeconds: 0 });
  });
});

describe('a crashed holder', () => {
  it('is replaced once its lease has ended, not a second earlier', async () => {
    const given = await start();
    await hold(given, given.session);
    given.clock.advance(10);
    const other = elsewhere(given);
    await expect(other.withLock(await given.read(), increment, { maxWaitSeconds: 0 })).rejects.toThrow(
      SessionLockedError,
    );
    given.clock.advance(1);
    await other.withLock(await given.read(), increment, { maxWaitSeconds: 0 });

    expect((await given.read()).data).toEqual({ count: 1 });
  });

  it('is replaced by one of two', async () => {
    const given = await start();
    await hold(given, given.session);
    given.clock.advance(11);
    const sessions = [await given.read(), await given.read()];
    const ran: number[] = [];
    await Promise.allSettled(
      sessions
        .map((session, index) =>
          elsewhere(given).withLock(session, () => new Promise<void>(() => ran.push(index)), { maxWaitSeconds: 0 }),
        )
        .map((run) => Promise.race([run, new Promise((resolve) => setImmediate(resolve))])),
    );

    expect(ran).toHaveLength(1);
  });
});

describe('a paused holder that wakes up late', () => {
  it('cannot save over its successor, even one that has not saved yet', async () => {
    const given = await start();
    const paused = await hold(given, given.session);
    given.clock.advance(11);
    await elsewhere(given).withLock(await given.read(), async (locked) => {
      paused.letGo(100);
      await expect(paused.done).rejects.toMatchObject({ name: SessionConflictError.name, outcome: 'notWritten' });
      increment(locked);
    });

    expect((await given.read()).data).toEqual({ count: 1 });
  });

  it('cannot give back the lock of its successor', async () => {
    const given = await start();
    const paused = await hold(given, given.session);
    given.clock.advance(11);
    await elsewhere(given).withLock(await given.read(), async () => {
      const owner = lockOf(given)?.lock_owner;
      paused.letGo(0);
      await paused.done;
      expect(lockOf(given)?.lock_owner).toEqual(owner);
    });
  });

  it('may save if nobody took its place', async () => {
    const given = await start();
    const paused = await hold(given, given.session);
    given.clock.advance(100);
    paused.letGo(1);
    await paused.done;

    expect((await given.read()).data).toEqual({ count: 1 });
  });
});

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
