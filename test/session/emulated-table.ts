// SPDX-License-Identifier: Apache-2.0
/** A session table in the embedded emulator. */
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDbSessionStore } from '../../lambda/session/dynamodb-session-store';
import { type AttributeNames, DEFAULT_ATTRIBUTE_NAMES } from '../../lambda/settings';
import { type Emulator, startEmulator } from '../../local/emulator/start-emulator';

export const CLIENT_DEFAULTS = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 1,
};

export interface EmulatedTable {
  readonly emulator: Emulator;
  readonly client: DynamoDBClient;
  readonly store: DynamoDbSessionStore;
  close(): Promise<void>;
}

export async function startEmulatedTable(
  attributeNames: AttributeNames = DEFAULT_ATTRIBUTE_NAMES,
): Promise<EmulatedTable> {
  const emulator = await startEmulator();
  const client = new DynamoDBClient({ endpoint: emulator.endpoint, ...CLIENT_DEFAULTS });
  const store = await createTable(client, 'sessions', attributeNames);
  emulator.resetCounts();
  return {
    emulator,
    client,
    store,
    async close() {
      client.destroy();
      await emulator.close();
    },
  };
}

export async function createTable(
  client: DynamoDBClient,
  tableName: string,
  attributeNames: AttributeNames,
): Promise<DynamoDbSessionStore> {
  const { partitionKey, sortKey } = attributeNames;
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: partitionKey, AttributeType: 'S' },
        { AttributeName: sortKey, AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
    }),
  );
  return new DynamoDbSessionStore({ tableName, attributeNames, client });
}
