// SPDX-License-Identifier: Apache-2.0
/** An emulated table and a client for it, both gone after the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../local/emulator/start-emulator';

export const TableName = 'sessions';
const closers: (() => Promise<unknown> | unknown)[] = [];

/** For `afterEach`. */
export async function closeEmulators(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

export async function start(options: EmulatorOptions = {}): Promise<{ emulator: Emulator; client: DynamoDBClient }> {
  const emulator = await startEmulator(options);
  const client = new DynamoDBClient({
    endpoint: emulator.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  closers.push(() => client.destroy(), emulator.close);
  return { emulator, client };
}

export async function createTable(client: DynamoDBClient): Promise<void> {
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

export const key = (PK: string, SK: string) => ({ PK: { S: PK }, SK: { S: SK } });

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sessiongate-emulator-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

export async function enableTimeToLive(client: DynamoDBClient): Promise<void> {
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    }),
  );
}
