// SPDX-License-Identifier: Apache-2.0
/** Puts a gateway behind a port of 127.0.0.1. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { GatewayAnswer, GatewayHandler, GatewayRequest } from './exchange';

export interface ServeOptions {
  /** Default: one that is free. */
  readonly port?: number;
  /** With a certificate and its key it speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Takes a request that could not be answered; default nothing. */
  readonly log?: (line: string) => void;
}

export interface RunningServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly server: Server;
  close(): Promise<void>;
}

/** Room for the gateway to refuse too large headers itself. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Nothing larger is read; the gateway refuses less. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** @throws node's own error if the port cannot be used */
export async function serve(handle: GatewayHandler, options: ServeOptions = {}): Promise<RunningServer> {
  const { port = 0, tls, log = () => {} } = options;
  const scheme = tls === undefined ? 'http' : 'https';
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(handle, scheme, request, response).catch((error: Error) => {
      log(`the local gateway failed: ${error.stack ?? error.message}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };
  const serverOptions = { maxHeaderSize: MAX_HEADER_BYTES };
  const server =
    tls === undefined ? createServer(serverOptions, listener) : createTlsServer({ ...serverOptions, ...tls }, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `${scheme}://localhost:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.keepAliveTimeout = 1;
      }),
  };
}

async function answer(
  handle: GatewayHandler,
  scheme: 'http' | 'https',
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(incoming);
  if (body === undefined) return;
  const given = await handle(toGatewayRequest(incoming, scheme, body));
  send(given, incoming.method, response);
}

export function toGatewayRequest(incoming: IncomingMessage, scheme: 'http' | 'https', body: Buffer): GatewayRequest {
  const [path = '/', query = ''] = splitOnce(incoming.url ?? '/', '?');
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2)
    headers.push([incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '']);
  return {
    method: incoming.method ?? 'GET',
    path,
    query,
    headers,
    body,
    sourceIp: incoming.socket.remoteAddress ?? '127.0.0.1',
    scheme,
    httpVersion: incoming.httpVersion,
  };
}

function send(given: GatewayAnswer, method: string | undefined, response: ServerResponse): void {
  response.statusCode = given.statusCode;
  for (const [name, value] of given.headers) response.appendHeader(name, value);
  const mayHaveBody = given.statusCode >= 200 && given.statusCode !== 204 && given.statusCode !== 304;
  if (mayHaveBody) response.setHeader('Content-Length', Buffer.byteLength(given.body));
  response.end(mayHaveBody && method !== 'HEAD' ? given.body : undefined);
}

/** Undefined where the connection broke or was too long for any gateway; nobody is left to answer. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function splitOnce(text: string, separator: string): readonly string[] {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + separator.length)];
}
