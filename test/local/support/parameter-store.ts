// SPDX-License-Identifier: Apache-2.0
/** Answers as Parameter Store and Secrets Manager do, on loopback. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ParameterStore {
  readonly url: string;
  /** How often it was asked. */
  reads(): number;
  close(): void;
}

/** @param values of parameters and secrets, by name */
export async function startParameterStore(values: Readonly<Record<string, string>>): Promise<ParameterStore> {
  let reads = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      reads += 1;
      const { Name, SecretId } = JSON.parse(body);
      // Functions ask for a secret by its ARN.
      const value = values[Name ?? SecretId.split(':').at(-1)];
      const found = SecretId === undefined ? { Parameter: { Value: value } } : { SecretString: value };
      response.statusCode = value === undefined ? 400 : 200;
      response.setHeader('Content-Type', 'application/x-amz-json-1.1');
      response.end(JSON.stringify(value === undefined ? { __type: 'ParameterNotFound' } : found));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reads: () => reads,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
