// SPDX-License-Identifier: Apache-2.0
/** The emulated table, over real HTTP and the SDK's own client. */
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DescribeTimeToLiveCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { startEmulator } from '../../local/emulator/start-emulator';
import {
  closeEmulators,
  createTable,
  enableTimeToLive,
  key,
  start,
  TableName,
  temporaryFolder,
} from './support/emulator';

afterEach(closeEmulators);

describe('counting', () => {
  it('counts a consistent read of up to 4 KB as one unit and hides the capacity nobody asked for', async () => {
    const { emulator, client } = await start();
    await createTable(client);
    await client.send(
      new PutItemCommand({ TableName, Item: { ...key('S#abc', 'S#'), text: { S: 'x'.repeat(3900) } } }),
    );
    emulator.resetCounts();

    const found = await client.send(new GetItemCommand({ TableName, Key: key('S#abc', 'S#'), ConsistentRead: true }));

    expect(found.Item?.text?.S).toHaveLength(3900);
    expect(found.ConsumedCapacity).toBeUndefined();
    expect(emulator.counts()).toMatchObject({
      requests: 1,
      readUnits: 1,
      writeUnits: 0,
      operations: { GetItem: { requests: 1, readUnits: 1, writeUnits: 0 } },
      tables: { sessions: { GetItem: { requests: 1, readUnits: 1, writeUnits: 0 } } },
    });
  });

  it.each([
    ['a consistent read of nothing', 'S#none', true, 1],
    ['a consistent read above 4 KB', 'S#large', true, 2],
    ['an eventually consistent read', 'S#none', false, 0.5],
  ])('counts %s', async (_name, PK, ConsistentRead, readUnits) => {
    const { emulator, client } = await start();
    await createTable(client);
    await client.send(
      new PutItemCommand({ TableName, Item: { ...key('S#large', 'S#'), text: { S: 'x'.repeat(4100) } } }),
    );
    emulator.resetCounts();

    await client.send(new GetItemCommand({ TableName, Key: key(PK, 'S#'), ConsistentRead }));

    expect(emulator.counts().readUnits).toBe(readUnits);
  });

  it('leaves the capacity in an answer to a client that asked for it', async () => {
    const { client } = await start();
    await createTable(client);

    const answer = await client.send(
      new GetItemCommand({ TableName, Key: key('a', 'b'), ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' }),
    );

    expect(answer.ConsumedCapacity).toMatchObject({ TableName, CapacityUnits: 1 });
  });

  it('keeps the kinds of the keys of recent operations, and never a key', async () => {
    const { emulator, client } = await start();
    await createTable(client);
    emulator.resetCounts();

    await client.send(new GetItemCommand({ TableName, Key: key('S#secrethash', 'S#') }));
    await client.send(new PutItemCommand({ TableName, Item: key('SU#alice', 'S#secrethash') }));
    await client.send(new GetItemCommand({ TableName, Key: key('SU#alice', 'SU#') }));
    await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'PK = :user AND begins_with(SK, :sessions)',
        ExpressionAttributeValues: { ':user': { S: 'SU#alice' }, ':sessions': { S: 'S#' } },
      }),
    );
    await client.send(new GetItemCommand({ TableName, Key: key('U#alice', 'profile') }));
    await client.send(
      new BatchGetItemCommand({
        RequestItems: {
          [TableName]: { Keys: [key('S#secrethash', 'S#'), key('S#other', 'S#')], ConsistentRead: true },
        },
      }),
    );

    const { recent } = emulator.counts();
    expect(recent.map(({ operation, keyKind }) => [operation, keyKind])).toEqual([
      ['GetItem', 'S#'],
      ['PutItem', 'SU# S#'],
      ['GetItem', 'SU#'],
      ['Query', 'SU#'],
      ['GetItem', 'other'],
      ['BatchGetItem', 'S#'],
    ]);
    expect(JSON.stringify(emulator.counts())).not.toMatch(/secrethash|alice/);
  });

  it('counts a write whose condition did not hold, and writes nothing', async () => {
    const { emulator, client } = await start();
    await createTable(client);
    await client.send(new PutItemCommand({ TableName, Item: { ...key('S#abc', 'S#'), n: { N: '1' } } }));
    emulator.resetCounts();

    const second = client.send(
      new PutItemCommand({
        TableName,
        Item: { ...key('S#abc', 'S#'), n: { N: '2' } },
        ConditionExpression: 'attribute_not_exists(PK)',
      }),
    );

    await expect(second).rejects.toThrow(ConditionalCheckFailedException);
    expect(emulator.counts()).toMatchObject({ writeUnits: 1, recent: [{ operation: 'PutItem', succeeded: false }] });
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: key('S#abc', 'S#') }));
    expect(Item?.n?.N).toBe('1');
  });
});

it('pages a query and returns every item once', async () => {
  const { client } = await start();
  await createTable(client);
  for (let index = 0; index < 7; index += 1)
    await client.send(new PutItemCommand({ TableName, Item: key('SU#alice', `S#${index}`) }));

  const seen: string[] = [];
  let cursor: Record<string, never> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName,
        ConsistentRead: true,
        Limit: 3,
        KeyConditionExpression: 'PK = :user',
        ExpressionAttributeValues: { ':user': { S: 'SU#alice' } },
        ExclusiveStartKey: cursor,
      }),
    );
    expect(page.Items?.length).toBeLessThanOrEqual(3);
    seen.push(...(page.Items ?? []).map((item) => item.SK?.S ?? ''));
    cursor = page.LastEvaluatedKey as typeof cursor;
  } while (cursor !== undefined);

  expect(seen).toEqual(['S#0', 'S#1', 'S#2', 'S#3', 'S#4', 'S#5', 'S#6']);
});

describe('a data folder', () => {
  it('keeps items and table settings over a restart', async () => {
    const folder = temporaryFolder();
    const first = await start({ folder });
    await createTable(first.client);
    await enableTimeToLive(first.client);
    await first.client.send(new PutItemCommand({ TableName, Item: key('S#kept', 'S#') }));
    await first.emulator.close();

    const { client } = await start({ folder });

    const { Item } = await client.send(
      new GetItemCommand({ TableName, Key: key('S#kept', 'S#'), ConsistentRead: true }),
    );
    expect(Item).toEqual(key('S#kept', 'S#'));
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires_at' });
  });

  it('is refused in one sentence while another emulator has it open', async () => {
    const folder = temporaryFolder();
    await start({ folder });

    await expect(startEmulator({ folder })).rejects.toThrow(/data folder .* is in use .* --memory/);
  });
});

it('answers no browser page', async () => {
  const { emulator } = await start();

  const answer = await fetch(emulator.endpoint, {
    method: 'POST',
    headers: { origin: 'https://attacker.example', 'x-amz-target': 'DynamoDB_20120810.ListTables' },
    body: '{}',
  });

  expect(answer.status).toBe(403);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});
