// SPDX-License-Identifier: Apache-2.0
/** The AWS SDK's plain client, in its default configuration. */
import { createHash } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { COOKIE_NAME, cookieOf, policy } from './common.mjs';

const client = new DynamoDBClient({ endpoint: process.env.BENCH_ENDPOINT });

export async function handler(event) {
  const hash = createHash('sha256').update(cookieOf(event, COOKIE_NAME)).digest('hex');
  const { Item } = await client.send(
    new GetItemCommand({
      TableName: process.env.SESSIONGATE_TABLE_NAME,
      Key: { PK: { S: `S#${hash}` }, SK: { S: 'S#' } },
      ConsistentRead: true,
    }),
  );
  if (Item === undefined || Number(Item.expires_at.N) <= Date.now() / 1000) throw new Error('Unauthorized');
  return policy(event, Item.user.S);
}
