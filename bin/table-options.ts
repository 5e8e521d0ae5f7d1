// SPDX-License-Identifier: Apache-2.0
/** What every command that works on a table is told: which one, where it is, and how its attributes are named. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ENVIRONMENT } from '../lambda/environment';
import type { DynamoDbSessionStoreOptions } from '../lambda/session';
import { ConfigurationError, type SessionSettingsInput } from '../lambda/settings';
import { UsageError } from './usage-error';

export type Environment = Record<string, string | undefined>;

/** @throws UsageError if neither says it */
export function tableNameFrom(option: string | undefined, environment: Environment): string {
  const tableName = option ?? environment[ENVIRONMENT.tableName];
  if (tableName === undefined || tableName === '')
    throw new UsageError(`--table is missing; pass the stack's output TableName, or set ${ENVIRONMENT.tableName}`);
  return tableName;
}

/** The settings of a connected function where they are at hand. */
export function settingsVariable(environment: Environment): SessionSettingsInput {
  const text = environment[ENVIRONMENT.settings];
  if (text === undefined || text === '') return {};
  try {
    return JSON.parse(text) as SessionSettingsInput;
  } catch {
    throw new ConfigurationError(`${ENVIRONMENT.settings} must be a JSON object, as connected functions have it`);
  }
}

/** An emulator on this machine takes any region and any key, but the SDK wants to have some. */
export function connectionTo(
  endpoint: string | undefined,
  region: string | undefined,
): Pick<DynamoDbSessionStoreOptions, 'client' | 'endpoint' | 'region'> {
  if (endpoint === undefined) return region === undefined ? {} : { region };
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new UsageError('--endpoint must be a URL such as http://localhost:8000');
  if (!/^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(endpoint).hostname))
    return region === undefined ? { endpoint } : { endpoint, region };
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return { client: new DynamoDBClient({ endpoint, region: region ?? 'us-east-1', credentials, maxAttempts: 1 }) };
}
