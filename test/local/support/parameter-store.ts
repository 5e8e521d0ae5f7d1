// SPDX-License-Identifier: Apache-2.0
/** Answers as Parameter Store does, on loopback. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function startParameterStore(
  parameters: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const Value = parameters[JSON.parse(body).Name];
      response.statusCode = Value === undefined ? 400 : 200;
      response.setHeader('Content-Type', 'application/x-amz-json-1.1');
      response.end(JSON.stringify(Value === undefined ? { __type: 'ParameterNotFound' } : { Parameter: { Value } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
