// SPDX-License-Identifier: Apache-2.0
/** The lock on a session: what it costs, and holders that wait, crash, pause and wake up late. */
import {
  InvalidInputError,
  SessionConflictError,
  SessionLockedError,
  SessionStoreError,
} from '../../lambda/session/errors';
import { NOW } from './fixtures';

import { elsewhere, hold, increment, lockOf, start } from './lock-holders';

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
