// SPDX-License-Identifier: Apache-2.0
/** The PHP session store with and without locking: what holds for both. */
import { PhpSessionNotFoundError, PhpSessionUnreadableError } from '../../../lambda/legacy/php/php-errors';
import { isPhpSessionId } from '../../../lambda/legacy/php/php-session-id';
import { InvalidInputError, SessionConflictError, SessionStoreError } from '../../../lambda/session/errors';
import { ConfigurationError } from '../../../lambda/settings';
import { EmulatedPhpTable, ID, KEY } from './emulated-php-table';

let table: EmulatedPhpTable;
const others: EmulatedPhpTable[] = [];

beforeAll(async () => {
  table = await EmulatedPhpTable.start();
});
beforeEach(() => table.clear());
afterAll(() => Promise.all([table, ...others].map((each) => each.close())));

const in1440Seconds = () => ({ N: String(table.clock.seconds + 1440) });

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
