// SPDX-License-Identifier: Apache-2.0
/** What most people write: the DocumentClient of the AWS SDK. */
import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { COOKIE_NAME, cookieOf, policy } from './common.mjs';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: process.env.BENCH_ENDPOINT }));

export async function handler(event) {
  const hash = createHash('sha256').update(cookieOf(event, COOKIE_NAME)).digest('hex');
  const { Item } = await client.send(
    new GetCommand({
      TableName: process.env.SESSIONGATE_TABLE_NAME,
      Key: { PK: `S#${hash}`, SK: 'S#' },
      ConsistentRead: true,
    }),
  );
  if (Item === undefined || Item.expires_at <= Date.now() / 1000) throw new Error('Unauthorized');
  return policy(event, Item.user);
}
