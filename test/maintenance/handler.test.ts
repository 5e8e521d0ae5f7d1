// SPDX-License-Identifier: Apache-2.0
/** The scheduled function, as Lambda calls it, on the emulated table. */
import { handler } from '../../lambda/maintenance/handler';
import { ConfigurationError } from '../../lambda/session/errors';
import { sessionKey } from '../../lambda/session/session-keys';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

const names = { partitionKey: 'pk', sortKey: 'sk', expiresAt: 'ttl' };
let table: EmulatedTable;
const environment = process.env;
const logged = jest.spyOn(console, 'log').mockImplementation(() => {});

beforeAll(async () => {
  table = await startEmulatedTable(names);
});
beforeEach(() => {
  logged.mockClear();
  process.env = {
    ...environment,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    SESSIONGATE_TABLE_NAME: 'sessions',
    SESSIONGATE_SETTINGS: JSON.stringify({ attributeNames: names }),
    SESSIONGATE_ENDPOINT: table.emulator.endpoint,
  };
});
afterAll(async () => {
  process.env = environment;
  logged.mockRestore();
  await table.close();
});

const lasting = (millis: number) => ({ getRemainingTimeInMillis: () => millis });

async function put(number: string, ttl: number): Promise<void> {
  const { partitionKey, sortKey } = sessionKey(number.repeat(64));
  await table.store.put({ pk: { S: partitionKey }, sk: { S: sortKey }, ttl: { N: String(ttl) } });
}

it('deletes what has expired in the table of its environment, and logs one line of counts', async () => {
  await put('1', 1);
  await put('2', 4e9);
  const result = await handler({ time: '2027-01-15T08:00:00Z' }, lasting(900_000));

  expect(result).toMatchObject({ scanned: 2, deleted: 1, isComplete: true });
  expect(logged.mock.calls.map(([line]) => JSON.parse(line))).toEqual([{ deleteExpired: result }]);
  expect(await table.store.get(sessionKey('2'.repeat(64)))).toBeDefined();
});

it('takes its limits from the schedule’s input', async () => {
  expect(await handler({ deleteExpired: { segments: 3 } }, lasting(900_000))).toMatchObject({ segments: 3 });
  await expect(handler({ deleteExpired: { segmnets: 3 } }, lasting(900_000))).rejects.toThrow(ConfigurationError);
  await expect(handler({ deleteExpired: { segments: 0 } }, lasting(900_000))).rejects.toThrow('segments');
});

it('ends before its time is up', async () => {
  expect(await handler({}, lasting(10_000))).toMatchObject({ isComplete: false });
});

it('fails when the table does, after it said how far it came', async () => {
  process.env.SESSIONGATE_TABLE_NAME = 'absent';

  await expect(handler({}, lasting(900_000))).rejects.toMatchObject({ code: 'ERR_SESSION_STORE_NOT_FOUND' });
  expect(logged).toHaveBeenCalledTimes(1);
});

it('names a variable that is missing', async () => {
  delete process.env.SESSIONGATE_TABLE_NAME;

  await expect(handler({}, lasting(900_000))).rejects.toThrow('SESSIONGATE_TABLE_NAME');
});
