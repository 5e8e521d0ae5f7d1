// SPDX-License-Identifier: Apache-2.0
/** Decides what becomes of one DynamoDB request: answered here, or replayed into dynalite and counted. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { askForCapacity, consumesCapacity, readUnits, unitsOfFailure } from './consumed-capacity';
import { readKeyAttributes } from './expired-items';
import { describeKey, type OperationCounts, tableOf } from './operation-counts';
import { type EmulatorAnswer, type EmulatorRequest, replay } from './replay';
import { EXTRAS_OPERATIONS, type ExtrasOperation, type TableExtrasStore } from './table-extras';

export type EmulatorHandler = (request: EmulatorRequest) => Promise<EmulatorAnswer>;

export function createRequestHandler(
  database: Server,
  extras: TableExtrasStore,
  counts: OperationCounts,
): EmulatorHandler {
  const keyAttributesOf = new Map<string, readonly string[]>();

  return async (request) => {
    // Browsers send Origin with every cross-site write; no page may reach the table, and no SDK sends this header.
    if (request.headers.origin !== undefined)
      return errorAnswer(403, 'com.amazon.coral.service#AccessDeniedException', 'not for browsers');
    const operation = /^DynamoDB_20120810\.(\w+)$/.exec(String(request.headers['x-amz-target']))?.[1];
    const input = parseObject(request.body);
    if (operation === undefined || input === undefined) return replay(database, request);
    if (isExtras(operation)) return answerExtras(operation, input, request);
    if (consumesCapacity(operation)) return replayCounted(operation, input, request);

    const answer = await replay(database, request);
    if (operation === 'DeleteTable' && answer.statusCode === 200) {
      extras.forget(String(input.TableName));
      keyAttributesOf.delete(String(input.TableName));
    }
    counts.add(operation, 'other', new Map(), answer.statusCode === 200);
    return answer;
  };

  /** Whether the table exists, and whether the request is signed, is dynalite's to say. */
  async function answerExtras(
    operation: ExtrasOperation,
    input: Record<string, unknown>,
    request: EmulatorRequest,
  ): Promise<EmulatorAnswer> {
    const described = await replay(database, {
      ...request,
      headers: { ...request.headers, 'x-amz-target': 'DynamoDB_20120810.DescribeTable' },
      body: Buffer.from(JSON.stringify({ TableName: input.TableName })),
    });
    if (described.statusCode !== 200) return described;
    const answer = extras.answer(operation, String(input.TableName), input);
    counts.add(operation, 'other', new Map(), !('error' in answer));
    if ('error' in answer) return errorAnswer(400, answer.error, answer.message);
    return jsonAnswer(200, answer.output);
  }

  async function replayCounted(
    operation: string,
    clientInput: Record<string, unknown>,
    request: EmulatorRequest,
  ): Promise<EmulatorAnswer> {
    const { input, isClientsOwn } = askForCapacity(clientInput);
    const answer = await replay(database, { ...request, body: Buffer.from(JSON.stringify(input)) });
    const output = parseObject(Buffer.from(answer.body)) ?? {};
    const succeeded = answer.statusCode === 200;
    const units = succeeded ? readUnits(operation, output) : unitsOfFailure(operation, input.TableName, output);
    counts.add(operation, describeKey(input, await keyAttributes(tableOf(input))), units, succeeded);
    if (!succeeded || isClientsOwn) return answer;
    const { ConsumedCapacity: _, ...rest } = output;
    return { ...answer, body: JSON.stringify(rest) };
  }

  async function keyAttributes(table: string | undefined): Promise<readonly string[]> {
    if (table === undefined) return [];
    const known = keyAttributesOf.get(table) ?? (await readKeyAttributes(database, table));
    if (known.length > 0) keyAttributesOf.set(table, known);
    return known;
  }
}

function isExtras(operation: string): operation is ExtrasOperation {
  return (EXTRAS_OPERATIONS as readonly string[]).includes(operation);
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function errorAnswer(statusCode: number, type: string, message: string): EmulatorAnswer {
  return jsonAnswer(statusCode, { __type: type, message });
}

function jsonAnswer(statusCode: number, output: object): EmulatorAnswer {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': randomUUID() };
  return { statusCode, headers, body: JSON.stringify(output) };
}
