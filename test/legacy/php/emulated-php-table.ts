// SPDX-License-Identifier: Apache-2.0
/** A partition-only table as the PHP handler has it, in the embedded emulator, with a record of what is asked of it. */
import {
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { createPhpSessionStore, type PhpSessionStore } from '../../../lambda/legacy/php/php-session-store';
import type { PhpSessionStoreOptions } from '../../../lambda/legacy/php/php-store-options';
import type { Item } from '../../../lambda/session/store';
import { type Emulator, startEmulator } from '../../../local/emulator/start-emulator';
import { CLIENT_DEFAULTS } from '../../session/emulated-table';
import { Clock } from '../../session/fixtures';

export const TABLE_NAME = 'php_sessions';
export const ID = 'abcdefghijklmnopqrstuv0123456789';
export const KEY = `PHPSESSID_${ID}`;

export interface RecordedRequest {
  readonly operation: string;
  readonly input: Record<string, unknown>;
}

type Fault = 'loseAnswer' | 'dropRequest';

/** One table for a whole file of tests; `clear` between them. */
export class EmulatedPhpTable {
  readonly requests: RecordedRequest[] = [];
  readonly clock = new Clock();
  /** Runs just before the next request of an operation is sent, once. */
  #interceptor: { operation: string; run: () => unknown } | undefined;
  #fault: { operation: string; fault: Fault } | undefined;

  private constructor(
    readonly emulator: Emulator,
    readonly client: DynamoDBClient,
    /** The same table, unwatched. */
    readonly direct: DynamoDBClient,
  ) {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const operation = String(context.commandName).replace(/Command$/, '');
        this.requests.push({ operation, input: args.input as Record<string, unknown> });
        await this.#intercept(operation);
        const fault = this.#fault?.operation === operation ? this.#fault.fault : undefined;
        if (fault !== undefined) this.#fault = undefined;
        if (fault === 'dropRequest') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
        const answer = await next(args);
        if (fault === 'loseAnswer') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
        return answer;
      },
      { step: 'initialize' },
    );
  }

  static async start(hashKey = 'id'): Promise<EmulatedPhpTable> {
    const emulator = await startEmulator();
    const [client, direct] = [1, 2].map(() => new DynamoDBClient({ endpoint: emulator.endpoint, ...CLIENT_DEFAULTS }));
    if (client === undefined || direct === undefined) throw new Error('unreachable');
    await direct.send(
      new CreateTableCommand({
        TableName: TABLE_NAME,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: hashKey, AttributeType: 'S' }],
        KeySchema: [{ AttributeName: hashKey, KeyType: 'HASH' }],
      }),
    );
    return new EmulatedPhpTable(emulator, client, direct);
  }

  store(options: Partial<PhpSessionStoreOptions> = {}): PhpSessionStore {
    return createPhpSessionStore({
      tableName: TABLE_NAME,
      client: this.client,
      now: this.clock.now,
      sleep: async () => {},
      ...options,
    });
  }

  async put(item: Item): Promise<void> {
    await this.direct.send(new PutItemCommand({ TableName: TABLE_NAME, Item: item as never }));
  }

  async get(key = KEY): Promise<Item | undefined> {
    const command = new GetItemCommand({ TableName: TABLE_NAME, Key: { id: { S: key } }, ConsistentRead: true });
    return (await this.direct.send(command)).Item as Item | undefined;
  }

  async delete(key = KEY): Promise<void> {
    await this.direct.send(new DeleteItemCommand({ TableName: TABLE_NAME, Key: { id: { S: key } } }));
  }

  /** A live session of the handler, with what is given instead. */
  async putSession(data = 'user_id|i:42;', more: Item = {}): Promise<void> {
    const expires = { N: String(this.clock.seconds + 600) };
    await this.put({ id: { S: KEY }, expires, ...(data === '' ? {} : { data: { S: data } }), ...more });
  }

  operations(): string[] {
    return this.requests.map(({ operation }) => operation);
  }

  beforeNext(operation: string, run: () => unknown): void {
    this.#interceptor = { operation, run };
  }

  failNext(operation: string, fault: Fault): void {
    this.#fault = { operation, fault };
  }

  async clear(): Promise<void> {
    await this.delete();
    this.requests.length = 0;
    this.#interceptor = undefined;
    this.#fault = undefined;
  }

  async close(): Promise<void> {
    this.client.destroy();
    this.direct.destroy();
    await this.emulator.close();
  }

  async #intercept(operation: string): Promise<void> {
    const interceptor = this.#interceptor;
    if (interceptor?.operation !== operation) return;
    this.#interceptor = undefined;
    await interceptor.run();
  }
}
