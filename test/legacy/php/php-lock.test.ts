// SPDX-License-Identifier: Apache-2.0
/** The lock of a PHP session: holders that wait, crash, pause and wake up late, on our side and on PHP's. */
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SessionConflictError, SessionLockedError } from '../../../lambda/session/errors';
import { EmulatedPhpTable, ID, KEY, TABLE_NAME } from './emulated-php-table';

let table: EmulatedPhpTable;

beforeAll(async () => {
  table = await EmulatedPhpTable.start();
});
beforeEach(() => table.clear());
afterAll(() => table.close());

const PHP_LOCK = { lock: { N: '1' } };

/** The locking read of PHP's handler, in DynamoDB's older parameters as it sends them, actions said. */
const phpLocks = () =>
  table.direct.send(
    new UpdateItemCommand({
      TableName: TABLE_NAME,
      Key: { id: { S: KEY } },
      Expected: { lock: { Exists: false } },
      AttributeUpdates: { lock: { Action: 'PUT', Value: { N: '1' } } },
      ReturnValues: 'ALL_NEW',
    }),
  );

/** The write of PHP's handler: unconditional. */
const phpWrites = (data: string) =>
  table.direct.send(
    new UpdateItemCommand({
      TableName: TABLE_NAME,
      Key: { id: { S: KEY } },
      AttributeUpdates: {
        expires: { Action: 'PUT', Value: { N: String(table.clock.seconds + 1440) } },
        lock: { Action: 'DELETE' },
        data: { Action: 'PUT', Value: { S: data } },
      },
    }),
  );

describe('two holders', () => {
  it('the second waits for the first and sees what it wrote', async () => {
    await table.putSession('count|i:0;');
    const first = await table.store().open(ID);
    let waits = 0;
    const sleep = async () => {
      if (++waits === 3) {
        first.data.count = 1;
        await first.write();
      }
    };
    const second = await table.store({ sleep }).open(ID);

    expect({ waits, data: { ...second.data } }).toEqual({ waits: 3, data: { count: 1 } });
  });

  it('the second looks by reading and tries to take the lock only when it is free', async () => {
    await table.putSession('count|i:0;');
    const first = await table.store().open(ID);
    let waits = 0;
    table.requests.length = 0;
    await table.store({ sleep: () => (++waits === 3 ? first.close() : Promise.resolve()) }).open(ID);

    expect(table.operations()).toEqual([
      'UpdateItem',
      ...['GetItem', 'GetItem', 'GetItem', 'UpdateItem', 'GetItem'],
      'UpdateItem',
    ]);
  });

  it('the second gives up after maxLockWaitSeconds of pauses between the bounds, and writes nothing', async () => {
    await table.putSession();
    await table.store().open(ID);
    const before = await table.get();
    const pauses: number[] = [];
    const store = table.store({
      maxLockWaitSeconds: 1,
      minLockRetryMicroseconds: 100_000,
      maxLockRetryMicroseconds: 300_000,
      sleep: async (millis) => {
        pauses.push(millis);
      },
    });

    await expect(store.open(ID)).rejects.toThrow(SessionLockedError);
    await expect(store.start(ID)).rejects.toMatchObject({ waitedSeconds: 1 });
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(300);
    expect(new Set(pauses).size).toBeGreaterThan(1);
    expect(await table.get()).toEqual(before);
  });

  it('the wait ends by the clock too, however slow the table is', async () => {
    await table.putSession();
    await table.store({ lockLeaseSeconds: 900 }).open(ID);
    const sleep = async () => table.clock.advance(10);

    await expect(table.store({ sleep }).open(ID)).rejects.toThrow(SessionLockedError);
  });
});

describe('a crashed holder', () => {
  it('of ours is waited for until its lease ends, and then replaced', async () => {
    await table.putSession('a|i:1;');
    await table.store({ lockLeaseSeconds: 5 }).open(ID);
    const next = await table.store({ sleep: async () => table.clock.advance(1) }).open(ID);

    expect({ ...next.data }).toEqual({ a: 1 });
  });

  it('of two that replace it, one gets the lock', async () => {
    await table.putSession('a|i:1;');
    await table.store({ lockLeaseSeconds: 5 }).open(ID);
    table.clock.advance(5);
    const open = () => table.store({ maxLockWaitSeconds: 0 }).open(ID);
    const outcomes = await Promise.allSettled([open(), open()]);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('of PHP leaves a lock that never ends: refused, and the session is not emptied', async () => {
    await table.putSession('a|i:1;', PHP_LOCK);
    const sleep = async () => table.clock.advance(2);

    await expect(table.store({ sleep }).open(ID)).rejects.toThrow(SessionLockedError);
    expect(await table.get()).toMatchObject({ ...PHP_LOCK, data: { S: 'a|i:1;' } });
  });

  it('of an item whose end is 0 is no session to wait for', async () => {
    await table.putSession('a|i:1;', { expires: { N: '0' } });

    await expect(table.store().open(ID)).rejects.toThrow('no session');
  });

  it('of PHP blocks nobody once the session has expired', async () => {
    await table.putSession('a|i:1;', { ...PHP_LOCK, expires: { N: String(table.clock.seconds) } });
    const session = await table.store({ maxLockWaitSeconds: 0 }).open(ID);
    session.data.b = 2;
    await session.write();

    expect(await table.get()).toEqual({
      id: { S: KEY },
      expires: { N: String(table.clock.seconds + 1440) },
      data: { S: 'b|i:2;' },
    });
  });
});

describe('a paused holder that wakes up late', () => {
  it('cannot write over its successor', async () => {
    await table.putSession('count|i:0;');
    const paused = await table.store().open(ID);
    table.clock.advance(60);
    const successor = await table.store().open(ID);
    paused.data.count = -1;

    await expect(paused.write()).rejects.toThrow(SessionConflictError);
    successor.data.count = 1;
    await successor.write();
    expect(await table.get()).toMatchObject({ data: { S: 'count|i:1;' } });
  });

  it('cannot release the lock of its successor', async () => {
    await table.putSession();
    const paused = await table.store().open(ID);
    table.clock.advance(60);
    await table.store().open(ID);
    const locked = await table.get();
    await paused.close();

    expect(await table.get()).toEqual(locked);
  });

  it('cannot delete the session of its successor by a regenerate', async () => {
    await table.putSession();
    const paused = await table.store().open(ID);
    table.clock.advance(60);
    await table.store().open(ID);

    await expect(paused.regenerateId()).rejects.toThrow(SessionConflictError);
    expect(await table.get()).toBeDefined();
  });

  it('is told when PHP gave up waiting and wrote an empty session over it', async () => {
    await table.putSession('a|i:1;');
    const session = await table.store().open(ID);
    await phpWrites('');
    session.data.a = 2;

    await expect(session.write()).rejects.toMatchObject({ outcome: 'notWritten' });
  });
});

describe('with PHP', () => {
  it('PHP waits for our lock and has its turn after us', async () => {
    await table.putSession('a|i:1;');
    const session = await table.store().open(ID);
    await expect(phpLocks()).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    session.data.a = 2;
    await session.write();

    expect((await phpLocks()).Attributes).toMatchObject({ data: { S: 'a|i:2;' }, ...PHP_LOCK });
  });

  it('we wait for PHP and see what it wrote', async () => {
    await table.putSession('a|i:1;');
    await phpLocks();
    const session = await table.store({ sleep: async () => void (await phpWrites('a|i:7;')) }).open(ID);

    expect({ ...session.data }).toEqual({ a: 7 });
  });

  it('a lock that PHP took after ours was removed is not taken for our old one', async () => {
    await table.putSession('a|i:1;');
    await table.store().open(ID);
    await phpWrites('a|i:2;');
    await phpLocks();
    table.clock.advance(120);

    await expect(table.store({ maxLockWaitSeconds: 0 }).open(ID)).rejects.toThrow(SessionLockedError);
  });
});

describe('faults', () => {
  it('a lock whose answer was lost is known as our own', async () => {
    await table.putSession('a|i:1;');
    table.failNext('UpdateItem', 'loseAnswer');
    const session = await table.store({ maxLockWaitSeconds: 0 }).open(ID);
    session.data.a = 2;
    await session.write();

    expect(await table.get()).toMatchObject({ data: { S: 'a|i:2;' } });
  });

  it('a session that is deleted while it is waited for is not found, and not created', async () => {
    await table.putSession('a|i:1;', PHP_LOCK);
    const store = table.store({ sleep: () => table.delete() });

    await expect(store.open(ID)).rejects.toMatchObject({ code: 'ERR_SESSION_NOT_FOUND' });
    expect(await table.get()).toBeUndefined();
  });
});

describe('50 concurrent increments', () => {
  const many = <T>(run: () => Promise<T>) => Promise.allSettled(Array.from({ length: 50 }, run));

  it('under the lock give 50', async () => {
    await table.putSession('count|i:0;');
    const store = table.store({
      maxLockWaitSeconds: 900,
      minLockRetryMicroseconds: 200_000,
      maxLockRetryMicroseconds: 2_000_000,
      sleep: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
    });
    const outcomes = await many(async () => {
      const session = await store.open(ID);
      session.data.count = Number(session.data.count) + 1;
      await session.write();
    });

    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await table.get()).toMatchObject({ data: { S: 'count|i:50;' } });
  }, 120_000);

  it('without locking report every conflict, and lose none silently', async () => {
    await table.putSession('count|i:0;');
    const store = table.store({ locking: false });
    const outcomes = await many(async () => {
      const session = await store.open(ID);
      session.data.count = Number(session.data.count) + 1;
      await session.write();
    });

    const conflicts = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(conflicts.every(({ reason }) => reason instanceof SessionConflictError)).toBe(true);
    expect(await table.get()).toMatchObject({ data: { S: `count|i:${50 - conflicts.length};` } });
  });
});
