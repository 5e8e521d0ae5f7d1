// SPDX-License-Identifier: Apache-2.0
/** What an older system's table refuses says what to check, and no key: real requests, and the faults of AWS as it names them. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbExpressStore } from '../../lambda/legacy/express-session/dynamodb-express-store';
import { legacyTableError } from '../../lambda/legacy/legacy-table-error';
import { createPhpTable } from '../../lambda/legacy/php/php-table';
import { SessionStoreError } from '../../lambda/session/errors';
import { type Emulator, startEmulator } from '../../local/emulator/start-emulator';
import { CLIENT_DEFAULTS } from '../session/emulated-table';
import { createOldTable } from './express-app';

const ID = 'abcDEF-_0123456789abcDEF-_012345';
let emulator: Emulator;
let client: DynamoDBClient;

beforeAll(async () => {
  emulator = await startEmulator();
  client = new DynamoDBClient({ endpoint: emulator.endpoint, ...CLIENT_DEFAULTS });
  await createOldTable(client, 'old', 'id');
});
afterAll(async () => {
  client.destroy();
  await emulator.close();
});

async function failureOf(request: Promise<unknown>): Promise<SessionStoreError> {
  const failure: unknown = await request.catch((error: unknown) => error);
  if (!(failure instanceof SessionStoreError)) throw new Error('a SessionStoreError was expected');
  return failure;
}

it.each([
  ['package', () => createDynamoDbExpressStore({ tableName: 'old', package: 'dynamodb-store', client }).read(ID)],
  ['hashKey', () => createPhpTable({ tableName: 'old', hashKey: 'key', client }).get(ID)],
])('the wrong %s is among the likely causes', async (option, ask) => {
  const failure = await failureOf(ask());

  expect(failure).toMatchObject({ code: 'ERR_SESSION_STORE', isRetryable: false });
  expect(failure.message).toMatch(
    /^table old refused the request; likely it is not the table .*\(tableName\), .* lacks/,
  );
  expect(failure.message).toContain(option);
  expect(failure.message).not.toContain(ID);
});

it('a table that does not exist is said to be none', async () => {
  const failure = await failureOf(createPhpTable({ tableName: 'other', client }).get(ID));

  expect(failure.code).toBe('ERR_SESSION_STORE_NOT_FOUND');
  expect(failure.message).toBe('table other does not exist; check tableName, region and endpoint');
});

describe.each([
  ['AccessDeniedException', 'refused access; grant the function dynamodb:GetItem, dynamodb:DeleteItem on it', false],
  ['ThrottlingException', 'throttled the request', true],
])('%s', (name, words, isRetryable) => {
  it('is told for what it is', () => {
    const failure = Object.assign(new Error(`for ${ID}`), { name });
    const access = { tableName: 'old', hashKey: 'id', keyOptions: 'hashKey', actions: ['GetItem', 'DeleteItem'] };

    const error = legacyTableError(failure, access);

    expect(error).toMatchObject({ message: `table old ${words}`, isRetryable, cause: failure });
  });
});
