// SPDX-License-Identifier: Apache-2.0
/** One HTTP request and its whole answer, bounded in time and size, over a connection that is kept for the next. */
import * as http from 'node:http';
import * as https from 'node:https';

export interface ExchangeLimits {
  /** For name, TCP and TLS together. */
  readonly connectMillis: number;
  /** For everything, connecting included. */
  readonly attemptMillis: number;
  /** Longest body of an answer. */
  readonly bodyBytes: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

export interface Connection {
  /** @throws Error with a `name` or `code` that tells what happened: nothing of the request stands in it */
  exchange(headers: Readonly<Record<string, string>>, body: string): Promise<HttpAnswer>;
  /** Closes what is kept, so that the next request connects anew. */
  dropIdle(): void;
}

export interface ConnectionOptions extends ExchangeLimits {
  /** Certificate authority to trust instead of the system's. */
  readonly ca?: string | undefined;
}

export function createConnection(endpoint: URL, options: ConnectionOptions): Connection {
  const isSecure = endpoint.protocol === 'https:';
  // A function serves one event at a time, so one kept socket is enough; more are opened where it is called at once.
  const agentOptions = { keepAlive: true, maxFreeSockets: 1 };
  const agent = isSecure ? new https.Agent({ ...agentOptions, ca: options.ca }) : new http.Agent(agentOptions);
  const request = isSecure ? https.request : http.request;
  // Without the brackets of an IPv6 address, which belong to the URL.
  const host = endpoint.hostname.replace(/[[\]]/g, '');
  const target = { method: 'POST', path: '/', host, port: endpoint.port || undefined, agent };

  return {
    exchange: (headers, body) =>
      new Promise((resolve, reject) => {
        const outgoing = request({ ...target, headers });
        const attemptTimer = setTimeout(failLate, options.attemptMillis);
        let connectTimer: NodeJS.Timeout | undefined;

        function settle(): void {
          clearTimeout(attemptTimer);
          clearTimeout(connectTimer);
        }
        function fail(error: Error): void {
          settle();
          // The socket may still bring half an answer: it must not be kept.
          outgoing.destroy();
          reject(error);
        }
        function failLate(): void {
          fail(namedError('TimeoutError'));
        }

        outgoing.on('socket', (socket) => {
          if (!socket.connecting) return;
          connectTimer = setTimeout(failLate, options.connectMillis);
          socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(connectTimer));
        });
        outgoing.on('error', fail);
        outgoing.on('response', (incoming) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          incoming.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > options.bodyBytes) fail(namedError('AnswerTooLong'));
            else chunks.push(chunk);
          });
          incoming.on('error', fail);
          incoming.on('end', () => {
            settle();
            resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks, bytes).toString() });
          });
        });
        outgoing.end(body);
      }),
    dropIdle() {
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    },
  };
}

/** The name says it all; where it was made says nothing of use. */
export function namedError(name: string, details?: object): Error {
  return Object.assign(new Error(name), { name }, details);
}
