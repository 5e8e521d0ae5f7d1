// SPDX-License-Identifier: Apache-2.0
/** The whole stack on a laptop: emulated table, functions in workers, and the gateway of the synthesized template. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCertificate } from './certificate';
import { ensureTable, readTable, type TableAddress } from './create-table';
import { openDataFolder } from './data-folder';
import { bundleDemoHandlers } from './demo/bundle-handlers';
import type { EmulatorCounts } from './emulator/operation-counts';
import { startEmulator } from './emulator/start-emulator';
import { localEnvironment } from './function-environment';
import { readFunctionDefinitions } from './functions/function-definition';
import { startFunctions } from './functions/start-functions';
import type { GatewayHandler } from './gateway/exchange';
import { createRestGateway } from './gateway/rest/create-rest-gateway';
import { readRestApis } from './gateway/rest/rest-api';
import { type RunningServer, serve } from './gateway/serve';
import { createLocalHandler } from './local-handler';
import { LOCAL_CREDENTIALS, type LocalOptions } from './options';
import { createRequestMeter } from './request-meter';
import { StartError } from './start-error';
import { synthesizeLocalStack } from './synthesize';
import { createResolver, type Resolver } from './template/resolver';
import { TemplateError } from './template/template';

export interface LocalStack {
  /** Such as `http://localhost:3000`. */
  readonly url: string;
  readonly tableName: string;
  readonly tableEndpoint: string;
  /** What the embedded table was asked; undefined with another table. */
  counts?(): EmulatorCounts;
  close(): Promise<void>;
}

export interface LocalStackDependencies {
  /** Takes each line of the functions and the gateway. Default: stderr. */
  readonly log?: (line: string) => void;
}

const ENVIRONMENT = { region: 'us-east-1', accountId: '000000000000', stackName: 'Sessiongate' };
/** DynamoDB deletes expired items within a few days; a minute is slow enough to see that nothing depends on it. */
const SWEEP_INTERVAL_MILLIS = 60_000;

/** @throws StartError, having closed everything that was started */
export async function startLocalStack(
  options: LocalOptions,
  dependencies: LocalStackDependencies = {},
): Promise<LocalStack> {
  const { log = (line: string) => process.stderr.write(`${line}\n`) } = dependencies;
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await start(options, log, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: LocalOptions,
  log: (line: string) => void,
  closers: (() => Promise<void> | void)[],
): Promise<Omit<LocalStack, 'close'>> {
  if (options.folder !== undefined && (options.dynamoDb === undefined || options.https)) openDataFolder(options.folder);
  // The port before the rest: its number is part of the origin, and one that is in use ends the start before anything is opened.
  let becomeReady: (handle: GatewayHandler) => void = () => {};
  const ready = new Promise<GatewayHandler>((resolve) => {
    becomeReady = resolve;
  });
  const server = await listen(options, async (request) => (await ready)(request), log);
  closers.push(server.close, () => becomeReady(async () => ({ statusCode: 503, headers: [], body: '' })));

  const folder = mkdtempSync(join(tmpdir(), 'sessiongate-local-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const stack = synthesizeLocalStack(await bundleDemoHandlers(join(folder, 'demo')), join(folder, 'assembly'));
  const resolver = createResolver(stack.template, { ...ENVIRONMENT, stackName: stack.name });

  const { table, counts } = await openTable(options, resolver, closers);
  const meter = createRequestMeter(counts);
  const definitions = readFunctionDefinitions(resolver, stack.assetFolder);
  const functions = startFunctions(definitions, {
    environment: ({ environment }) => localEnvironment(environment, { table, origin: server.url }),
    // Metrics are for CloudWatch; what was refused stands in the line of the request.
    log: (label, line) => line.startsWith('{"_aws"') || log(`[${label}] ${line}`),
  });
  closers.push(functions.close);
  await functions.warm(definitions.map(({ arn }) => arn));

  const [api] = readRestApis(resolver);
  if (api === undefined) throw new TemplateError('the template has no REST API');
  const labels = new Map(definitions.map(({ arn, label }) => [arn, label]));
  const gateway = createRestGateway(api, {
    environment: ENVIRONMENT,
    log: (line) => log(`[gateway] ${line}`),
    invoke(arn, event) {
      meter.noteInvocation(labels.get(arn) ?? arn);
      return functions.invoke(arn, event);
    },
  });
  becomeReady(createLocalHandler({ gateway, meter, log }));
  return {
    url: server.url,
    tableName: table.tableName,
    tableEndpoint: table.endpoint,
    ...(counts === undefined ? {} : { counts }),
  };
}

async function listen(
  options: LocalOptions,
  handle: GatewayHandler,
  log: (line: string) => void,
): Promise<RunningServer> {
  try {
    const tls = options.https ? await loadCertificate(options.folder, Date.now()) : undefined;
    return await serve(handle, { port: options.port, log, ...(tls === undefined ? {} : { tls }) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      code === 'EADDRINUSE'
        ? `port ${options.port} is in use; end what uses it, or set PORT to another`
        : `port ${options.port} cannot be used (${code}); set PORT to another`,
    );
  }
}

async function openTable(
  options: LocalOptions,
  resolver: Resolver,
  closers: (() => Promise<void> | void)[],
): Promise<{ readonly table: TableAddress; readonly counts?: () => EmulatorCounts }> {
  const { name, properties } = readTable(resolver);
  if (options.dynamoDb !== undefined) {
    const table = { tableName: name, ...options.dynamoDb };
    await ensureTable(properties, table);
    return { table };
  }
  const emulator = await startEmulator({ folder: options.folder, sweepIntervalMillis: SWEEP_INTERVAL_MILLIS });
  closers.push(emulator.close);
  const { endpoint } = emulator;
  const table = { endpoint, region: ENVIRONMENT.region, credentials: LOCAL_CREDENTIALS, tableName: name };
  await ensureTable(properties, table);
  return { table, counts: emulator.counts };
}
