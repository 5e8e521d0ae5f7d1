// SPDX-License-Identifier: Apache-2.0
/** Makes sure that the template's table exists, with its keys, time to live and point-in-time recovery. */
import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type KeySchemaElement,
  ResourceNotFoundException,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { StartError } from './start-error';
import type { Properties, Resolver } from './template/resolver';
import { TemplateError } from './template/template';

export interface TableAddress {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly tableName: string;
}

/** The template's only table. */
export function readTable(resolver: Resolver): { readonly name: string; readonly properties: Properties } {
  const [table, another] = resolver.resourcesOf('AWS::DynamoDB::GlobalTable');
  if (table === undefined || another !== undefined)
    throw new TemplateError('the template must have one table (AWS::DynamoDB::GlobalTable)');
  return { name: resolver.physicalName(table.logicalId), properties: table.properties };
}

/**
 * Creates the table if it is missing. Not on AWS: what costs money there is made by a deployment.
 * @throws StartError if the endpoint cannot be reached, or has another table of this name
 */
export async function ensureTable(properties: Properties, address: TableAddress): Promise<void> {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = address.credentials;
  const client = new DynamoDBClient({
    endpoint: address.endpoint,
    region: address.region,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN === undefined ? {} : { sessionToken: AWS_SESSION_TOKEN }),
    },
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  try {
    const existing = await findKeySchema(client, address);
    if (existing === undefined) await createTable(client, properties, address);
    else if (keysOf(existing) !== keysOf(properties.KeySchema as KeySchemaElement[]))
      throw new StartError(`the table ${address.tableName} at ${address.endpoint} has other keys than the template's`);
  } finally {
    client.destroy();
  }
}

async function findKeySchema(
  client: DynamoDBClient,
  { endpoint, tableName }: TableAddress,
): Promise<readonly KeySchemaElement[] | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    return Table?.KeySchema ?? [];
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw unusable(endpoint, error as Error);
    if (/\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname))
      throw new StartError(
        `the table ${tableName} does not exist at DYNAMODB_ENDPOINT ${endpoint}; deploy it, or set DYNAMODB_TABLE to its name`,
      );
    return undefined;
  }
}

function unusable(endpoint: string, error: Error & { code?: string }): StartError {
  const reason = error.code ?? error.name;
  return new StartError(
    `DYNAMODB_ENDPOINT ${endpoint} does not answer as a DynamoDB (${reason}); start it there, or unset DYNAMODB_ENDPOINT to use the embedded table`,
    { cause: error },
  );
}

async function createTable(
  client: DynamoDBClient,
  properties: Properties,
  { tableName: TableName }: TableAddress,
): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: properties.AttributeDefinitions as AttributeDefinition[],
      KeySchema: properties.KeySchema as KeySchemaElement[],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName });
  await enableTimeToLive(client, TableName, properties);
  await enableRecovery(client, TableName, properties);
}

async function enableTimeToLive(client: DynamoDBClient, TableName: string, properties: Properties): Promise<void> {
  const specification = properties.TimeToLiveSpecification as { AttributeName: string; Enabled: boolean } | undefined;
  if (specification?.Enabled !== true) return;
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return;
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: specification }));
}

/** Other emulators may not know it, and nothing here depends on it. */
async function enableRecovery(client: DynamoDBClient, TableName: string, properties: Properties): Promise<void> {
  const [replica] = properties.Replicas as {
    PointInTimeRecoverySpecification?: { PointInTimeRecoveryEnabled?: boolean };
  }[];
  if (replica?.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled !== true) return;
  try {
    await client.send(
      new UpdateContinuousBackupsCommand({
        TableName,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );
  } catch (error) {
    if ((error as Error).name !== 'UnknownOperationException') throw error;
  }
}

function keysOf(schema: readonly KeySchemaElement[]): string {
  return JSON.stringify(schema.map(({ AttributeName, KeyType }) => [KeyType, AttributeName]).sort());
}
