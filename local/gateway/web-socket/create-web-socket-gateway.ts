// SPDX-License-Identifier: Apache-2.0
/** A WebSocket API of a template: decides about each handshake, then hands messages to the routes' functions. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { InvokeFunction } from '../../functions/invocation';
import type { StackEnvironment } from '../../template/template';
import { readProxyAnswer } from '../proxy-answer';
import { toGatewayRequest } from '../serve';
import type { WebSocketApi } from './web-socket-api';
import { authorizeHandshake } from './web-socket-authorize';
import { type Connection, connectEvent, disconnectEvent, messageEvent, newId } from './web-socket-events';

export interface WebSocketGatewayDependencies {
  readonly invoke: InvokeFunction;
  readonly environment: StackEnvironment;
  /** Takes the reason of a refusal that says only 500; default nothing. */
  readonly log?: (line: string) => void;
  /** Default the clock. */
  readonly nowMillis?: () => number;
}

export interface WebSocketGateway {
  /** For the `upgrade` event of an HTTP server. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every connection. */
  close(): void;
}

/** Quota of WebSocket APIs: payload of one message. */
const MAX_MESSAGE_BYTES = 128 * 1024;
/** RFC 6455, section 7.4.1: the server is going away, and: the connection ended without a code. */
const GOING_AWAY = 1001;
const NO_CLOSE_CODE = 1005;

export function createWebSocketGateway(
  api: WebSocketApi,
  { invoke, environment, log = () => {}, nowMillis = Date.now }: WebSocketGatewayDependencies,
): WebSocketGateway {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });

  async function open(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const connection: Connection = {
      id: newId(),
      handshake: toGatewayRequest(incoming, 'http', Buffer.alloc(0)),
      api,
      environment,
      connectedAtMillis: nowMillis(),
    };
    let authorizer: Record<string, unknown> | undefined;
    if (api.authorizer !== undefined) {
      const decision = await authorizeHandshake(connection, api.authorizer, invoke);
      if (!decision.allowed) {
        if (decision.reason !== undefined) log(`$connect: ${decision.reason}`);
        return refuse(socket, decision.statusCode);
      }
      authorizer = decision.authorizer;
    }
    const refusal = await connect(connection, authorizer);
    if (refusal !== undefined) return refuse(socket, refusal);
    server.handleUpgrade(incoming, socket, head, (client) => converse(client, connection, authorizer));
  }

  /** The function of `$connect`, if there is one, may still refuse; the status to refuse with. */
  async function connect(
    connection: Connection,
    authorizer: Record<string, unknown> | undefined,
  ): Promise<number | undefined> {
    const functionArn = api.routes.get('$connect');
    if (functionArn === undefined) return undefined;
    const outcome = await invoke(functionArn, connectEvent(connection, authorizer));
    const answer = 'failure' in outcome ? undefined : readProxyAnswer(outcome.result);
    if (answer === undefined) return 500;
    return answer.statusCode >= 200 && answer.statusCode < 300 ? undefined : answer.statusCode;
  }

  function converse(client: WebSocket, connection: Connection, authorizer: Record<string, unknown> | undefined): void {
    client.on('error', (error) => log(`a connection failed: ${error.message}`));
    client.on('message', (data) => {
      const body = data.toString();
      const routeKey = routeOf(api, body);
      const functionArn = api.routes.get(routeKey);
      if (functionArn === undefined) {
        client.send(JSON.stringify({ message: 'Forbidden', connectionId: connection.id, requestId: newId() }));
        return;
      }
      void invoke(functionArn, messageEvent(connection, routeKey, body, nowMillis(), authorizer));
    });
    client.on('close', (code) => {
      const functionArn = api.routes.get('$disconnect');
      if (functionArn === undefined) return;
      void invoke(functionArn, disconnectEvent(connection, code || NO_CLOSE_CODE, nowMillis(), authorizer));
    });
  }

  return {
    handleUpgrade(incoming, socket, head) {
      socket.on('error', () => socket.destroy());
      open(incoming, socket, head).catch((error: Error) => {
        log(`the local gateway failed: ${error.message}`);
        refuse(socket, 500);
      });
    },
    close() {
      for (const client of server.clients) client.close(GOING_AWAY);
      server.close();
    },
  };
}

/** The route that the message names, if the API has it, else `$default`. */
function routeOf(api: WebSocketApi, body: string): string {
  try {
    const named = JSON.parse(body)?.[api.routeProperty];
    // The routes of the connection itself are no messages.
    if (typeof named === 'string' && !named.startsWith('$') && api.routes.has(named)) return named;
  } catch {
    // Not JSON, so it names no route.
  }
  return '$default';
}

function refuse(socket: Duplex, statusCode: number): void {
  socket.end(
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  );
}
