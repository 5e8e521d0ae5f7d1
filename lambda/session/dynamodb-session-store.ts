// SPDX-License-Identifier: Apache-2.0
/** The store on a DynamoDB table, through the AWS SDK. Nothing is loaded or connected before the first call. */
import type { AttributeValue as SdkAttributeValue } from '@aws-sdk/client-dynamodb';
import { type AttributeNames, ConfigurationError, DEFAULT_ATTRIBUTE_NAMES } from '../settings';
import { connectLazily, type DynamoDbConnection, type DynamoDbConnectionOptions } from './dynamodb-connection';
import { ExpressionNames, writeExpression } from './dynamodb-expression';
import { isConditionFailure, storeErrorFrom } from './dynamodb-failure';
import type { Change, Condition, Item, ItemKey, QueryPage, SessionStore, UpdateOutcome } from './store';

export interface DynamoDbSessionStoreOptions extends DynamoDbConnectionOptions {
  readonly tableName: string;
  /** Default `PK`, `SK`, `expires_at`. */
  readonly attributeNames?: AttributeNames | undefined;
}

type SdkItem = Record<string, SdkAttributeValue>;

export class DynamoDbSessionStore implements SessionStore {
  readonly attributeNames: AttributeNames;
  readonly #options: DynamoDbSessionStoreOptions;
  readonly #connect: () => Promise<DynamoDbConnection>;

  constructor(options: DynamoDbSessionStoreOptions) {
    if (typeof options?.tableName !== 'string' || options.tableName === '')
      throw new ConfigurationError('tableName must be the name of the session table');
    this.attributeNames = options.attributeNames ?? DEFAULT_ATTRIBUTE_NAMES;
    this.#options = options;
    this.#connect = connectLazily(options);
  }

  get(key: ItemKey, attributes?: readonly string[]): Promise<Item | undefined> {
    return this.#request(async ({ sdk, client }) => {
      const command = new sdk.GetItemCommand({
        TableName: this.#options.tableName,
        Key: this.#key(key),
        ConsistentRead: true,
        ...projectionOf(attributes),
      });
      return (await client.send(command)).Item as Item | undefined;
    });
  }

  put(item: Item): Promise<boolean> {
    return this.#request(async ({ sdk, client }) => {
      const command = new sdk.PutItemCommand({
        TableName: this.#options.tableName,
        Item: item as SdkItem,
        ConditionExpression: 'attribute_not_exists(#key)',
        ExpressionAttributeNames: { '#key': this.attributeNames.partitionKey },
      });
      return unlessConditionFailed(
        client.send(command).then(() => true),
        false,
      );
    });
  }

  update(
    key: ItemKey,
    change: Change,
    conditions: readonly [Condition, ...Condition[]],
    options: { readonly orNoItem?: boolean } = {},
  ): Promise<UpdateOutcome> {
    return this.#request(async ({ sdk, client }) => {
      const command = new sdk.UpdateItemCommand({
        TableName: this.#options.tableName,
        Key: this.#key(key),
        ...writeExpression(change, conditions, options.orNoItem ? this.attributeNames.partitionKey : undefined),
        ReturnValues: 'ALL_OLD',
      });
      return unlessConditionFailed<UpdateOutcome>(
        client.send(command).then(({ Attributes }): UpdateOutcome => {
          const previous = this.#withoutBareKey(Attributes);
          return previous === undefined ? { applied: true } : { applied: true, previous };
        }),
        { applied: false },
      );
    });
  }

  delete(key: ItemKey): Promise<void> {
    return this.#request(async ({ sdk, client }) => {
      await client.send(new sdk.DeleteItemCommand({ TableName: this.#options.tableName, Key: this.#key(key) }));
    });
  }

  query(partitionKey: string, sortKeyPrefix: string, cursor?: Item): Promise<QueryPage> {
    return this.#request(async ({ sdk, client }) => {
      const command = new sdk.QueryCommand({
        TableName: this.#options.tableName,
        ConsistentRead: true,
        KeyConditionExpression: '#partition = :partition AND begins_with(#sort, :prefix)',
        ExpressionAttributeNames: {
          '#partition': this.attributeNames.partitionKey,
          '#sort': this.attributeNames.sortKey,
        },
        ExpressionAttributeValues: { ':partition': { S: partitionKey }, ':prefix': { S: sortKeyPrefix } },
        ExclusiveStartKey: cursor as SdkItem | undefined,
      });
      const { Items = [], LastEvaluatedKey } = await client.send(command);
      return LastEvaluatedKey === undefined
        ? { items: Items as Item[] }
        : { items: Items as Item[], cursor: LastEvaluatedKey as Item };
    });
  }

  getMany(
    keys: readonly ItemKey[],
    attributes?: readonly string[],
  ): Promise<{ readonly items: readonly Item[]; readonly unread: readonly ItemKey[] }> {
    return this.#request(async ({ sdk, client }) => {
      const { tableName } = this.#options;
      const request = { Keys: keys.map((key) => this.#key(key)), ConsistentRead: true, ...projectionOf(attributes) };
      const answer = await client.send(new sdk.BatchGetItemCommand({ RequestItems: { [tableName]: request } }));
      const unread = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
      return {
        items: (answer.Responses?.[tableName] ?? []) as Item[],
        unread: unread.map((key) => ({
          partitionKey: key[this.attributeNames.partitionKey]?.S ?? '',
          sortKey: key[this.attributeNames.sortKey]?.S ?? '',
        })),
      };
    });
  }

  async #request<T>(send: (connection: DynamoDbConnection) => Promise<T>): Promise<T> {
    const connection = await this.#connect();
    try {
      return await send(connection);
    } catch (failure) {
      throw storeErrorFrom(failure, this.#options.tableName);
    }
  }

  /** Where an update created the item, some implementations return the key as what was there before. */
  #withoutBareKey(item: SdkItem | undefined): Item | undefined {
    const { partitionKey, sortKey } = this.attributeNames;
    const hasMore = Object.keys(item ?? {}).some((name) => name !== partitionKey && name !== sortKey);
    return hasMore ? (item as Item) : undefined;
  }

  #key({ partitionKey, sortKey }: ItemKey): SdkItem {
    return { [this.attributeNames.partitionKey]: { S: partitionKey }, [this.attributeNames.sortKey]: { S: sortKey } };
  }
}

function projectionOf(attributes: readonly string[] | undefined) {
  if (attributes === undefined) return {};
  const names = new ExpressionNames();
  return {
    ProjectionExpression: attributes.map((attribute) => names.placeholder(attribute)).join(', '),
    ExpressionAttributeNames: names.toObject(),
  };
}

async function unlessConditionFailed<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer;
  } catch (failure) {
    if (isConditionFailure(failure)) return otherwise;
    throw failure;
  }
}
