// SPDX-License-Identifier: Apache-2.0
/** Time to live and point-in-time recovery of the emulated table. */
import {
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ResourceNotFoundException,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { closeEmulators, createTable, enableTimeToLive, key, start, TableName } from './support/emulator';

afterEach(closeEmulators);

describe('the emulated table', () => {
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
