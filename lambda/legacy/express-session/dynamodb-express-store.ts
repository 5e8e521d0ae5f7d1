// SPDX-License-Identifier: Apache-2.0
/** Reads what the DynamoDB stores for `express-session` keep; each call is one request. */
import { type OptionNames, refuseUnknownOptions } from '../../known-options';
import { EXPRESS_STORE_LAYOUTS } from '../../legacy-settings';
import {
  CONNECTION_OPTIONS,
  connectLazily,
  type DynamoDbConnection,
  type DynamoDbConnectionOptions,
} from '../../session/dynamodb-connection';
import { ConfigurationError } from '../../settings';
import { legacyTableError } from '../legacy-table-error';
import type { ExpressSessionStore, StoredExpressSession } from './express-session-store';
import { plainValue } from './plain-value';

export type ExpressStorePackage = keyof typeof EXPRESS_STORE_LAYOUTS;

export interface DynamoDbExpressStoreOptions extends DynamoDbConnectionOptions {
  readonly tableName: string;
  /** The package that wrote the table. */
  readonly package: ExpressStorePackage;
  /** The package's option of this name. Default: the package's. */
  readonly hashKey?: string | undefined;
  /** The package's option of this name. Default: the package's. */
  readonly prefix?: string | undefined;
}

const OPTIONS: OptionNames<DynamoDbExpressStoreOptions> = {
  ...CONNECTION_OPTIONS,
  tableName: true,
  package: true,
  hashKey: true,
  prefix: true,
};

/** @throws ConfigurationError naming the option */
export function createDynamoDbExpressStore(options: DynamoDbExpressStoreOptions): ExpressSessionStore {
  refuseUnknownOptions(options, OPTIONS, { table: "the table's name is tableName" });
  const { tableName } = options;
  if (typeof tableName !== 'string' || tableName === '')
    throw new ConfigurationError('tableName must be the name of the table that holds the older sessions');
  if (!Object.hasOwn(EXPRESS_STORE_LAYOUTS, options.package))
    throw new ConfigurationError(`package must be one of ${Object.keys(EXPRESS_STORE_LAYOUTS).join(', ')}`);
  const { hashKey, prefix } = {
    hashKey: options.hashKey ?? EXPRESS_STORE_LAYOUTS[options.package].hashKey,
    prefix: options.prefix ?? EXPRESS_STORE_LAYOUTS[options.package].prefix,
  };
  const connect = connectLazily(options);
  const access = { tableName, hashKey, keyOptions: 'package, hashKey', actions: ['GetItem', 'DeleteItem'] };

  async function request<T>(send: (connection: DynamoDbConnection) => Promise<T>): Promise<T> {
    const connection = await connect();
    try {
      return await send(connection);
    } catch (failure) {
      throw legacyTableError(failure, access);
    }
  }

  const keyOf = (id: string) => ({ TableName: tableName, Key: { [hashKey]: { S: prefix + id } } });
  return {
    read: (id) =>
      request(async ({ sdk, client }) => {
        const command = new sdk.GetItemCommand({ ...keyOf(id), ConsistentRead: true });
        const { Item } = await client.send(command);
        // Another item than the one asked for: a cache or proxy mixed up two users.
        return Item === undefined || Item[hashKey]?.S !== prefix + id ? undefined : storedIn(Item);
      }),
    end: (id) =>
      request(async ({ sdk, client }) => {
        await client.send(new sdk.DeleteItemCommand(keyOf(id)));
      }),
  };
}

/** A touch after logout leaves an item with an end and no session. One without an end does not get that of its cookie, which is older. */
function storedIn(item: Readonly<Record<string, unknown>>): StoredExpressSession | undefined {
  const session = plainValue(item.sess);
  const expiresAt = plainValue(item.expires);
  return session === undefined
    ? undefined
    : { session, expiresAt: typeof expiresAt === 'number' ? expiresAt : Number.NaN };
}
