// SPDX-License-Identifier: Apache-2.0
/** The handler's table: one string key, items of single sessions. Each call is one request, and none repeats itself. */
import type { AttributeValue as SdkAttributeValue } from '@aws-sdk/client-dynamodb';
import { type OptionNames, refuseUnknownOptions } from '../../known-options';
import {
  CONNECTION_OPTIONS,
  connectLazily,
  type DynamoDbConnection,
  type DynamoDbConnectionOptions,
} from '../../session/dynamodb-connection';
import { writeExpression } from '../../session/dynamodb-expression';
import { isConditionFailure } from '../../session/dynamodb-failure';
import type { Change, Condition, Item, UpdateOutcome } from '../../session/store';
import { ConfigurationError } from '../../settings';
import { legacyTableError } from '../legacy-table-error';

/** What reading legacy sessions needs of the table; a reader of your own may take its place. */
export interface PhpItemReader {
  /** Consistent read; `undefined` where there is no item. Rejects with a `SessionStoreError`. */
  get(key: string): Promise<Item | undefined>;
  /** Deletes the item; an absent one is no error. */
  delete(key: string): Promise<void>;
}

/** A failed condition writes nothing and is no error. Failures are a `SessionStoreError`; the write may have been done all the same. */
export interface PhpTable extends PhpItemReader {
  get(key: string, options?: { readonly isConsistent?: boolean }): Promise<Item | undefined>;
  /** `false` if the key is taken. */
  put(item: Item): Promise<boolean>;
  update(key: string, change: Change, conditions: Conditions): Promise<UpdateOutcome>;
  deleteIf(key: string, conditions: Conditions): Promise<boolean>;
}

export type Conditions = readonly [Condition, ...Condition[]];

export interface PhpTableOptions extends DynamoDbConnectionOptions {
  readonly tableName: string;
  /** Name of the partition key. Default `id`. */
  readonly hashKey?: string | undefined;
}

const OPTIONS: OptionNames<PhpTableOptions> = { ...CONNECTION_OPTIONS, tableName: true, hashKey: true };

/** The last two only for `createPhpSessionStore`. */
const ACTIONS = ['GetItem', 'DeleteItem', 'PutItem', 'UpdateItem'];

type SdkItem = Record<string, SdkAttributeValue>;

/** @throws ConfigurationError naming the option */
export function createPhpTable(options: PhpTableOptions): PhpTable {
  refuseUnknownOptions(options, OPTIONS);
  const { tableName, hashKey = 'id' } = options;
  if (typeof tableName !== 'string' || tableName === '')
    throw new ConfigurationError('tableName must be the name of the table that holds the PHP sessions');
  const connect = connectLazily(options);
  const TableName = tableName;
  const access = { tableName, hashKey, keyOptions: 'hashKey', actions: ACTIONS };
  const keyOf = (key: string): SdkItem => ({ [hashKey]: { S: key } });

  /** The failure names the table and no key: keys hold session ids. */
  async function request<T>(send: (connection: DynamoDbConnection) => Promise<T>): Promise<T> {
    const connection = await connect();
    try {
      return await send(connection);
    } catch (failure) {
      throw legacyTableError(failure, access);
    }
  }

  return {
    get: (key, { isConsistent = true } = {}) =>
      request(async ({ sdk, client }) => {
        const command = new sdk.GetItemCommand({ TableName, Key: keyOf(key), ConsistentRead: isConsistent });
        return (await client.send(command)).Item as Item | undefined;
      }),

    put: (item) =>
      request(({ sdk, client }) => {
        const command = new sdk.PutItemCommand({
          TableName,
          Item: item as SdkItem,
          ConditionExpression: 'attribute_not_exists(#key)',
          ExpressionAttributeNames: { '#key': hashKey },
        });
        return unlessConditionFailed(() => client.send(command).then(() => true), false);
      }),

    update: (key, change, conditions) =>
      request(({ sdk, client }) => {
        const command = new sdk.UpdateItemCommand({
          TableName,
          Key: keyOf(key),
          ...writeExpression(change, conditions),
          ReturnValues: 'ALL_OLD',
        });
        return unlessConditionFailed<UpdateOutcome>(async () => {
          const { Attributes } = await client.send(command);
          return Attributes === undefined ? { applied: true } : { applied: true, previous: Attributes as Item };
        }, NOT_APPLIED);
      }),

    delete: (key) =>
      request(async ({ sdk, client }) => {
        await client.send(new sdk.DeleteItemCommand({ TableName, Key: keyOf(key) }));
      }),

    deleteIf: (key, conditions) =>
      request(({ sdk, client }) => {
        const { UpdateExpression: _, ...condition } = writeExpression({}, conditions);
        const command = new sdk.DeleteItemCommand({ TableName, Key: keyOf(key), ...condition });
        return unlessConditionFailed(() => client.send(command).then(() => true), false);
      }),
  };
}

const NOT_APPLIED: UpdateOutcome = { applied: false };

async function unlessConditionFailed<T>(send: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await send();
  } catch (failure) {
    if (isConditionFailure(failure)) return otherwise;
    throw failure;
  }
}
