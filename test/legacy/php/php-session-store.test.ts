// SPDX-License-Identifier: Apache-2.0
/** The PHP session store: what it reads, writes and refuses, request by request. */
import { PhpSessionNotFoundError, PhpSessionUnreadableError } from '../../../lambda/legacy/php/php-errors';
import { isPhpSessionId } from '../../../lambda/legacy/php/php-session-id';
import { InvalidInputError, SessionConflictError, SessionStoreError } from '../../../lambda/session/errors';
import { ConfigurationError } from '../../../lambda/settings';
import { EmulatedPhpTable, ID, KEY, TABLE_NAME } from './emulated-php-table';

let table: EmulatedPhpTable;
const others: EmulatedPhpTable[] = [];

beforeAll(async () => {
  table = await EmulatedPhpTable.start();
});
beforeEach(() => table.clear());
afterAll(() => Promise.all([table, ...others].map((each) => each.close())));

const in1440Seconds = () => ({ N: String(table.clock.seconds + 1440) });

describe('the requests are exactly', () => {
  const lock = () => ({ N: expect.stringMatching(new RegExp(`^${table.clock.seconds + 60}\\.[0-9]{20}1$`)) });

  it('with locking: one update that locks, one that writes and unlocks', async () => {
    await table.putSession('a|i:1;');
    const session = await table.store().open(ID);
    session.data.a = 2;
    await session.write();

    expect(table.requests).toEqual([
      {
        operation: 'UpdateItem',
        input: {
          TableName: TABLE_NAME,
          Key: { id: { S: KEY } },
          UpdateExpression: 'SET #n0 = :v0',
          ConditionExpression: 'attribute_not_exists(#n0) AND #n1 > :v1',
          ExpressionAttributeNames: { '#n0': 'lock', '#n1': 'expires' },
          ExpressionAttributeValues: { ':v0': lock(), ':v1': { N: '0' } },
          ReturnValues: 'ALL_OLD',
        },
      },
      {
        operation: 'UpdateItem',
        input: {
          TableName: TABLE_NAME,
          Key: { id: { S: KEY } },
          UpdateExpression: 'SET #n0 = :v0, #n1 = :v1 REMOVE #n2',
          ConditionExpression: '#n2 = :v2 AND #n0 > :v3',
          ExpressionAttributeNames: { '#n0': 'expires', '#n1': 'data', '#n2': 'lock' },
          ExpressionAttributeValues: {
            ':v0': in1440Seconds(),
            ':v1': { S: 'a|i:2;' },
            ':v2': lock(),
            ':v3': { N: String(table.clock.seconds) },
          },
          ReturnValues: 'ALL_OLD',
        },
      },
    ]);
  });

  it.each([true, false])('without locking: one read with ConsistentRead %s, one write', async (consistentRead) => {
    await table.putSession('a|i:1;');
    const session = await table.store({ locking: false, consistentRead }).open(ID);
    session.data = {};
    await session.write();

    expect(table.requests).toEqual([
      {
        operation: 'GetItem',
        input: { TableName: TABLE_NAME, Key: { id: { S: KEY } }, ConsistentRead: consistentRead },
      },
      {
        operation: 'UpdateItem',
        input: {
          TableName: TABLE_NAME,
          Key: { id: { S: KEY } },
          UpdateExpression: 'SET #n0 = :v0 REMOVE #n1',
          ConditionExpression: '#n0 > :v1 AND #n1 = :v2',
          ExpressionAttributeNames: { '#n0': 'expires', '#n1': 'data' },
          ExpressionAttributeValues: {
            ':v0': in1440Seconds(),
            ':v1': { N: String(table.clock.seconds) },
            ':v2': { S: 'a|i:1;' },
          },
          ReturnValues: 'ALL_OLD',
        },
      },
    ]);
  });

  it('for a new session one put, of an item as PHP writes it', async () => {
    const session = await table.store({ sessionLifetimeSeconds: 86_400 }).start(undefined);
    session.data.user_id = 42;
    await session.write();

    expect(table.requests).toEqual([
      {
        operation: 'PutItem',
        input: {
          TableName: TABLE_NAME,
          Item: {
            id: { S: `PHPSESSID_${session.id}` },
            expires: { N: String(table.clock.seconds + 86_400) },
            data: { S: 'user_id|i:42;' },
          },
          ConditionExpression: 'attribute_not_exists(#key)',
          ExpressionAttributeNames: { '#key': 'id' },
        },
      },
    ]);
    await table.delete(`PHPSESSID_${session.id}`);
  });
});

describe.each([true, false])('with locking %s', (locking) => {
  const open = () => table.store({ locking }).open(ID);

  it('reads the data and leaves no trace of itself after write', async () => {
    await table.putSession('user_id|i:42;');
    const session = await open();
    expect({ ...session.data }).toEqual({ user_id: 42 });
    session.data.cart = ['x'];
    await session.write();

    expect(await table.get()).toEqual({
      id: { S: KEY },
      expires: in1440Seconds(),
      data: { S: 'user_id|i:42;cart|a:1:{i:0;s:1:"x";}' },
    });
  });

  it('does not send data that did not change, even where PHP spelt it otherwise', async () => {
    await table.putSession('a|d:1.0;');
    await (await open()).write();

    expect(await table.get()).toMatchObject({ data: { S: 'a|d:1.0;' }, expires: in1440Seconds() });
    expect(table.requests.at(-1)?.input.UpdateExpression).not.toContain('#n1 =');
  });

  it('removes the attribute when nothing is left in the data', async () => {
    await table.putSession();
    const session = await open();
    session.data = {};
    await session.write();

    expect(await table.get()).toEqual({ id: { S: KEY }, expires: in1440Seconds() });
  });

  it('refreshes the expiry when it is closed without a write, and leaves the data', async () => {
    await table.putSession();
    const session = await open();
    session.data.lost = true;
    await session.close();

    expect(await table.get()).toEqual({ id: { S: KEY }, expires: in1440Seconds(), data: { S: 'user_id|i:42;' } });
  });

  it('does nothing more when it is closed after a write', async () => {
    await table.putSession();
    const session = await open();
    await session.write();
    const requests = table.requests.length;
    await session.close();

    expect(table.requests).toHaveLength(requests);
    await expect(session.write()).rejects.toThrow(ConfigurationError);
    await expect(session.regenerateId()).rejects.toThrow(ConfigurationError);
  });

  it('writes the data under the new id after a regenerate even if it is unchanged, and ends the old one', async () => {
    await table.putSession('user_id|i:42;');
    const session = await open();
    await session.regenerateId();
    const key = `PHPSESSID_${session.id}`;

    expect(isPhpSessionId(session.id)).toBe(true);
    expect(await table.get()).toBeUndefined();
    await session.write();
    expect(await table.get(key)).toEqual({ id: { S: key }, expires: in1440Seconds(), data: { S: 'user_id|i:42;' } });
    await table.delete(key);
  });

  it('keeps the old session with the same data only when asked', async () => {
    await table.putSession('user_id|i:42;');
    const session = await open();
    session.data.more = 1;
    await session.regenerateId({ keepOld: true });
    await session.close();

    expect(await table.get()).toEqual({
      id: { S: KEY },
      expires: in1440Seconds(),
      data: { S: 'user_id|i:42;more|i:1;' },
    });
    expect(await table.get(`PHPSESSID_${session.id}`)).toMatchObject({ data: { S: 'user_id|i:42;more|i:1;' } });
    await table.delete(`PHPSESSID_${session.id}`);
  });

  it('takes a new id back if the old session ended during the regenerate', async () => {
    await table.putSession();
    const session = await open();
    table.beforeNext('DeleteItem', () => table.delete());
    await expect(session.regenerateId()).rejects.toThrow(SessionConflictError);

    const put = table.requests.find(({ operation }) => operation === 'PutItem')?.input.Item as { id: { S: string } };
    expect(await table.get(put.id.S)).toBeUndefined();
  });

  it('reads an expired session as empty and does not delete it', async () => {
    await table.putSession('user_id|i:42;', { expires: { N: String(table.clock.seconds) } });
    const session = await open();

    expect({ ...session.data }).toEqual({});
    expect(await table.get()).toMatchObject({ data: { S: 'user_id|i:42;' } });
    await session.close();
  });

  it('replaces an expired session by the next write', async () => {
    await table.putSession('user_id|i:42;', { expires: { N: String(table.clock.seconds) } });
    const session = await open();
    session.data.fresh = true;
    await session.write();

    expect(await table.get()).toEqual({ id: { S: KEY }, expires: in1440Seconds(), data: { S: 'fresh|b:1;' } });
  });

  it('drops the data of an expired session even if nothing is written into it', async () => {
    await table.putSession('user_id|i:42;', { expires: { N: String(table.clock.seconds) } });
    await (await open()).write();

    expect(await table.get()).toEqual({ id: { S: KEY }, expires: in1440Seconds() });
  });

  it('never brings an expired session back by closing it', async () => {
    const expires = { N: String(table.clock.seconds - 1) };
    await table.putSession('user_id|i:42;', { expires });
    await (await open()).close();

    expect(await table.get()).toEqual({ id: { S: KEY }, expires, data: { S: 'user_id|i:42;' } });
  });

  it('never brings back a session that expired after it was read', async () => {
    await table.putSession('user_id|i:42;', { expires: { N: String(table.clock.seconds + 5) } });
    const [written, closed] = [await open(), locking ? undefined : await open()];
    written.data.more = 1;
    table.clock.advance(5);

    await expect(written.write()).rejects.toThrow(SessionConflictError);
    await closed?.close();
    expect(await table.get()).toMatchObject({ expires: { N: String(table.clock.seconds) } });
  });

  it('never brings back a session that was deleted after it was read', async () => {
    await table.putSession();
    const session = await open();
    session.data.more = 1;
    await table.delete();

    await expect(session.write()).rejects.toMatchObject({ outcome: 'notWritten' });
    expect(await table.get()).toBeUndefined();
  });

  it.each(['write', 'close'] as const)('%s repeats a request that never arrived', async (end) => {
    await table.putSession();
    const session = await open();
    session.data.more = 1;
    table.failNext('UpdateItem', 'dropRequest');
    await session[end]();

    expect(await table.get()).toEqual(expect.objectContaining({ expires: in1440Seconds() }));
    expect(await table.get()).not.toHaveProperty('lock');
  });

  it('knows its own write again when the answer was lost', async () => {
    await table.putSession();
    const session = await open();
    session.data.more = 1;
    table.failNext('UpdateItem', 'loseAnswer');
    await session.write();

    expect(await table.get()).toMatchObject({ data: { S: 'user_id|i:42;more|i:1;' } });
  });

  it('says that the outcome is unknown when the answer was lost and the session changed since', async () => {
    await table.putSession();
    const sleep = () => table.putSession('other|i:1;');
    const session = await table.store({ locking, sleep }).open(ID);
    session.data.more = 1;
    table.failNext('UpdateItem', 'loseAnswer');

    await expect(session.write()).rejects.toMatchObject({ outcome: 'unknown' });
    expect(await table.get()).toMatchObject({ data: { S: 'other|i:1;' } });
  });

  it('refuses an unknown id and creates nothing', async () => {
    await expect(open()).rejects.toThrow(PhpSessionNotFoundError);

    expect(await table.get()).toBeUndefined();
  });

  it('refuses what the handler left behind for an unknown id, and does not touch it', async () => {
    await table.put({ id: { S: KEY }, lock: { N: '1' } });
    await expect(open()).rejects.toThrow(PhpSessionNotFoundError);

    expect(await table.get()).toEqual({ id: { S: KEY }, lock: { N: '1' } });
  });

  it.each(['short', `${ID}_`, `${ID}\0`, '', undefined, 7, { length: 32 }])(
    'refuses the id %j before any request',
    async (id) => {
      await expect(table.store({ locking }).open(id)).rejects.toThrow(PhpSessionNotFoundError);
      await table.store({ locking }).destroy(id);

      expect(table.requests).toEqual([]);
    },
  );

  it.each([
    ['object', { data: { S: 'a|O:8:"stdClass":0:{}' } }],
    ['malformed', { data: { S: 'a|s:9:"x";' } }],
    ['notText', { data: { M: {} } }],
  ] as const)('refuses data that cannot be read (%s) and leaves the session as it is', async (reason, more) => {
    await table.putSession('', more);
    const before = await table.get();

    await expect(open()).rejects.toMatchObject({ name: PhpSessionUnreadableError.name, reason });
    expect(await table.get()).toEqual(before);
  });

  it('refuses data that PHP cannot hold, and writes nothing', async () => {
    await table.putSession();
    const session = await open();
    Object.assign(session.data, { when: new Date(0) });

    await expect(session.write()).rejects.toThrow(InvalidInputError);
    expect(await table.get()).toMatchObject({ data: { S: 'user_id|i:42;' } });
  });

  it('does not take a failing table for an empty session', async () => {
    const store = table.store({ locking, tableName: 'absent' });

    await expect(store.open(ID)).rejects.toThrow(SessionStoreError);
    await expect(store.start(ID)).rejects.toThrow(SessionStoreError);
    await expect(store.start(ID)).rejects.not.toThrow(ID);
  });

  it('deletes at logout, twice if need be', async () => {
    await table.putSession();
    const session = await open();
    await session.destroy();
    await session.close();
    await table.store({ locking }).destroy(ID);

    expect(await table.get()).toBeUndefined();
  });
});

describe('start', () => {
  it.each([undefined, 'short', ID])(
    'gives a fresh id where the cookie holds %j and no such session is there',
    async (id) => {
      const session = await table.store().start(id);

      expect(session.isNew).toBe(true);
      expect(session.id).not.toBe(ID);
      expect(isPhpSessionId(session.id)).toBe(true);
      await session.close();
      await session.destroy();
      expect(table.operations().filter((operation) => operation !== 'GetItem')).toEqual(
        id === ID ? ['UpdateItem'] : [],
      );
    },
  );

  it('gives the session that is there', async () => {
    await table.putSession();
    const session = await table.store().start(ID);

    expect(session).toMatchObject({ id: ID, isNew: false });
    await session.close();
  });

  it('moves a new session to another id without a request', async () => {
    const session = await table.store().start(undefined);
    const { id } = session;
    await session.regenerateId();

    expect(session.id).not.toBe(id);
    expect(table.requests).toEqual([]);
  });

  it('knows its own put again when the answer was lost', async () => {
    const session = await table.store().start(undefined);
    session.data.a = 1;
    table.failNext('PutItem', 'loseAnswer');
    await session.write();

    expect(await table.get(`PHPSESSID_${session.id}`)).toMatchObject({ data: { S: 'a|i:1;' } });
    await table.delete(`PHPSESSID_${session.id}`);
  });

  it('never adopts an item that has the new id already', async () => {
    const store = table.store({ randomBytes: () => Buffer.alloc(32, 0xab) });
    const key = `PHPSESSID_${'ab'.repeat(32)}`;
    await table.put({ id: { S: key }, expires: in1440Seconds() });

    await expect((await store.start(undefined)).write()).rejects.toThrow(SessionConflictError);
    await table.delete(key);
  });
});

describe('without locking', () => {
  it('reports a write that would hide another one', async () => {
    await table.putSession('count|i:0;');
    const store = table.store({ locking: false });
    const [one, other] = [await store.open(ID), await store.open(ID)];
    one.data.count = 1;
    other.data.count = 1;
    await one.write();

    await expect(other.write()).rejects.toMatchObject({ name: SessionConflictError.name, outcome: 'notWritten' });
  });

  it('leaves the lock of a PHP request alone', async () => {
    await table.putSession('', { lock: { N: '1' } });
    const session = await table.store({ locking: false }).open(ID);
    session.data.a = 1;
    await session.write();

    expect(await table.get()).toMatchObject({ lock: { N: '1' }, data: { S: 'a|i:1;' } });
  });
});

describe('several applications in one table', () => {
  it('never see each other’s sessions, by their session names', async () => {
    const session = await table.store({ sessionName: 'SHOP' }).start(undefined);
    session.data.a = 1;
    await session.write();

    await expect(table.store({ sessionName: 'BLOG' }).open(session.id)).rejects.toThrow(PhpSessionNotFoundError);
    expect({ ...(await table.store({ sessionName: 'SHOP' }).open(session.id)).data }).toEqual({ a: 1 });
    await table.delete(`SHOP_${session.id}`);
  });
});

describe('attributes and format', () => {
  it('go by the names and the format that are given', async () => {
    const other = await EmulatedPhpTable.start('pk');
    others.push(other);
    const store = other.store({
      hashKey: 'pk',
      dataAttribute: 'body',
      sessionLifetimeAttribute: 'until',
      format: 'php_serialize',
    });
    const session = await store.start(undefined);
    session.data.a = 1;
    await session.write();
    const again = await store.open(session.id);
    again.data.a = 2;
    await again.write();

    expect(other.requests[0]?.input.Item).toMatchObject({
      pk: { S: `PHPSESSID_${session.id}` },
      body: { S: 'a:1:{s:1:"a";i:1;}' },
      until: { N: String(other.clock.seconds + 1440) },
    });
    expect({ ...(await store.open(session.id)).data }).toEqual({ a: 2 });
  });
});
