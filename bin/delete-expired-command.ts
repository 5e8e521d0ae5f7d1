// SPDX-License-Identifier: Apache-2.0
/** `sessiongate sessions delete-expired`: for tables without TTL. */
import { parseArgs } from 'node:util';
import { ENVIRONMENT } from '../lambda/environment';
import {
  type DeleteExpiredOptions,
  type DeleteExpiredProgress,
  type DeleteExpiredResult,
  deleteExpired,
} from '../lambda/session';
import { resolveSettings } from '../lambda/settings';
import { connectionTo, type Environment, settingsVariable, tableNameFrom } from './table-options';
import { UsageError } from './usage-error';

export const DELETE_EXPIRED_USAGE = `sessiongate sessions delete-expired --table <name>
      reads, and is charged for, every item of the table: leave it to TTL where TTL is on
      --margin-seconds              only what ended longer ago; default 3600
      --max-read-units-per-second   default 100
      --max-write-units-per-second  default 100
      --segments  --concurrency     parts of the table, and how many at the same time; default 16 and 2
      --php                         the table is one of PHP's session handler
      --session-name  --hash-key  --session-lifetime-attribute
                                    with --php: only sessions of this name, and names of attributes
      --table, --region, --endpoint, --partition-key-name, --sort-key-name, --time-to-live-attribute
                                    as above`;

/** Where progress is shown: a terminal, or not at all. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Deletes what has expired and returns what to print. Ctrl-C stops after the batch under way.
 * @throws UsageError naming the option; ConfigurationError; what stopped the run
 */
export async function deleteExpiredCommand(
  words: readonly string[],
  environment: Environment,
  output: ProgressOutput = process.stderr,
): Promise<string> {
  const options = parseOptions(words);
  if (options.help === true) return DELETE_EXPIRED_USAGE;
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once('SIGINT', stop);
  try {
    const result = await deleteExpired({
      ...optionsFrom(options, environment),
      throwOnFailure: true,
      signal: abort.signal,
      ...(output.isTTY === true ? { onProgress: (progress) => output.write(`\r\u{1b}[K${describe(progress)}`) } : {}),
    });
    return summaryOf(result);
  } finally {
    process.removeListener('SIGINT', stop);
    if (output.isTTY === true) output.write('\n');
  }
}

function optionsFrom(options: Options, environment: Environment): DeleteExpiredOptions {
  const phpOptions = ['session-name', 'hash-key', 'session-lifetime-attribute'] as const;
  const withoutPhp = phpOptions.find((name) => options[name] !== undefined && options.php !== true);
  if (withoutPhp !== undefined) throw new UsageError(`--${withoutPhp} needs --php`);
  const given = {
    tableName: tableNameFrom(options.table, environment),
    ...connectionTo(options.endpoint ?? environment[ENVIRONMENT.endpoint], options.region),
    marginSeconds: numberFrom(options, 'margin-seconds'),
    maxReadUnitsPerSecond: numberFrom(options, 'max-read-units-per-second'),
    maxWriteUnitsPerSecond: numberFrom(options, 'max-write-units-per-second'),
    segments: numberFrom(options, 'segments'),
    concurrency: numberFrom(options, 'concurrency'),
  };
  if (options.php === true)
    return {
      ...given,
      php: {
        sessionName: options['session-name'],
        hashKey: options['hash-key'],
        sessionLifetimeAttribute: options['session-lifetime-attribute'],
      },
    };
  const { partitionKey, sortKey, expiresAt } = resolveSettings(settingsVariable(environment)).attributeNames;
  return {
    ...given,
    attributeNames: {
      partitionKey: options['partition-key-name'] ?? partitionKey,
      sortKey: options['sort-key-name'] ?? sortKey,
      expiresAt: options['time-to-live-attribute'] ?? expiresAt,
    },
  };
}

function parseOptions(words: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...words],
      options: {
        table: text,
        region: text,
        endpoint: text,
        'partition-key-name': text,
        'sort-key-name': text,
        'time-to-live-attribute': text,
        'margin-seconds': text,
        'max-read-units-per-second': text,
        'max-write-units-per-second': text,
        segments: text,
        concurrency: text,
        php: flag,
        'session-name': text,
        'hash-key': text,
        'session-lifetime-attribute': text,
        help: flag,
      },
    }).values;
  } catch (failure) {
    // The first sentence names the option; what follows is advice on positional arguments, of which there are none.
    throw new UsageError(`${(failure as Error).message.split(/[.\n]/)[0]}; see sessiongate --help`);
  }
}

type Options = ReturnType<typeof parseOptions>;
type NumberOption =
  | 'margin-seconds'
  | 'max-read-units-per-second'
  | 'max-write-units-per-second'
  | 'segments'
  | 'concurrency';

function numberFrom(options: Options, name: NumberOption): number | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  if (!/^[0-9]{1,9}$/.test(value)) throw new UsageError(`--${name} must be a whole number`);
  return Number(value);
}

function describe({ deleted, scanned, segmentsDone, segments }: DeleteExpiredProgress): string {
  return `deleted ${deleted} of ${scanned} items read; part ${Math.min(segmentsDone + 1, segments)} of ${segments}`;
}

function summaryOf(result: DeleteExpiredResult): string {
  const { deleted, scanned, kept, failed, readUnits, writeUnits, segmentsDone, segments } = result;
  return [
    `Deleted ${deleted} of ${scanned} items read, for ${readUnits} read units and ${writeUnits} write units.`,
    ...(kept > 0 ? [`${kept} were renewed meanwhile and stay.`] : []),
    ...(failed > 0 ? [`${failed} could not be deleted, because the table was too busy; run the command again.`] : []),
    ...(segmentsDone < segments ? [`Stopped after ${segmentsDone} of ${segments} parts; run the command again.`] : []),
  ].join('\n');
}
