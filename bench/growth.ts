// SPDX-License-Identifier: Apache-2.0
/** How the cost of one authorization grows: with the item, the user's sessions, the Cookie header and the table. */
import { BatchWriteItemCommand, CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { generateSessionToken, hashSessionToken } from '../lambda/session/token';
import { DEFAULT_ATTRIBUTE_NAMES, resolveSettings } from '../lambda/settings';
import { type Emulator, startEmulator } from '../local/emulator/start-emulator';
import type { BenchEnvironment } from './bench-environment';
import { buildVariant } from './build-variants';
import { measureWarm } from './measure-warm';
import type { NodeVersion } from './node-versions';
import { table } from './report';
import { spreadOf } from './statistics';
import { SHIPPED, VARIANTS } from './variants';

const TABLE = 'sessions';
const BATCH = 25;
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

interface Point {
  readonly what: string;
  readonly requests: number;
  readonly readUnits: number;
  readonly cpuMicros: number;
}

/** @param largestTable how many items the last table has */
export async function growthTable(node: NodeVersion, folder: string, largestTable: number): Promise<string> {
  const emulator = await startEmulator();
  const client = new DynamoDBClient({ endpoint: emulator.endpoint, region: 'eu-central-1', credentials: CREDENTIALS });
  try {
    await createTable(client);
    const shipped = VARIANTS.find(({ name }) => name === SHIPPED);
    if (shipped === undefined) throw new Error('the variants have no shipped one');
    const variant = await buildVariant(shipped, folder);
    const measure = (what: string, token: string, padding = 0): Promise<Point> =>
      measurePoint(what, emulator, node, folder, variant, token, padding);
    const points: Point[] = [];

    for (const kilobytes of [0, 1, 3, 4, 8, 12, 16]) {
      const token = generateSessionToken();
      await put(client, [sessionItem(token, 'alice', kilobytes * 1024)]);
      points.push(await measure(`item with ${kilobytes} KB of data`, token));
    }
    for (const sessions of [1, 10, 100, 1000]) {
      const tokens = Array.from({ length: sessions }, generateSessionToken);
      const user = `user-of-${sessions}`;
      await put(
        client,
        tokens.flatMap((token) => [sessionItem(token, user, 0), collectionItem(token, user)]),
      );
      points.push(await measure(`user with ${sessions} sessions`, tokens[0] ?? ''));
    }
    const token = generateSessionToken();
    await put(client, [sessionItem(token, 'alice', 0)]);
    for (const bytes of [100, 1000, 4000, 10_000])
      points.push(await measure(`Cookie header of ${bytes} bytes`, token, bytes));
    for (let written = 0, size = largestTable / 100; size <= largestTable; size *= 10) {
      for (; written < size; written += 1000)
        await put(
          client,
          Array.from({ length: 1000 }, () => sessionItem(generateSessionToken(), 'other', 0)),
        );
      points.push(await measure(`table with ${size} more items`, token));
    }
    return table(
      ['one authorization', 'requests', 'read units', 'processor time'],
      points.map(({ what, requests, readUnits, cpuMicros }) => [
        what,
        requests.toFixed(2),
        readUnits.toFixed(2),
        `${cpuMicros.toFixed(0)} us`,
      ]),
    );
  } finally {
    client.destroy();
    await emulator.close();
  }
}

const ROUNDS = 5;
const CALLS = 100;

async function measurePoint(
  what: string,
  emulator: Emulator,
  node: NodeVersion,
  folder: string,
  variant: Awaited<ReturnType<typeof buildVariant>>,
  token: string,
  cookieBytes: number,
): Promise<Point> {
  const session = `__Host-session=${token}`;
  const padding = Math.max(0, cookieBytes - session.length - 4);
  const cookie = padding > 0 ? `a=${'x'.repeat(padding)}; ${session}` : session;
  const environment: BenchEnvironment = {
    variables: {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      SESSIONGATE_TABLE_NAME: TABLE,
      SESSIONGATE_SETTINGS: JSON.stringify(resolveSettings()),
      SESSIONGATE_ENDPOINT: emulator.endpoint,
    },
    event: {
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:abcdef1234/prod/GET/hello',
      httpMethod: 'GET',
      headers: { Cookie: cookie },
    },
    close() {},
  };
  emulator.resetCounts();
  const batches = await measureWarm([variant], ROUNDS, CALLS, node.file, environment, folder);
  const { requests, readUnits, writeUnits } = emulator.counts();
  if (writeUnits !== 0) throw new Error('an authorization wrote to the table');
  const authorizations = CALLS * (ROUNDS + 1);
  const cpu = batches.get(variant.name)?.map(({ cpuMicros }) => cpuMicros) ?? [];
  return {
    what,
    // Less the one read of one unit by which it warmed up.
    requests: (requests - 1) / authorizations,
    readUnits: (readUnits - 1) / authorizations,
    cpuMicros: spreadOf(cpu).median,
  };
}

type Item = Record<string, { S: string } | { N: string }>;

function sessionItem(token: string, user: string, dataBytes: number): Item {
  const now = Math.floor(Date.now() / 1000);
  return {
    PK: { S: `S#${hashSessionToken(token)}` },
    SK: { S: 'S#' },
    type: { S: 'session' },
    user: { S: user },
    created_at: { N: String(now) },
    issued_at: { N: String(now) },
    expires_at: { N: String(now + 86_400) },
    ...(dataBytes === 0 ? {} : { data: { S: 'x'.repeat(dataBytes) } }),
  };
}

function collectionItem(token: string, user: string): Item {
  return { PK: { S: `SU#${user}` }, SK: { S: `S#${hashSessionToken(token)}` }, generation: { N: '0' } };
}

async function put(client: DynamoDBClient, items: readonly Item[]): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH) {
    const requests = items.slice(start, start + BATCH).map((item) => ({ PutRequest: { Item: item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [TABLE]: requests } }));
  }
}

async function createTable(client: DynamoDBClient): Promise<void> {
  const { partitionKey, sortKey } = DEFAULT_ATTRIBUTE_NAMES;
  await client.send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [partitionKey, sortKey].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
    }),
  );
}
