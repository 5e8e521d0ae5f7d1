// SPDX-License-Identifier: Apache-2.0
/** Stands in for DynamoDB over HTTPS on 127.0.0.1: answers each GetItem with a live session, at once or after a delay. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const { key, cert, delayMillis, dataBytes = 0 } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const now = Math.floor(Date.now() / 1000);

function sessionItem(Key) {
  return {
    ...Key,
    type: { S: 'session' },
    user: { S: 'alice' },
    created_at: { N: String(now - 100) },
    issued_at: { N: String(now - 100) },
    authenticated_at: { N: String(now - 100) },
    expires_at: { N: String(now + 86_400) },
    generation: { N: '0' },
    version: { N: '1' },
    claims: { M: { role: { S: 'member' } } },
    ...(dataBytes > 0 ? { data: { S: 'x'.repeat(dataBytes) } } : {}),
  };
}

/** As connect-dynamodb stores it. */
function expressItem(Key) {
  const sess = { cookie: { originalMaxAge: 86_400_000, expires: new Date((now + 86_400) * 1000) }, user: 'alice' };
  return { ...Key, sess: { S: JSON.stringify(sess) }, expires: { N: String(now + 86_400) } };
}

const server = createServer({ key, cert }, (request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { Key } = JSON.parse(Buffer.concat(chunks).toString());
    const body = JSON.stringify({ Item: Key.PK === undefined ? expressItem(Key) : sessionItem(Key) });
    const answer = () => {
      response.writeHead(200, {
        'content-type': 'application/x-amz-json-1.0',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    };
    if (delayMillis > 0) setTimeout(answer, delayMillis);
    else answer();
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
