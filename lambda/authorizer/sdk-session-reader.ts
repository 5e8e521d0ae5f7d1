// SPDX-License-Identifier: Apache-2.0
/** The reader on the AWS SDK: for authorizers of your own, and the measure that the direct reader is held to. */
import type { AttributeValue, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { isConditionFailure, storeErrorFrom } from '../session/dynamodb-failure';
import type { Item } from '../session/store';
import { type AttributeNames, ConfigurationError, resolveSettings } from '../settings';
import type { SessionReader } from './reader';
import {
  type GetItemRequest,
  readItemRequest,
  readSessionRequest,
  readUserRecordRequest,
  renewSessionRequest,
  type TableAddress,
} from './table-request';

export interface SdkSessionReaderOptions {
  readonly tableName: string;
  /** As in the settings of the sessions. Default `PK`, `SK`, `expires_at`. */
  readonly attributeNames?: Partial<AttributeNames> | undefined;
  /** Attribute of your own user record that holds its line; wanted by the authorizer's `userRecord`. Default none. */
  readonly userRecordAttribute?: string | undefined;
  /** Another endpoint than the region's own, such as an emulator's. */
  readonly endpoint?: string | undefined;
  /** Further settings of the client, such as region or credentials. Default: the environment's. */
  readonly client?: DynamoDBClientConfig | undefined;
}

/** Twice half a second: far under the 10 seconds for which API Gateway waits. */
const CLIENT_LIMITS: DynamoDBClientConfig = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 300, requestTimeout: 500, throwOnRequestTimeout: true },
};

/**
 * Reads the session table through the AWS SDK. Nothing is loaded or connected before the first call. Two attempts of at most
 * half a second each; what fails then rejects with a `SessionStoreError`.
 * @throws ConfigurationError naming the option
 */
export function createSdkSessionReader(options: SdkSessionReaderOptions): Required<SessionReader> {
  const table = addressOf(options);
  let connection: ReturnType<typeof connect> | undefined;

  /** The failure names the table and no key: keys hold token hashes. */
  async function attempt<T>(request: (connection: Awaited<ReturnType<typeof connect>>) => Promise<T>): Promise<T> {
    connection ??= connect(options);
    try {
      return await request(await connection);
    } catch (failure) {
      throw storeErrorFrom(failure, table.tableName);
    }
  }

  function get(input: Pick<GetItemRequest, 'TableName' | 'Key' | 'ConsistentRead'>): Promise<Item | undefined> {
    return attempt(
      async ({ sdk, client }) => (await client.send(new sdk.GetItemCommand(input))).Item as Item | undefined,
    );
  }

  return {
    readSession: (partitionKey) => get(readSessionRequest(table, partitionKey)),
    readUserRecord: async (key) => {
      if (table.userRecordAttribute === undefined)
        throw new ConfigurationError(
          'userRecordAttribute must be given to the reader: it names what to read of user records',
        );
      return get(readUserRecordRequest(table, key));
    },
    readItem: (key) => get(readItemRequest(table, key)),
    renewSession: (partitionKey, renewal) =>
      attempt(async ({ sdk, client }) => {
        const request = renewSessionRequest(table, partitionKey, renewal);
        const values = request.ExpressionAttributeValues as Record<string, AttributeValue>;
        try {
          await client.send(new sdk.UpdateItemCommand({ ...request, ExpressionAttributeValues: values }));
          return true;
        } catch (failure) {
          if (isConditionFailure(failure)) return false;
          throw failure;
        }
      }),
  };
}

/** Checked as the settings are; a reader of other attributes would find no session and deny everybody. */
function addressOf({ tableName, attributeNames, userRecordAttribute }: SdkSessionReaderOptions): TableAddress {
  if (typeof tableName !== 'string' || tableName === '')
    throw new ConfigurationError('tableName must be the name of the session table');
  const settings = resolveSettings({ attributeNames, userRecordAttribute });
  return { tableName, attributeNames: settings.attributeNames, userRecordAttribute: settings.userRecordAttribute };
}

async function connect({ endpoint, client }: SdkSessionReaderOptions) {
  const sdk = await import('@aws-sdk/client-dynamodb');
  const config = { ...CLIENT_LIMITS, ...(endpoint === undefined ? {} : { endpoint }), ...client };
  return { sdk, client: new sdk.DynamoDBClient(config) };
}
