// SPDX-License-Identifier: Apache-2.0
/** The emulated table, over real HTTP and the SDK's own client. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ResourceNotFoundException,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../local/emulator/start-emulator';

const TableName = 'sessions';
const closers: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(options: EmulatorOptions = {}): Promise<{ emulator: Emulator; client: DynamoDBClient }> {
  const emulator = await startEmulator(options);
  const client = new DynamoDBClient({
    endpoint: emulator.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  let isOpen = true;
  const close = emulator.close;
  emulator.close = async () => {
    if (isOpen) await close();
    isOpen = false;
  };
  closers.push(() => client.destroy(), emulator.close);
  return { emulator, client };
}

async function createTable(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'PK', AttributeType: 'S' },
        { AttributeName: 'SK', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'PK', KeyType: 'HASH' },
        { AttributeName: 'SK', KeyType: 'RANGE' },
      ],
    }),
  );
}

const key = (PK: string, SK: string) => ({ PK: { S: PK }, SK: { S: SK } });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sessiongate-emulator-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

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

    const { recent } = emulator.counts();
    expect(recent.map(({ operation, keyKind }) => [operation, keyKind])).toEqual([
      ['GetItem', 'S#'],
      ['PutItem', 'SU# S#'],
      ['GetItem', 'SU#'],
      ['Query', 'SU#'],
      ['GetItem', 'other'],
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

async function enableTimeToLive(client: DynamoDBClient): Promise<void> {
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    }),
  );
}

describe('what dynalite lacks', () => {
  it('turns point-in-time recovery on and says so', async () => {
    const { client } = await start();
    await createTable(client);

    await client.send(
      new UpdateContinuousBackupsCommand({
        TableName,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );

    const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    expect(ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus).toBe('ENABLED');
  });

  it('refuses time to live that is on already, and of a table that does not exist', async () => {
    const { client } = await start();
    await expect(enableTimeToLive(client)).rejects.toThrow(ResourceNotFoundException);
    await createTable(client);
    await enableTimeToLive(client);

    await expect(enableTimeToLive(client)).rejects.toMatchObject({
      name: 'ValidationException',
      message: 'TimeToLive is already enabled',
    });
  });

  it('forgets the time to live of a deleted table', async () => {
    const { client } = await start();
    await createTable(client);
    await enableTimeToLive(client);
    await client.send(new DeleteTableCommand({ TableName }));
    await createTableOnceDeleted(client);

    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));

    expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'DISABLED' });
  });

  it('deletes expired items of the attribute that was set, and no others', async () => {
    const now = 1_800_000_000;
    const { emulator, client } = await start({ now: () => now });
    await createTable(client);
    await enableTimeToLive(client);
    const items = {
      'S#expired': { expires_at: { N: `${now}` } },
      'S#alive': { expires_at: { N: `${now + 1}` } },
      'S#other attribute': { ttl: { N: '1' } },
      'S#text': { expires_at: { S: '1' } },
      'S#older than five years': { expires_at: { N: `${now - 6 * 365 * 86_400}` } },
    };
    for (const [PK, attributes] of Object.entries(items))
      await client.send(new PutItemCommand({ TableName, Item: { ...key(PK, 'S#'), ...attributes } }));
    emulator.resetCounts();

    const deleted = await emulator.deleteExpiredItems();

    expect(deleted).toBe(1);
    expect(emulator.counts().requests).toBe(0);
    for (const PK of Object.keys(items)) {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: key(PK, 'S#') }));
      expect([PK, Item === undefined]).toEqual([PK, PK === 'S#expired']);
    }
  });
});

/** A deleted table goes in the background; a new one of its name is refused until then. */
async function createTableOnceDeleted(client: DynamoDBClient): Promise<void> {
  for (;;) {
    try {
      return await createTable(client);
    } catch (error) {
      if ((error as Error).name !== 'ResourceInUseException') throw error;
    }
  }
}

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
