// SPDX-License-Identifier: Apache-2.0
/** The PHP session store: what it reads, writes and refuses, request by request. */
import { PhpSessionNotFoundError } from '../../../lambda/legacy/php/php-errors';
import { isPhpSessionId } from '../../../lambda/legacy/php/php-session-id';
import { SessionConflictError } from '../../../lambda/session/errors';
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
