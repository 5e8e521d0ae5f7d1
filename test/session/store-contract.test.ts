// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDbSessionStore } from '../../lambda/session/dynamodb-session-store';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import { DEFAULT_ATTRIBUTE_NAMES } from '../../lambda/settings';
import { CLIENT_DEFAULTS, createTable, type EmulatedTable, startEmulatedTable } from './emulated-table';
import { describeStoreContract } from './store-contract';

describeStoreContract('the memory store', () => new MemorySessionStore({ pageSize: 10 }));

describe('on the embedded emulator', () => {
  let table: EmulatedTable;
  let renamed: DynamoDbSessionStore;

  beforeAll(async () => {
    table = await startEmulatedTable();
    renamed = await createTable(table.client, 'application', {
      partitionKey: 'pk',
      sortKey: 'data_key',
      expiresAt: 'ttl',
    });
  });
  afterAll(() => table.close());

  describeStoreContract('the DynamoDB store', () => table.store);
  describeStoreContract('the DynamoDB store with key names of its own', () => renamed);
});

const dynoxide = findDynoxide();
if (dynoxide === undefined) console.info('store contract on dynoxide: not run, @dynoxide/linux-x64 is not installed');
else
  describe('on dynoxide', () => {
    let process_: ChildProcess;
    let client: DynamoDBClient;
    let store: DynamoDbSessionStore;

    beforeAll(async () => {
      const port = await freePort();
      process_ = spawn(dynoxide, ['serve', '--host', '127.0.0.1', '--port', String(port)], { stdio: 'ignore' });
      client = new DynamoDBClient({ endpoint: `http://127.0.0.1:${port}`, ...CLIENT_DEFAULTS, maxAttempts: 8 });
      store = await createTable(client, 'sessions', DEFAULT_ATTRIBUTE_NAMES);
    });
    afterAll(() => {
      client.destroy();
      process_.kill();
    });

    describeStoreContract('the DynamoDB store', () => store);
  });

/** An emulator of another make, as a second opinion; its binary ships in an npm package for one platform. */
function findDynoxide(): string | undefined {
  try {
    return join(dirname(require.resolve('@dynoxide/linux-x64/package.json')), 'dynoxide');
  } catch {
    return undefined;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
