// SPDX-License-Identifier: Apache-2.0
/** Deletes expired items as DynamoDB's time to live does: in the background, late, and free of charge. */
import type { Server } from 'node:http';
import { callOperation } from './replay';

/** DynamoDB leaves items alone that expired more than five years ago. */
const FIVE_YEARS_SECONDS = 5 * 365 * 86_400;
const PAGE_SIZE = 100;

type Item = Record<string, Record<string, unknown>>;

/** Deletes the expired items of one table and returns how many went. */
export async function deleteExpiredItems(
  database: Server,
  table: string,
  attribute: string,
  nowSeconds: number,
): Promise<number> {
  const keyAttributes = await readKeyAttributes(database, table);
  let deleted = 0;
  let cursor: unknown;
  do {
    const page = await callOperation(database, 'Scan', {
      TableName: table,
      Limit: PAGE_SIZE,
      ...(cursor === undefined ? {} : { ExclusiveStartKey: cursor }),
    });
    if (page.statusCode !== 200) return deleted;
    for (const item of page.output.Items as Item[]) {
      if (!isExpired(item, attribute, nowSeconds)) continue;
      const answer = await callOperation(database, 'DeleteItem', {
        TableName: table,
        Key: Object.fromEntries(keyAttributes.map((name) => [name, item[name]])),
        // It may have been renewed since the scan.
        ConditionExpression: '#expiry = :seen',
        ExpressionAttributeNames: { '#expiry': attribute },
        ExpressionAttributeValues: { ':seen': item[attribute] },
      });
      if (answer.statusCode === 200) deleted += 1;
    }
    cursor = page.output.LastEvaluatedKey;
  } while (cursor !== undefined);
  return deleted;
}

/** Only a number counts, in Unix seconds; any other type never expires (Developer Guide, "Using time to live"). */
function isExpired(item: Item, attribute: string, nowSeconds: number): boolean {
  const expiry = Number(item[attribute]?.N ?? Number.NaN);
  return expiry <= nowSeconds && expiry > nowSeconds - FIVE_YEARS_SECONDS;
}

/** Names of the key attributes, partition key first; empty where there is no such table. */
export async function readKeyAttributes(database: Server, table: string): Promise<readonly string[]> {
  const { statusCode, output } = await callOperation(database, 'DescribeTable', { TableName: table });
  if (statusCode !== 200) return [];
  const { KeySchema } = output.Table as { KeySchema: { AttributeName: string; KeyType: string }[] };
  return [...KeySchema].sort((a, b) => a.KeyType.localeCompare(b.KeyType)).map((key) => key.AttributeName);
}
