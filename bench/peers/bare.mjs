// SPDX-License-Identifier: Apache-2.0
/** The floor of `node:https`: the same request over a kept connection, with a fixed signature and no checks. */
import { COOKIE_NAME, cookieOf, policy } from './common.mjs';

const { createHash } = process.getBuiltinModule('node:crypto');
const { Agent, request } = process.getBuiltinModule('node:https');

const endpoint = new URL(process.env.BENCH_ENDPOINT);
const agent = new Agent({ keepAlive: true, maxFreeSockets: 1 });
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.GetItem',
  'x-amz-date': '20260101T000000Z',
  authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=${'0'.repeat(64)}`,
  'x-amz-security-token': process.env.AWS_SESSION_TOKEN,
};
const template = process.env.BENCH_REQUEST;

function post(body) {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      method: 'POST',
      host: endpoint.hostname,
      port: endpoint.port,
      path: '/',
      agent,
      headers,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    });
    outgoing.end(body);
  });
}

export async function handler(event) {
  const hash = createHash('sha256').update(cookieOf(event, COOKIE_NAME)).digest('hex');
  const { Item } = await post(template.replace('{{HASH}}', hash));
  if (Number(Item.expires_at.N) <= Date.now() / 1000) throw new Error('Unauthorized');
  return policy(event, Item.user.S);
}
