// SPDX-License-Identifier: Apache-2.0
/** Puts a request into dynalite's request handler without a socket between, and returns its answer. */
import type { IncomingHttpHeaders, Server } from 'node:http';
import { Readable } from 'node:stream';

export interface EmulatorRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface EmulatorAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers that dynalite wants on a signed request; it checks their shape, not the signature. */
const OWN_HEADERS: IncomingHttpHeaders = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20200101T000000Z',
  authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=local',
};

export function replay(database: Server, request: EmulatorRequest): Promise<EmulatorAnswer> {
  return new Promise((resolve) => {
    const headers: Record<string, string> = {};
    const incoming = Object.assign(Readable.from(request.body.length > 0 ? [request.body] : []), {
      method: request.method,
      url: request.url,
      headers: request.headers,
    });
    const outgoing = {
      statusCode: 200,
      setHeader: (name: string, value: unknown) => {
        headers[name.toLowerCase()] = String(value);
      },
      end(body = '') {
        resolve({ statusCode: this.statusCode, headers, body });
      },
    };
    database.emit('request', incoming, outgoing);
  });
}

/** The emulator's own call of an operation. */
export async function callOperation(
  database: Server,
  operation: string,
  input: object,
): Promise<{ readonly statusCode: number; readonly output: Record<string, unknown> }> {
  const answer = await replay(database, {
    method: 'POST',
    url: '/',
    headers: { ...OWN_HEADERS, 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: Buffer.from(JSON.stringify(input)),
  });
  return { statusCode: answer.statusCode, output: JSON.parse(answer.body) };
}
