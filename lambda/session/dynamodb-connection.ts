// SPDX-License-Identifier: Apache-2.0
/** The AWS SDK's client as every store here wants it: loaded at the first request, impatient, and without retries of its own. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { OptionNames } from '../known-options';

/** How to reach DynamoDB; each store takes these beside its own options. */
export interface DynamoDbConnectionOptions {
  /** Another endpoint than the region's own, such as an emulator's. */
  readonly endpoint?: string | undefined;
  /** Default: the environment's. */
  readonly region?: string | undefined;
  /** A client of your own. It must not retry (`maxAttempts: 1`): what a failed condition means depends on it. */
  readonly client?: DynamoDBClient | undefined;
}

export const CONNECTION_OPTIONS: OptionNames<DynamoDbConnectionOptions> = {
  endpoint: true,
  region: true,
  client: true,
};

export interface DynamoDbConnection {
  readonly sdk: typeof import('@aws-sdk/client-dynamodb');
  readonly client: DynamoDBClient;
}

/** Three tries and their pauses take some 3.5 s, which is more than Lambda's default timeout of 3 s: give functions ten. */
const CONNECTION_TIMEOUT_MILLIS = 500;
const REQUEST_TIMEOUT_MILLIS = 1_000;

/** Returns a function that connects when it is first called, and gives the same connection from then on. */
export function connectLazily(options: DynamoDbConnectionOptions): () => Promise<DynamoDbConnection> {
  let connection: Promise<DynamoDbConnection> | undefined;
  return () => {
    connection ??= connect(options);
    return connection;
  };
}

async function connect({ endpoint, region, client }: DynamoDbConnectionOptions): Promise<DynamoDbConnection> {
  const sdk = await import('@aws-sdk/client-dynamodb');
  return {
    sdk,
    client:
      client ??
      new sdk.DynamoDBClient({
        maxAttempts: 1,
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(region === undefined ? {} : { region }),
        requestHandler: {
          connectionTimeout: CONNECTION_TIMEOUT_MILLIS,
          requestTimeout: REQUEST_TIMEOUT_MILLIS,
          throwOnRequestTimeout: true,
        },
      }),
  };
}
