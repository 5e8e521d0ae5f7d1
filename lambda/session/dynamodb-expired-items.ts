// SPDX-License-Identifier: Apache-2.0
/** The requests by which expired items are found and deleted: Scan, BatchWriteItem, DeleteItem. Each call is one request. */
import type { AttributeValue as SdkAttributeValue } from '@aws-sdk/client-dynamodb';
import { connectLazily, type DynamoDbConnection, type DynamoDbConnectionOptions } from './dynamodb-connection';
import { isConditionFailure, storeErrorFrom } from './dynamodb-failure';

/** A key as DynamoDB wants it back. */
export type ExpiredKey = Readonly<Record<string, SdkAttributeValue>>;

export interface ExpiredItemsPage {
  readonly keys: readonly ExpiredKey[];
  /** Items that were read, and charged for, to find these. */
  readonly scanned: number;
  readonly readUnits: number;
  /** Pass to the next call; absent on the last page. */
  readonly cursor?: ExpiredKey;
}

/** What is expired, in which table. */
export interface ExpiredItemsOptions extends DynamoDbConnectionOptions {
  readonly tableName: string;
  readonly keyAttributes: readonly string[];
  /** Attribute with the end in Unix seconds. */
  readonly expiresAtAttribute: string;
  /** Keys of items that may be deleted; the rest of the table is left alone. */
  readonly isOurs: (key: ExpiredKey) => boolean;
}

export interface ExpiredItems {
  scan(page: {
    readonly segment: number;
    readonly totalSegments: number;
    /** Items that ended before this second. */
    readonly before: number;
    readonly cursor?: ExpiredKey | undefined;
  }): Promise<ExpiredItemsPage>;
  /** Up to 25 keys, without a condition. `unprocessed` are those that DynamoDB did not get to. */
  deleteBatch(
    keys: readonly ExpiredKey[],
  ): Promise<{ readonly unprocessed: readonly ExpiredKey[]; readonly writeUnits: number }>;
  /** `false` if the item no longer ended before that second; it stays. */
  deleteIfExpired(key: ExpiredKey, before: number): Promise<boolean>;
}

export function createExpiredItems(options: ExpiredItemsOptions): ExpiredItems {
  const { tableName: TableName, keyAttributes, expiresAtAttribute, isOurs } = options;
  const connect = connectLazily(options);

  async function request<T>(send: (connection: DynamoDbConnection) => Promise<T>): Promise<T> {
    const connection = await connect();
    try {
      return await send(connection);
    } catch (failure) {
      throw storeErrorFrom(failure, TableName);
    }
  }

  const keyNames = Object.fromEntries(keyAttributes.map((name, index) => [`#k${index}`, name]));

  return {
    scan: ({ segment, totalSegments, before, cursor }) =>
      request(async ({ sdk, client }) => {
        const answer = await client.send(
          new sdk.ScanCommand({
            TableName,
            Segment: segment,
            TotalSegments: totalSegments,
            ProjectionExpression: Object.keys(keyNames).join(', '),
            FilterExpression: '#expires < :before',
            ExpressionAttributeNames: { '#expires': expiresAtAttribute, ...keyNames },
            ExpressionAttributeValues: { ':before': { N: String(before) } },
            ReturnConsumedCapacity: 'TOTAL',
            ExclusiveStartKey: cursor,
          }),
        );
        return {
          keys: (answer.Items ?? []).filter(isOurs),
          scanned: answer.ScannedCount ?? 0,
          readUnits: answer.ConsumedCapacity?.CapacityUnits ?? 0,
          ...(answer.LastEvaluatedKey === undefined ? {} : { cursor: answer.LastEvaluatedKey }),
        };
      }),

    deleteBatch: (keys) =>
      request(async ({ sdk, client }) => {
        const answer = await client.send(
          new sdk.BatchWriteItemCommand({
            RequestItems: { [TableName]: keys.map((Key) => ({ DeleteRequest: { Key } })) },
            ReturnConsumedCapacity: 'TOTAL',
          }),
        );
        const unprocessed = answer.UnprocessedItems?.[TableName] ?? [];
        return {
          unprocessed: unprocessed.map(({ DeleteRequest }) => DeleteRequest?.Key).filter((key) => key !== undefined),
          writeUnits: (answer.ConsumedCapacity ?? []).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0),
        };
      }),

    deleteIfExpired: (key, before) =>
      request(async ({ sdk, client }) => {
        try {
          await client.send(
            new sdk.DeleteItemCommand({
              TableName,
              Key: key,
              ConditionExpression: '#expires < :before',
              ExpressionAttributeNames: { '#expires': expiresAtAttribute },
              ExpressionAttributeValues: { ':before': { N: String(before) } },
            }),
          );
          return true;
        } catch (failure) {
          if (isConditionFailure(failure)) return false;
          throw failure;
        }
      }),
  };
}
