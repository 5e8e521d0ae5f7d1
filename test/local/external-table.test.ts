// SPDX-License-Identifier: Apache-2.0
/** Another DynamoDB instead of the embedded table: what is created there, what is left alone, what is refused. */
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { startLocalStack } from '../../local/app';
import { ensureTable, readTable } from '../../local/create-table';
import { LOCAL_CREDENTIALS } from '../../local/options';
import { createResolver } from '../../local/template/resolver';
import type { TemplateResource } from '../../local/template/template';
import { closeEmulators, createTable, start } from './support/emulator';
import { ENVIRONMENT } from './support/rest-template';

afterEach(closeEmulators);

const TABLE: TemplateResource = {
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    AttributeDefinitions: [
      { AttributeName: 'PK', AttributeType: 'S' },
      { AttributeName: 'SK', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
    TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
  },
};

const tableOf = (...tables: TemplateResource[]) =>
  readTable(
    createResolver({ Resources: Object.fromEntries(tables.map((table, i) => [`Table${i}`, table])) }, ENVIRONMENT),
  );

const addressOf = (endpoint: string, tableName = 'Table0') => ({
  endpoint,
  region: 'us-east-1',
  credentials: LOCAL_CREDENTIALS,
  tableName,
});

it("creates the template's table with its keys, time to live and recovery, once", async () => {
  const { emulator, client } = await start();
  const { name, properties } = tableOf(TABLE);

  await ensureTable(properties, addressOf(emulator.endpoint, name));
  await ensureTable(properties, addressOf(emulator.endpoint, name));

  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Table0' }));
  expect(Table).toMatchObject({ TableStatus: 'ACTIVE', KeySchema: TABLE.Properties?.KeySchema });
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: 'Table0' }));
  expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires_at' });
  const { ContinuousBackupsDescription } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: 'Table0' }),
  );
  expect(ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus).toBe('ENABLED');
  expect(emulator.counts().operations.CreateTable?.requests).toBe(1);
});

it('refuses a table of that name with other keys, and leaves it as it is', async () => {
  const { emulator, client } = await start();
  await createTable(client);
  const other = {
    ...TABLE,
    Properties: { ...TABLE.Properties, KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] },
  };

  await expect(ensureTable(tableOf(other).properties, addressOf(emulator.endpoint, 'sessions'))).rejects.toThrow(
    /the table sessions at http:\S+ has other keys than the template's/,
  );
});

it('wants one table in the template', () => {
  expect(() => tableOf()).toThrow(/must have one table/);
  expect(() => tableOf(TABLE, TABLE)).toThrow(/must have one table/);
});

it('serves from a table elsewhere, under the name that was given', async () => {
  const { emulator } = await start();
  const dynamoDb = {
    endpoint: emulator.endpoint,
    region: 'eu-west-1',
    tableName: 'mine',
    credentials: LOCAL_CREDENTIALS,
  };
  const stack = await startLocalStack({ port: 0, https: false, dynamoDb }, { log: () => {} });
  emulator.resetCounts();

  const login = await fetch(`${stack.url}/login`, {
    method: 'POST',
    body: JSON.stringify({ username: 'demo', password: 'demo' }),
  });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const hello = await fetch(`${stack.url}/hello`, { headers: { cookie } });
  await stack.close();

  expect(await hello.json()).toEqual({ message: 'Hello, demo!' });
  expect(JSON.parse(hello.headers.get('x-local-cost') ?? '')).toMatchObject({ isMeasured: false, operations: [] });
  expect(Object.keys(emulator.counts().tables)).toEqual(['mine']);
  expect(stack.counts).toBeUndefined();
}, 120_000);
