// SPDX-License-Identifier: Apache-2.0
/** An emulated DynamoDB on 127.0.0.1: dynalite, with what it lacks and with counts of what it is asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { closeDatabase, openDatabase } from './database';
import { deleteExpiredItems } from './expired-items';
import { type EmulatorCounts, OperationCounts } from './operation-counts';
import type { EmulatorAnswer } from './replay';
import { createRequestHandler, type EmulatorHandler } from './request-handler';
import { TableExtrasStore } from './table-extras';

export interface EmulatorOptions {
  /** Where tables are kept; absent: in memory, gone with the emulator. */
  readonly folder?: string | undefined;
  /** Default: one that is free. */
  readonly port?: number | undefined;
  /** How often expired items are deleted in the background; absent: never. */
  readonly sweepIntervalMillis?: number | undefined;
  /** Unix seconds; default the clock. */
  readonly now?: (() => number) | undefined;
}

export interface Emulator {
  readonly endpoint: string;
  /** What was asked since the start or the last reset; the emulator's own sweeps are not in it. */
  counts(): EmulatorCounts;
  resetCounts(): void;
  /** Deletes the expired items of every table with time to live, and returns how many. */
  deleteExpiredItems(): Promise<number>;
  /** Answers what was begun, then closes the database; a second call waits for the first. */
  close(): Promise<void>;
}

/** @throws StartError if the folder cannot be used, and node's own error if the port cannot */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { folder, port = 0, sweepIntervalMillis, now = () => Math.floor(Date.now() / 1000) } = options;
  const database = await openDatabase(folder);
  const extras = new TableExtrasStore(folder === undefined ? undefined : join(folder, 'table-extras.json'));
  const counts = new OperationCounts();
  const handle = createRequestHandler(database, extras, counts);
  const server = createServer((request, response) => void serve(handle, request, response));

  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  } catch (error) {
    await closeDatabase(database);
    throw error;
  }

  async function sweep(): Promise<number> {
    let deleted = 0;
    for (const [table, { timeToLiveAttribute }] of extras.tables())
      if (timeToLiveAttribute !== undefined)
        deleted += await deleteExpiredItems(database, table, timeToLiveAttribute, now());
    return deleted;
  }

  let running = Promise.resolve(0);
  const timer =
    sweepIntervalMillis === undefined
      ? undefined
      : setInterval(() => {
          running = running.then(sweep);
        }, sweepIntervalMillis).unref();

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    clearInterval(timer);
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      // Kept-alive connections that are busy now would otherwise hold the server open after their answer.
      server.keepAliveTimeout = 1;
    });
    await running;
    await closeDatabase(database);
  }

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => counts.snapshot(),
    resetCounts: () => counts.reset(),
    deleteExpiredItems: sweep,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

async function serve(handle: EmulatorHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  // The connection broke; nobody is left to answer.
  if (body === undefined) return;
  const { method = 'GET', url = '/', headers } = request;
  const answer = await handle({ method, url, headers, body }).catch(internalError);
  const { 'transfer-encoding': _, ...answerHeaders } = answer.headers;
  response.writeHead(answer.statusCode, {
    ...answerHeaders,
    'content-length': Buffer.byteLength(answer.body),
    'x-amz-crc32': crc32(answer.body),
  });
  response.end(answer.body);
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

function internalError(error: Error): EmulatorAnswer {
  console.error(`the emulated table failed: ${error.message}`);
  const body = JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError' });
  return { statusCode: 500, headers: { 'content-type': 'application/x-amz-json-1.0' }, body };
}
