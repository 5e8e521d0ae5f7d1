// SPDX-License-Identifier: Apache-2.0
/** What the constructs tell the deployed authorizer through its environment. */
import { ENVIRONMENT } from '../environment';
import { ConfigurationError, resolveSettings, type SessionSettingsInput } from '../settings';
import type { AuthorizerOptions } from './options';
import type { TableAddress } from './table-request';

export interface EnvironmentOptions {
  readonly table: TableAddress;
  /** Absent: the region's own. */
  readonly endpoint: string | undefined;
  readonly options: AuthorizerOptions;
}

/** @throws ConfigurationError naming the variable */
export function optionsFromEnvironment(variables: Readonly<Record<string, string | undefined>>): EnvironmentOptions {
  const tableName = required(variables, ENVIRONMENT.tableName);
  const input = parseJson(required(variables, ENVIRONMENT.settings), ENVIRONMENT.settings) as SessionSettingsInput;
  const { maxSessionsPerUser, maxItemBytes, insecureLocalhost, userRecordAttribute, ...settings } =
    resolveSettings(input);
  // A cookie without Secure is for a laptop; Lambda sets this variable.
  if (insecureLocalhost && variables.AWS_LAMBDA_FUNCTION_NAME !== undefined)
    throw new ConfigurationError(`${ENVIRONMENT.settings} must not set insecureLocalhost in a deployed function`);
  const apiOrigins = variables[ENVIRONMENT.apiOrigins];
  return {
    table: { tableName, attributeNames: settings.attributeNames, userRecordAttribute },
    endpoint: variables[ENVIRONMENT.endpoint],
    options: {
      ...settings,
      userRecord: userRecordAttribute === undefined ? undefined : { attribute: userRecordAttribute },
      apiOrigins: apiOrigins === undefined ? undefined : parseOrigins(apiOrigins),
      deny: variables[ENVIRONMENT.deny] as AuthorizerOptions['deny'],
      cacheSeconds: parseCacheSeconds(variables[ENVIRONMENT.cacheSeconds]),
    },
  };
}

function required(variables: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = variables[name];
  if (value === undefined || value === '')
    throw new ConfigurationError(
      `the environment variable ${name} must be set; the construct of the authorizer does it`,
    );
  return value;
}

function parseJson(text: string, name: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError(`the environment variable ${name} must hold JSON`, { cause });
  }
  if (typeof value !== 'object' || value === null)
    throw new ConfigurationError(`the environment variable ${name} must hold a JSON object or array`);
  return value;
}

function parseOrigins(text: string): readonly string[] {
  const value = parseJson(text, ENVIRONMENT.apiOrigins);
  if (!Array.isArray(value))
    throw new ConfigurationError(
      `the environment variable ${ENVIRONMENT.apiOrigins} must hold a JSON array of origins`,
    );
  return value;
}

function parseCacheSeconds(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^[0-9]{1,4}$/.test(text))
    throw new ConfigurationError(`the environment variable ${ENVIRONMENT.cacheSeconds} must hold whole seconds`);
  return Number(text);
}
