// SPDX-License-Identifier: Apache-2.0
/** What a store of express-session in DynamoDB is asked: one request each, and reads that see the last write. */
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { createDynamoDbExpressStore } from '../../lambda/legacy/express-session/dynamodb-express-store';
import { type Emulator, startEmulator } from '../../local/emulator/start-emulator';
import { CLIENT_DEFAULTS } from '../session/emulated-table';
import { createOldTable } from './express-app';

const KEY = { TableName: 'old_sessions', Key: { id: { S: 'sess:some-id' } } };

let emulator: Emulator;
let client: DynamoDBClient;
const requests: unknown[] = [];

beforeAll(async () => {
  emulator = await startEmulator();
  client = new DynamoDBClient({ endpoint: emulator.endpoint, ...CLIENT_DEFAULTS });
  await createOldTable(client, KEY.TableName, 'id');
  await client.send(
    new PutItemCommand({ TableName: KEY.TableName, Item: { ...KEY.Key, sess: { S: '{}' }, expires: { N: '1' } } }),
  );
  client.middlewareStack.add(
    (next, context) => (args) => {
      requests.push([context.commandName, args.input]);
      return next(args);
    },
    { step: 'initialize' },
  );
});

afterAll(async () => {
  client.destroy();
  await emulator.close();
});

beforeEach(() => {
  requests.length = 0;
});

const store = () => createDynamoDbExpressStore({ tableName: KEY.TableName, package: 'connect-dynamodb', client });

it('is read with ConsistentRead: a logout of a moment ago must not be overlooked', async () => {
  expect(await store().read('some-id')).toBeDefined();

  expect(requests).toEqual([['GetItemCommand', { ...KEY, ConsistentRead: true }]]);
});

it('is told of an end by a delete', async () => {
  await store().end('some-id');

  expect(requests).toEqual([['DeleteItemCommand', KEY]]);
});
