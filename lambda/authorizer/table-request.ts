// SPDX-License-Identifier: Apache-2.0
/** The requests that readers send to DynamoDB, in its own JSON; one place, so that every reader asks for the same. */

import { JUDGED_ATTRIBUTES } from '../session/judged-attributes';
import type { SessionRenewal } from '../session/renewal';
import { SESSION_SORT_KEY } from '../session/session-keys';
import type { ItemKey } from '../session/store';
import type { AttributeNames } from '../settings';
import { IN_FLIGHT_MARGIN_SECONDS } from '../settings';

/** Where the sessions are. */
export interface TableAddress {
  readonly tableName: string;
  readonly attributeNames: AttributeNames;
  /** Attribute of the application's user record to fetch; absent: user records are not read. */
  readonly userRecordAttribute?: string | undefined;
}

/** Every name goes through a placeholder: `user` and `type` are reserved words. */
interface KeyedRequest {
  TableName: string;
  Key: Record<string, { S: string }>;
  ExpressionAttributeNames: Record<string, string>;
}

export interface GetItemRequest extends KeyedRequest {
  ConsistentRead: true;
  ProjectionExpression: string;
}

export interface UpdateItemRequest extends KeyedRequest {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeValues: Record<string, { S: string } | { N: string }>;
}

/** Reads the session item without `data`; eventually consistent reads miss sessions that were just created. */
export function readSessionRequest(table: TableAddress, partitionKey: string): GetItemRequest {
  const key = { partitionKey, sortKey: SESSION_SORT_KEY };
  return getItem(table, key, [...Object.values(table.attributeNames), ...JUDGED_ATTRIBUTES]);
}

/**
 * Reads the line of a user record, for a table address that names its attribute. The key comes with it, so that a record
 * without a line is not taken for none.
 */
export function readUserRecordRequest(table: TableAddress, key: ItemKey): GetItemRequest {
  const { attributeNames, userRecordAttribute } = table;
  return getItem(table, key, [attributeNames.partitionKey, userRecordAttribute as string]);
}

/** Reads a whole item: claims and user items are small, and what else they hold is looked at too. */
export function readItemRequest(
  table: TableAddress,
  key: ItemKey,
): Pick<GetItemRequest, 'TableName' | 'Key' | 'ConsistentRead'> {
  const { TableName, Key } = keyed(table, key, {});
  return { TableName, Key, ConsistentRead: true };
}

/** Moves the end of a session under the conditions that `SessionReader.renewSession` names. */
export function renewSessionRequest(
  table: TableAddress,
  partitionKey: string,
  { expiresAt, renewedAt, previousRenewedAt }: SessionRenewal,
): UpdateItemRequest {
  const names = {
    '#type': 'type',
    '#revoked': 'revoked',
    '#end': table.attributeNames.expiresAt,
    '#slid': 'renewed_at',
  };
  const isAsRead = previousRenewedAt === undefined ? 'attribute_not_exists(#slid)' : '#slid = :read';
  return {
    ...keyed(table, { partitionKey, sortKey: SESSION_SORT_KEY }, names),
    UpdateExpression: 'SET #end = :end, #slid = :now',
    ConditionExpression: `#type = :type AND attribute_not_exists(#revoked) AND #end > :soon AND #end < :end AND ${isAsRead}`,
    ExpressionAttributeValues: {
      ':type': { S: 'session' },
      ':soon': { N: String(renewedAt + IN_FLIGHT_MARGIN_SECONDS) },
      ':end': { N: String(expiresAt) },
      ':now': { N: String(renewedAt) },
      ...(previousRenewedAt === undefined ? {} : { ':read': { N: String(previousRenewedAt) } }),
    },
  };
}

function getItem(table: TableAddress, key: ItemKey, attributes: readonly string[]): GetItemRequest {
  const names = Object.fromEntries(attributes.map((attribute, index) => [`#n${index}`, attribute]));
  return { ...keyed(table, key, names), ConsistentRead: true, ProjectionExpression: Object.keys(names).join() };
}

function keyed(
  { tableName, attributeNames }: TableAddress,
  { partitionKey, sortKey }: ItemKey,
  names: Record<string, string>,
): KeyedRequest {
  return {
    TableName: tableName,
    Key: { [attributeNames.partitionKey]: { S: partitionKey }, [attributeNames.sortKey]: { S: sortKey } },
    ExpressionAttributeNames: names,
  };
}
