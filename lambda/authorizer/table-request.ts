// SPDX-License-Identifier: Apache-2.0
/** The requests that readers send to DynamoDB, in its own JSON; one place, so that every reader asks for the same. */
import { SESSION_SORT_KEY } from '../session/session-keys';
import type { ItemKey } from '../session/store';
import type { AttributeNames } from '../settings';
import { RENEWAL_MARGIN_SECONDS, SESSION_ATTRIBUTES, type SessionRenewal } from './reader';

/** Where the sessions are. */
export interface TableAddress {
  readonly tableName: string;
  readonly attributeNames: AttributeNames;
  /** Attribute of the application's user record to fetch; absent: user records are not read. */
  readonly userRecordAttribute?: string | undefined;
}

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
  const { attributeNames } = table;
  return getItem(table, { partitionKey, sortKey: SESSION_SORT_KEY }, [
    attributeNames.partitionKey,
    attributeNames.sortKey,
    attributeNames.expiresAt,
    ...SESSION_ATTRIBUTES,
  ]);
}

/** Reads the line of a user record; the key comes with it, so that a record without a line is not taken for none. */
export function readUserRecordRequest(table: TableAddress, key: ItemKey): GetItemRequest {
  const { attributeNames, userRecordAttribute } = table;
  return getItem(table, key, [
    attributeNames.partitionKey,
    ...(userRecordAttribute === undefined ? [] : [userRecordAttribute]),
  ]);
}

/** Moves the end of a session under the conditions that `SessionReader.renewSession` names. */
export function renewSessionRequest(
  table: TableAddress,
  partitionKey: string,
  renewal: SessionRenewal,
): UpdateItemRequest {
  const { expiresAt, renewedAt, previousRenewedAt } = renewal;
  const isAlive = '#type = :session AND attribute_not_exists(#revoked) AND #expires_at > :soon';
  const isProlonged = '#expires_at < :end';
  const isAsRead = previousRenewedAt === undefined ? 'attribute_not_exists(#renewed_at)' : '#renewed_at = :previous';
  return {
    TableName: table.tableName,
    Key: keyOf(table, { partitionKey, sortKey: SESSION_SORT_KEY }),
    UpdateExpression: 'SET #expires_at = :end, #renewed_at = :now',
    ConditionExpression: `${isAlive} AND ${isProlonged} AND ${isAsRead}`,
    ExpressionAttributeNames: {
      '#type': 'type',
      '#revoked': 'revoked',
      '#expires_at': table.attributeNames.expiresAt,
      '#renewed_at': 'renewed_at',
    },
    ExpressionAttributeValues: {
      ':session': { S: 'session' },
      ':soon': { N: String(renewedAt + RENEWAL_MARGIN_SECONDS) },
      ':end': { N: String(expiresAt) },
      ':now': { N: String(renewedAt) },
      ...(previousRenewedAt === undefined ? {} : { ':previous': { N: String(previousRenewedAt) } }),
    },
  };
}

/** Every name goes through a placeholder: `user` and `type` are reserved words. */
function getItem(table: TableAddress, key: ItemKey, attributes: readonly string[]): GetItemRequest {
  const names = Object.fromEntries(attributes.map((attribute, index) => [`#n${index}`, attribute]));
  return {
    TableName: table.tableName,
    Key: keyOf(table, key),
    ConsistentRead: true,
    ProjectionExpression: Object.keys(names).join(','),
    ExpressionAttributeNames: names,
  };
}

function keyOf({ attributeNames }: TableAddress, key: ItemKey): Record<string, { S: string }> {
  return {
    [attributeNames.partitionKey]: { S: key.partitionKey },
    [attributeNames.sortKey]: { S: key.sortKey },
  };
}
