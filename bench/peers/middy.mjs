// SPDX-License-Identifier: Apache-2.0
/** middy around the DocumentClient, with the session as a middleware. */
import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import { COOKIE_NAME, cookieOf, policy } from './common.mjs';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: process.env.BENCH_ENDPOINT }));

function session() {
  return {
    async before(request) {
      const hash = createHash('sha256').update(cookieOf(request.event, COOKIE_NAME)).digest('hex');
      const { Item } = await client.send(
        new GetCommand({
          TableName: process.env.SESSIONGATE_TABLE_NAME,
          Key: { PK: `S#${hash}`, SK: 'S#' },
          ConsistentRead: true,
        }),
      );
      if (Item === undefined || Item.expires_at <= Date.now() / 1000) throw new Error('Unauthorized');
      request.context.session = Item;
    },
  };
}

const middied = middy()
  .use(session())
  .handler(async (event, context) => policy(event, context.session.user));

export function handler(event) {
  return middied(event, {});
}
