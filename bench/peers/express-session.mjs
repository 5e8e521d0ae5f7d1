// SPDX-License-Identifier: Apache-2.0
/** express-session on connect-dynamodb, called as middleware without Express around it. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import connectDynamoDb from 'connect-dynamodb';
import session from 'express-session';
import { policy } from './common.mjs';

const Store = connectDynamoDb({ session });
const middleware = session({
  store: new Store({
    table: process.env.SESSIONGATE_TABLE_NAME,
    // Spares it the DescribeTable of its first call.
    initialized: true,
    client: new DynamoDBClient({ endpoint: process.env.BENCH_ENDPOINT }),
  }),
  secret: process.env.BENCH_SECRET,
  resave: false,
  saveUninitialized: false,
});

export function handler(event) {
  const request = {
    headers: { cookie: event.headers.Cookie },
    url: event.path,
    originalUrl: event.path,
    method: 'GET',
    connection: { encrypted: true },
    socket: { encrypted: true },
  };
  const response = {
    headersSent: false,
    getHeader() {},
    setHeader() {},
    writeHead() {},
    end() {},
    on() {},
  };
  return new Promise((resolve, reject) =>
    middleware(request, response, (error) => {
      if (error) reject(error);
      else if (request.session.user === undefined) reject(new Error('Unauthorized'));
      else resolve(policy(event, request.session.user));
    }),
  );
}
