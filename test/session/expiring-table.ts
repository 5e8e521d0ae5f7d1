// SPDX-License-Identifier: Apache-2.0
/** A table with items that expire, every request to it recorded, and answers that stand in for its own. */
import { BatchWriteItemCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { deleteExpired } from '../../lambda/session/lifecycle/delete-expired';
import type { DeleteExpiredOptions } from '../../lambda/session/lifecycle/delete-expired-options';
import { sessionKey } from '../../lambda/session/session-keys';
import type { Item, ItemKey } from '../../lambda/session/store';
import { type EmulatedTable, startEmulatedTable } from './emulated-table';
import { NOW } from './fixtures';

export const HOUR_SECONDS = 3600;
export const hash = (number: number) => number.toString(16).padStart(64, '0');

export interface Recorded {
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: the input of any command
  readonly input: any;
}

export let table: EmulatedTable;
export const requests: Recorded[] = [];
/** Stands in for the answer to a request if it returns one. */
export const stand: { in: (request: Recorded) => object | undefined } = { in: () => undefined };

beforeAll(async () => {
  table = await startEmulatedTable();
  table.client.middlewareStack.add(
    (next, context) => async (args) => {
      const request = { operation: String(context.commandName).replace(/Command$/, ''), input: args.input };
      requests.push(request);
      const output = stand.in(request);
      return output === undefined ? next(args) : { output: { $metadata: {}, ...output }, response: {} };
    },
    { step: 'initialize' },
  );
});
afterEach(async () => {
  stand.in = () => undefined;
  await empty(table.client, 'sessions', ['PK', 'SK']);
  requests.length = 0;
});
afterAll(() => table.close());

export async function empty(
  client: DynamoDBClient,
  TableName: string,
  keyAttributes: readonly string[],
): Promise<void> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName }));
  for (let start = 0; start < Items.length; start += 25) {
    const keys = Items.slice(start, start + 25).map((item) =>
      Object.fromEntries(Object.entries(item).filter(([name]) => keyAttributes.includes(name))),
    );
    const RequestItems = { [TableName]: keys.map((Key) => ({ DeleteRequest: { Key } })) };
    await client.send(new BatchWriteItemCommand({ RequestItems }));
  }
}

export async function put(key: ItemKey, expiresAt: number | undefined, more: Item = {}): Promise<void> {
  await table.store.put({
    PK: { S: key.partitionKey },
    SK: { S: key.sortKey },
    ...(expiresAt === undefined ? {} : { expires_at: { N: String(expiresAt) } }),
    ...more,
  });
}

export async function putExpired(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => put(sessionKey(hash(index)), NOW - 2 * HOUR_SECONDS)));
  requests.length = 0;
}

export async function keys(): Promise<string[]> {
  const { Items = [] } = await table.client.send(new ScanCommand({ TableName: 'sessions' }));
  return Items.map(({ PK, SK }) => `${PK?.S} ${SK?.S}`).sort();
}

/** Time passes only by sleeping. */
export function run(options: Partial<DeleteExpiredOptions> = {}) {
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

export const of = (operation: string) => requests.filter((request) => request.operation === operation);
