// SPDX-License-Identifier: Apache-2.0
/** A server in DynamoDB's place on 127.0.0.1 that does to each request what the test says. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** What to do with one request; `connection` counts from 1. */
export type Behaviour = (exchange: {
  readonly request: IncomingMessage;
  readonly body: string;
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly connection: number;
}) => void;

export interface FaultServer {
  readonly endpoint: string;
  readonly host: string;
  /** Requests seen so far. */
  readonly requests: readonly { readonly headers: IncomingMessage['headers']; readonly body: string }[];
  connections(): number;
  close(): Promise<void>;
}

/** Each request takes the next behaviour; the last one stays. */
export async function startFaultServer(
  behaviours: readonly Behaviour[],
  certificate?: { readonly key: string; readonly cert: string },
): Promise<FaultServer> {
  const sockets = new Map<Socket, number>();
  const requests: { headers: IncomingMessage['headers']; body: string }[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const behaviour = behaviours[Math.min(requests.length, behaviours.length - 1)];
      requests.push({ headers: request.headers, body });
      behaviour?.({ request, body, response, socket: request.socket, connection: sockets.get(request.socket) ?? 0 });
    });
  };
  const server: Server = certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener);
  server.keepAliveTimeout = 0;
  server.on(certificate === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.set(socket, sockets.size + 1);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint: `${certificate === undefined ? 'http' : 'https'}://${host}`,
    host,
    requests,
    connections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets.keys()) socket.destroy();
      }),
  };
}

export function answer(status: number, content: unknown): Behaviour {
  return ({ response }) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
  };
}

export function refuse(status: number, type: string): Behaviour {
  return answer(status, { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'S#0123 is not for your eyes' });
}

export const hang: Behaviour = () => {};
export const reset: Behaviour = ({ socket }) => socket.resetAndDestroy();
