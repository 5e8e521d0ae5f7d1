// SPDX-License-Identifier: Apache-2.0
/** Deleting what has expired: what goes, what stays, and how it fares when the table is busy, slow or gone. */
import { BatchWriteItemCommand, type DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ConfigurationError, SessionStoreError } from '../../lambda/session/errors';
import { deleteExpired } from '../../lambda/session/lifecycle/delete-expired';
import type {
  DeleteExpiredOptions,
  DeleteExpiredProgress,
} from '../../lambda/session/lifecycle/delete-expired-options';
import { collectionKey, isExpiringKey, sessionKey, userKey } from '../../lambda/session/session-keys';
import type { Item, ItemKey } from '../../lambda/session/store';
import { EmulatedPhpTable, ID, TABLE_NAME } from '../legacy/php/emulated-php-table';
import { type EmulatedTable, startEmulatedTable } from './emulated-table';
import { NOW } from './fixtures';

const HOUR_SECONDS = 3600;
const hash = (number: number) => number.toString(16).padStart(64, '0');

interface Recorded {
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: the input of any command
  readonly input: any;
}

let table: EmulatedTable;
const requests: Recorded[] = [];
/** Stands in for the answer to a request if it returns one. */
let answer: (request: Recorded) => object | undefined = () => undefined;

beforeAll(async () => {
  table = await startEmulatedTable();
  table.client.middlewareStack.add(
    (next, context) => async (args) => {
      const request = { operation: String(context.commandName).replace(/Command$/, ''), input: args.input };
      requests.push(request);
      const output = answer(request);
      return output === undefined ? next(args) : { output: { $metadata: {}, ...output }, response: {} };
    },
    { step: 'initialize' },
  );
});
afterEach(async () => {
  answer = () => undefined;
  await empty(table.client, 'sessions', ['PK', 'SK']);
  requests.length = 0;
});
afterAll(() => table.close());

async function empty(client: DynamoDBClient, TableName: string, keyAttributes: readonly string[]): Promise<void> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName }));
  for (let start = 0; start < Items.length; start += 25) {
    const keys = Items.slice(start, start + 25).map((item) =>
      Object.fromEntries(Object.entries(item).filter(([name]) => keyAttributes.includes(name))),
    );
    const RequestItems = { [TableName]: keys.map((Key) => ({ DeleteRequest: { Key } })) };
    await client.send(new BatchWriteItemCommand({ RequestItems }));
  }
}

async function put(key: ItemKey, expiresAt: number | undefined, more: Item = {}): Promise<void> {
  await table.store.put({
    PK: { S: key.partitionKey },
    SK: { S: key.sortKey },
    ...(expiresAt === undefined ? {} : { expires_at: { N: String(expiresAt) } }),
    ...more,
  });
}

async function putExpired(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => put(sessionKey(hash(index)), NOW - 2 * HOUR_SECONDS)));
  requests.length = 0;
}

async function keys(): Promise<string[]> {
  const { Items = [] } = await table.client.send(new ScanCommand({ TableName: 'sessions' }));
  return Items.map(({ PK, SK }) => `${PK?.S} ${SK?.S}`).sort();
}

/** Time passes only by sleeping. */
function run(options: Partial<DeleteExpiredOptions> = {}) {
  let millis = NOW * 1000;
  return deleteExpired({
    tableName: 'sessions',
    client: table.client,
    segments: 1,
    concurrency: 1,
    nowMillis: () => millis,
    sleep: async (duration) => {
      millis += duration;
    },
    ...options,
  });
}

const of = (operation: string) => requests.filter((request) => request.operation === operation);

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
    answer = ({ operation, input }) =>
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
    answer = ({ operation }) =>
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
    answer = () => undefined;
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

describe('a busy table', () => {
  it('is asked again for unprocessed items, with growing pauses', async () => {
    await putExpired(25);
    const slept: number[] = [];
    let busy = 3;
    answer = ({ operation, input }) =>
      operation === 'BatchWriteItem' && busy-- > 0 ? { UnprocessedItems: input.RequestItems } : undefined;
    const result = await run({ random: () => 1 - Number.EPSILON, sleep: async (millis) => void slept.push(millis) });

    expect(result).toMatchObject({ deleted: 25, failed: 0, isComplete: true });
    expect(slept.map(Math.round)).toEqual([50, 100, 200]);
    expect(await keys()).toEqual([]);
  });

  it('is asked only for what is left of a batch', async () => {
    await putExpired(10);
    let isFirst = true;
    answer = ({ operation, input }) => {
      if (operation !== 'BatchWriteItem' || !isFirst) return undefined;
      isFirst = false;
      return { UnprocessedItems: { sessions: input.RequestItems.sessions.slice(7) } };
    };

    expect(await run()).toMatchObject({ deleted: 10, isComplete: true });
    expect(of('BatchWriteItem').map(({ input }) => input.RequestItems.sessions.length)).toEqual([10, 3]);
  });

  it('that stays busy costs the batch, not the run', async () => {
    await putExpired(30);
    answer = ({ operation, input }) =>
      operation === 'BatchWriteItem' && input.RequestItems.sessions.length === 25
        ? { UnprocessedItems: input.RequestItems }
        : undefined;

    expect(await run()).toMatchObject({ deleted: 5, failed: 25, segmentsDone: 1, isComplete: false });
  });

  it('that throttles is asked again', async () => {
    await putExpired(3);
    let throttles = 2;
    answer = () => {
      if (throttles-- > 0) throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
      return undefined;
    };

    expect(await run()).toMatchObject({ deleted: 3, isComplete: true });
  });
});

describe('a table that fails', () => {
  const fail = () => {
    throw Object.assign(new Error('no'), { name: 'AccessDeniedException' });
  };

  it('never stops the caller: the result says so', async () => {
    answer = fail;
    const result = await run({ segments: 4 });

    expect(result).toMatchObject({ deleted: 0, segmentsDone: 0, isComplete: false });
    expect(result.failure).toBeInstanceOf(SessionStoreError);
    expect(requests).toHaveLength(1);
  });

  it('rejects when asked to', async () => {
    answer = fail;

    await expect(run({ throwOnFailure: true })).rejects.toMatchObject({ code: 'ERR_SESSION_STORE_ACCESS_DENIED' });
  });

  it('is given up after eight tries', async () => {
    answer = () => {
      throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    };

    expect((await run()).failure).toMatchObject({ code: 'ERR_SESSION_STORE_THROTTLED' });
    expect(requests).toHaveLength(8);
  });

  it('does not hide a failing callback', async () => {
    const failure = new Error('mine');
    const result = await run({
      onProgress: () => {
        throw failure;
      },
    });

    expect(result.failure).toBe(failure);
  });
});

describe('progress and abort', () => {
  it('reports after each page and batch, with counts that only grow', async () => {
    await putExpired(30);
    const reports: DeleteExpiredProgress[] = [];
    await run({ onProgress: (progress) => void reports.push(progress) });

    expect(reports.map(({ scanned, deleted, segmentsDone }) => [scanned, deleted, segmentsDone])).toEqual([
      [30, 0, 0],
      [30, 25, 0],
      [30, 30, 0],
      [30, 30, 1],
    ]);
  });

  it('stops at the next batch when aborted, and says that it is not complete', async () => {
    await putExpired(60);
    const abort = new AbortController();
    const result = await run({ signal: abort.signal, onProgress: ({ deleted }) => deleted >= 25 && abort.abort() });

    expect(result).toMatchObject({ deleted: 25, isComplete: false });
    expect(result).not.toHaveProperty('failure');
  });

  it('does nothing when aborted before it began', async () => {
    expect(await run({ signal: AbortSignal.abort() })).toMatchObject({ scanned: 0, isComplete: false });
    expect(requests).toEqual([]);
  });

  it('does not sit out a pause when aborted', async () => {
    const abort = new AbortController();
    answer = ({ operation }) =>
      operation === 'Scan'
        ? { Items: [], ConsumedCapacity: { CapacityUnits: 1e6 }, LastEvaluatedKey: { PK: { S: 'x' } } }
        : undefined;
    const running = run({
      maxReadUnitsPerSecond: 1,
      signal: abort.signal,
      sleep: undefined,
      onProgress: () => setImmediate(() => abort.abort()),
    });

    expect(await running).toMatchObject({ isComplete: false });
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
