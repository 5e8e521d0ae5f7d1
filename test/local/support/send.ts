// SPDX-License-Identifier: Apache-2.0
/** Sends a request as it stands: casing, order and repetition of headers are kept, which `fetch` would not do. */
import { request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export function send(
  baseUrl: string,
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[] = [],
  body?: string,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const length: [string, string][] = body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))]];
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: hostname,
      port,
      method,
      path,
      agent: false,
      headers: [['Host', `${hostname}:${port}`], ...length, ...headers].flat() as never,
    });
    outgoing.once('error', reject);
    outgoing.once('response', async (incoming) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      resolve({
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      });
    });
    outgoing.end(body);
  });
}
