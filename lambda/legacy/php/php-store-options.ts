// SPDX-License-Identifier: Apache-2.0
/** Options of the PHP session store: those of the AWS SDK's handler, under its names, with the units said. */
import { type OptionNames, refuseUnknownOptions } from '../../known-options';
import { CONNECTION_OPTIONS, type DynamoDbConnectionOptions } from '../../session/dynamodb-connection';
import type { RandomBytes } from '../../session/token';
import { ConfigurationError, MAX_LIFETIME_SECONDS } from '../../settings';
import { isPhpSessionFormat } from './parse-php-session';
import { requireSessionName } from './php-session-id';
import type { PhpSessionFormat } from './php-value';
import { DEFAULT_PHP_ATTRIBUTE_NAMES, type PhpAttributeNames } from './read-php-item';

export interface PhpSessionStoreOptions extends DynamoDbConnectionOptions {
  /** Required. The table has a string partition key and no sort key. */
  readonly tableName: string;
  /** `session.name`, which every key begins with; applications with different names never see each other's sessions. Default `PHPSESSID`. */
  readonly sessionName?: string | undefined;
  /** One request at a time for each session. Default true. */
  readonly locking?: boolean | undefined;
  /** Strongly consistent reads where locking is off. Default true. */
  readonly consistentRead?: boolean | undefined;
  /** How long a session lives after its last use. Default 1,440, which is PHP's `session.gc_maxlifetime`. */
  readonly sessionLifetimeSeconds?: number | undefined;
  /** Default `id`. */
  readonly hashKey?: string | undefined;
  /** Default `data`. */
  readonly dataAttribute?: string | undefined;
  /** Default `expires`. */
  readonly sessionLifetimeAttribute?: string | undefined;
  /** How long to wait for another request's lock. Default 10. */
  readonly maxLockWaitSeconds?: number | undefined;
  /** Shortest pause between two tries. Default 10,000. */
  readonly minLockRetryMicroseconds?: number | undefined;
  /** Longest pause between two tries. Default 50,000. */
  readonly maxLockRetryMicroseconds?: number | undefined;
  /** When a lock of ours ends by itself, if its holder died; longer than any request of yours. PHP's own locks never end. Default 60. */
  readonly lockLeaseSeconds?: number | undefined;
  /** `session.serialize_handler`. Default `php`. */
  readonly format?: PhpSessionFormat | undefined;
  /** Unix seconds. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
  /** Default: the system's cryptographically secure source. */
  readonly randomBytes?: RandomBytes | undefined;
  /** Waits for a lock, and before a request is repeated. Default: a timer. */
  readonly sleep?: ((millis: number) => Promise<void>) | undefined;
}

/** The options with their defaults. */
export interface PhpStoreSettings {
  readonly sessionName: string;
  readonly locking: boolean;
  readonly consistentRead: boolean;
  readonly sessionLifetimeSeconds: number;
  readonly maxLockWaitSeconds: number;
  readonly minLockRetryMicroseconds: number;
  readonly maxLockRetryMicroseconds: number;
  readonly lockLeaseSeconds: number;
  readonly format: PhpSessionFormat;
  readonly names: PhpAttributeNames;
}

/** @throws ConfigurationError naming the option */
export function resolvePhpStoreOptions(options: PhpSessionStoreOptions): PhpStoreSettings {
  refuseUnknownOptions(options, OPTIONS);
  const settings: PhpStoreSettings = {
    sessionName: options.sessionName ?? 'PHPSESSID',
    locking: options.locking ?? true,
    consistentRead: options.consistentRead ?? true,
    sessionLifetimeSeconds: options.sessionLifetimeSeconds ?? 1_440,
    maxLockWaitSeconds: options.maxLockWaitSeconds ?? 10,
    minLockRetryMicroseconds: options.minLockRetryMicroseconds ?? 10_000,
    maxLockRetryMicroseconds: options.maxLockRetryMicroseconds ?? 50_000,
    lockLeaseSeconds: options.lockLeaseSeconds ?? 60,
    format: options.format ?? 'php',
    names: {
      hashKey: options.hashKey ?? DEFAULT_PHP_ATTRIBUTE_NAMES.hashKey,
      dataAttribute: options.dataAttribute ?? DEFAULT_PHP_ATTRIBUTE_NAMES.dataAttribute,
      sessionLifetimeAttribute:
        options.sessionLifetimeAttribute ?? DEFAULT_PHP_ATTRIBUTE_NAMES.sessionLifetimeAttribute,
    },
  };
  requireSessionName('sessionName', settings.sessionName);
  for (const option of ['locking', 'consistentRead'] as const)
    if (typeof settings[option] !== 'boolean') throw new ConfigurationError(`${option} must be true or false`);
  for (const [option, lowest, highest] of RANGES) requireWholeNumber(option, settings[option], lowest, highest);
  if (settings.minLockRetryMicroseconds > settings.maxLockRetryMicroseconds)
    throw new ConfigurationError('minLockRetryMicroseconds must not exceed maxLockRetryMicroseconds');
  if (!isPhpSessionFormat(settings.format))
    throw new ConfigurationError('format must be php, php_serialize or php_binary');
  requireAttributeNames(settings.names);
  return settings;
}

const RANGES = [
  ['sessionLifetimeSeconds', 1, MAX_LIFETIME_SECONDS],
  ['maxLockWaitSeconds', 0, 900],
  ['minLockRetryMicroseconds', 1, 60_000_000],
  ['maxLockRetryMicroseconds', 1, 60_000_000],
  ['lockLeaseSeconds', 1, 900],
] as const;

const OPTIONS: OptionNames<PhpSessionStoreOptions> = {
  ...CONNECTION_OPTIONS,
  tableName: true,
  sessionName: true,
  locking: true,
  consistentRead: true,
  sessionLifetimeSeconds: true,
  hashKey: true,
  dataAttribute: true,
  sessionLifetimeAttribute: true,
  maxLockWaitSeconds: true,
  minLockRetryMicroseconds: true,
  maxLockRetryMicroseconds: true,
  lockLeaseSeconds: true,
  format: true,
  now: true,
  randomBytes: true,
  sleep: true,
};

function requireWholeNumber(option: string, value: unknown, lowest: number, highest: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < lowest || (value as number) > highest)
    throw new ConfigurationError(`${option} must be a whole number from ${lowest} to ${highest}`);
}

function requireAttributeNames(names: PhpAttributeNames): void {
  for (const [option, name] of Object.entries(names))
    if (typeof name !== 'string' || name.length < 1 || name.length > 255)
      throw new ConfigurationError(`${option} must be the name of an attribute`);
  if (new Set([...Object.values(names), 'lock']).size !== 4)
    throw new ConfigurationError(
      'hashKey, dataAttribute and sessionLifetimeAttribute must be three different names, none of them lock',
    );
}
