// SPDX-License-Identifier: Apache-2.0
/** Deleting what has expired: what goes, what stays, and by which requests. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ConfigurationError } from '../../lambda/session/errors';
import type { DeleteExpiredOptions } from '../../lambda/session/lifecycle/delete-expired-options';
import { collectionKey, isExpiringKey, sessionKey, userKey } from '../../lambda/session/session-keys';
import type { Item, ItemKey } from '../../lambda/session/store';
import { EmulatedPhpTable, ID, TABLE_NAME } from '../legacy/php/emulated-php-table';
import { empty, HOUR_SECONDS, hash, keys, of, put, putExpired, requests, run, stand } from './expiring-table';
import { NOW } from './fixtures';

describe('what goes and what stays', () => {
  it('deletes sessions, collection items and claims that ended longer ago than the margin, and nothing else', async () => {
    const before = NOW - HOUR_SECONDS;
    await put(sessionKey(hash(1)), before - 1, { type: { S: 'session' } });
    await put(sessionKey(hash(2), 'v2'), before - 1, { revoked: { N: '1' } });
    await put(collectionKey('u-1', hash(1)), before - 1);
    await put({ partitionKey: `SL#${hash(1)}`, sortKey: 'SL#' }, before - 1);
    const stays: [ItemKey, number | undefined][] = [
      [sessionKey(hash(3)), before],
      [sessionKey(hash(4)), NOW + 1],
      [sessionKey(hash(5)), undefined],
      [userKey('u-1'), before - 1],
      [{ partitionKey: 'S#invoice', sortKey: 'S#' }, before - 1],
      [{ partitionKey: 'U#1', sortKey: `S#${hash(1)}` }, before - 1],
      [{ partitionKey: `S#${hash(6)}`, sortKey: 'note' }, before - 1],
    ];
    for (const [key, expiresAt] of stays) await put(key, expiresAt);

    expect(await run()).toMatchObject({ deleted: 4, scanned: 11, kept: 0, failed: 0, isComplete: true });
    expect(await keys()).toEqual(stays.map(([key]) => `${key.partitionKey} ${key.sortKey}`).sort());
  });

  it('leaves an expiry of another type alone', async () => {
    await put(sessionKey(hash(1)), undefined, { expires_at: { S: '1' } });

    expect(await run()).toMatchObject({ deleted: 0, isComplete: true });
  });

  it.each<[ItemKey, boolean]>([
    [sessionKey(hash(1)), true],
    [sessionKey(hash(1), 'a.b_c-d'), true],
    [{ partitionKey: `S#a#b#${hash(1)}`, sortKey: 'S#' }, false],
    [{ partitionKey: `S#${hash(1)}0`, sortKey: 'S#' }, false],
    [{ partitionKey: 'SU#u', sortKey: 'S#' }, false],
    [{ partitionKey: 'SU#u', sortKey: `S#${hash(1).toUpperCase()}G` }, false],
    [{ partitionKey: 'SL#x', sortKey: 'SL#' }, false],
    [{ partitionKey: '', sortKey: '' }, false],
  ])('takes the key %j for one of ours: %s', (key, isOurs) => {
    expect(isExpiringKey(key)).toBe(isOurs);
  });
});

describe('the requests', () => {
  it('are a scan for keys alone and batches of 25', async () => {
    await putExpired(60);
    const result = await run();

    expect(of('Scan')).toEqual([
      {
        operation: 'Scan',
        input: {
          TableName: 'sessions',
          Segment: 0,
          TotalSegments: 1,
          ProjectionExpression: '#k0, #k1',
          FilterExpression: '#expires < :before',
          ExpressionAttributeNames: { '#expires': 'expires_at', '#k0': 'PK', '#k1': 'SK' },
          ExpressionAttributeValues: { ':before': { N: String(NOW - HOUR_SECONDS) } },
          ReturnConsumedCapacity: 'TOTAL',
          ExclusiveStartKey: undefined,
        },
      },
    ]);
    expect(of('BatchWriteItem').map(({ input }) => input.RequestItems.sessions.length)).toEqual([25, 25, 10]);
    expect(result).toMatchObject({ deleted: 60, writeUnits: 60, segmentsDone: 1, isComplete: true });
    expect(result.readUnits).toBeGreaterThan(0);
    expect(await keys()).toEqual([]);
  });

  it('read every segment once, in random order, and every page of each', async () => {
    await putExpired(30);
    await run({ segments: 8, concurrency: 3 });

    expect(
      of('Scan')
        .map(({ input }) => input.Segment)
        .sort(),
    ).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await keys()).toEqual([]);
    requests.length = 0;
    await run({ segments: 4, random: () => 0.5 });
    const sameOrder = of('Scan').map(({ input }) => input.Segment);
    requests.length = 0;
    let next = 0;
    await run({ segments: 4, random: () => [0.1, 0.9, 0.2, 0.8][next++] ?? 0 });
    expect(of('Scan').map(({ input }) => input.Segment)).not.toEqual(sameOrder);
  });

  it('follow the pages of a scan', async () => {
    const cursor = { PK: { S: 'x' }, SK: { S: 'y' } };
    stand.in = ({ operation, input }) =>
      operation !== 'Scan'
        ? undefined
        : input.ExclusiveStartKey === undefined
          ? { Items: [], ScannedCount: 5, LastEvaluatedKey: cursor }
          : { Items: [], ScannedCount: 3 };

    expect(await run()).toMatchObject({ scanned: 8, isComplete: true });
    expect(of('Scan').map(({ input }) => input.ExclusiveStartKey)).toEqual([undefined, cursor]);
  });
});

describe('limits', () => {
  it('wait for what was read and written, so that the average stays under them', async () => {
    const slept: number[] = [];
    await putExpired(50);
    let millis = NOW * 1000;
    const pages = [{ LastEvaluatedKey: { PK: { S: 'x' } } }, {}];
    stand.in = ({ operation }) =>
      operation === 'Scan' ? { Items: [], ConsumedCapacity: { CapacityUnits: 128 }, ...pages.shift() } : undefined;
    await run({
      maxReadUnitsPerSecond: 64,
      nowMillis: () => millis,
      sleep: async (duration) => {
        slept.push(duration);
        millis += duration;
      },
    });
    expect(slept).toEqual([2000]);

    slept.length = 0;
    stand.in = () => undefined;
    await run({
      maxWriteUnitsPerSecond: 50,
      nowMillis: () => millis,
      sleep: async (duration) => {
        slept.push(duration);
        millis += duration;
      },
    });
    expect(slept).toEqual([500]);
  });

  it.each([
    ['tableName', { tableName: '' }],
    ['marginSeconds', { marginSeconds: 59 }],
    ['segments', { segments: 0 }],
    ['concurrency', { concurrency: 65 }],
    ['maxReadUnitsPerSecond', { maxReadUnitsPerSecond: 0 }],
    ['maxWriteUnitsPerSecond', { maxWriteUnitsPerSecond: 0.5 }],
    ['attributeNames', { php: {}, attributeNames: { partitionKey: 'a', sortKey: 'b', expiresAt: 'c' } }],
  ])('that cannot work are refused, and %s is named', async (option, options) => {
    await expect(run(options)).rejects.toThrow(ConfigurationError);
    await expect(run(options)).rejects.toThrow(option);
  });
});

describe('a table of PHP’s handler', () => {
  let php: EmulatedPhpTable;
  beforeAll(async () => {
    php = await EmulatedPhpTable.start();
  });
  afterEach(() => empty(php.direct, TABLE_NAME, ['id']));
  afterAll(() => php.close());

  const runPhp = (options: Partial<DeleteExpiredOptions> = {}) =>
    run({ tableName: TABLE_NAME, client: php.client, php: { sessionName: 'MY_APP' }, ...options });
  const putPhp = (key: string, expires: number, more: Item = {}) =>
    php.direct.send(
      new PutItemCommand({
        TableName: TABLE_NAME,
        Item: { id: { S: key }, expires: { N: String(expires) }, ...more } as never,
      }),
    );

  it('loses the expired sessions of one application', async () => {
    await putPhp(`MY_APP_${ID}1`, NOW - 2 * HOUR_SECONDS);
    await putPhp(`MY_APP_${ID}2`, NOW + 1);
    await putPhp(`MY_APP_2_${ID}`, NOW - 2 * HOUR_SECONDS);
    await putPhp(`OTHER_${ID}`, NOW - 2 * HOUR_SECONDS);

    expect(await runPhp()).toMatchObject({ deleted: 1, kept: 0, isComplete: true });
    expect(await runPhp({ php: {} })).toMatchObject({ deleted: 2 });
    expect(await php.get(`MY_APP_${ID}2`)).toBeDefined();
  });

  it('keeps a session that PHP replaced between scan and delete', async () => {
    const key = `MY_APP_${ID}`;
    await putPhp(key, NOW - 2 * HOUR_SECONDS);
    php.beforeNext('DeleteItem', () => putPhp(key, NOW + 1440));

    expect(await runPhp()).toMatchObject({ deleted: 0, kept: 1, isComplete: true });
    expect(await php.get(key)).toMatchObject({ expires: { N: String(NOW + 1440) } });
  });
});
