// SPDX-License-Identifier: Apache-2.0
/** A stack of one's own, synthesized and run: its functions as processes, its table emulated; the APIs are the caller's. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { context } from '../../../cdk.json';
import { ensureTable, readTable } from '../../../local/create-table';
import { type Emulator, startEmulator } from '../../../local/emulator/start-emulator';
import { localEnvironment } from '../../../local/function-environment';
import { readFunctionDefinitions } from '../../../local/functions/function-definition';
import { type RunningFunctions, startFunctions } from '../../../local/functions/start-functions';
import { LOCAL_CREDENTIALS } from '../../../local/options';
import { readAssembly } from '../../../local/template/read-assembly';
import { createResolver, type Resolver } from '../../../local/template/resolver';
import type { StackEnvironment } from '../../../local/template/template';
import { CLIENT_DEFAULTS } from '../../session/emulated-table';
import { ENVIRONMENT } from './rest-template';

type Closer = () => unknown;

export interface OwnStack {
  readonly resolver: Resolver;
  readonly emulator: Emulator;
  readonly client: DynamoDBClient;
  /** Of the session table. */
  readonly tableName: string;
  /** What a gateway needs. */
  readonly gateway: { readonly invoke: RunningFunctions['invoke']; readonly environment: StackEnvironment };
  /** What `close` closes too, the latest first. */
  onClose(...closers: readonly Closer[]): void;
  close(): Promise<void>;
}

/**
 * @param handlerCode of the one function that is the application's
 * @param define adds to the stack, which has that function
 * @param variables of all functions, beside those of the template
 */
export async function startOwnStack(
  handlerCode: string,
  define: (stack: Stack, handler: LambdaFunction) => void,
  variables: Readonly<Record<string, string>> = {},
): Promise<OwnStack> {
  const folder = mkdtempSync(join(tmpdir(), 'sessiongate-own-stack-'));
  const closers: Closer[] = [() => rmSync(folder, { recursive: true })];
  const app = new App({ context, outdir: join(folder, 'assembly'), analyticsReporting: false });
  const stack = new Stack(app, 'Own');
  mkdirSync(join(folder, 'handler'));
  writeFileSync(join(folder, 'handler', 'index.js'), handlerCode);
  const handler = new LambdaFunction(stack, 'Handler', {
    code: Code.fromAsset(join(folder, 'handler')),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
  });
  define(stack, handler);
  const { template, assetFolder } = readAssembly(app, stack);
  const resolver = createResolver(template, ENVIRONMENT);

  const emulator = await startEmulator();
  const { endpoint } = emulator;
  const client = new DynamoDBClient({ endpoint, ...CLIENT_DEFAULTS });
  closers.push(emulator.close, () => client.destroy());
  const { name: tableName, properties } = readTable(resolver);
  const table = { endpoint, region: 'eu-central-1', credentials: LOCAL_CREDENTIALS, tableName };
  await ensureTable(properties, table);
  // The settings stay those of the deployment, cookie name and all: only the address of the table is another.
  // On a busy machine loading the code alone may take the three seconds that Lambda gives by default.
  const definitions = readFunctionDefinitions(resolver, assetFolder).map((one) => ({ ...one, timeoutSeconds: 60 }));
  const functions = startFunctions(definitions, {
    environment: ({ environment }) => ({
      ...localEnvironment(environment, { table, origin: 'https://localhost' }),
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      ...variables,
    }),
    // So that a request finds what the one before it loaded.
    maxInstances: 1,
    log: () => {},
  });
  closers.push(functions.close);
  return {
    resolver,
    emulator,
    client,
    tableName,
    gateway: { invoke: functions.invoke, environment: ENVIRONMENT },
    onClose: (...more) => void closers.push(...more),
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}
