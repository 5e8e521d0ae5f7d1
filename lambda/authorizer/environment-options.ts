// SPDX-License-Identifier: Apache-2.0
/** What the constructs tell the deployed authorizer through its environment. */
import { ENVIRONMENT } from '../environment';
import { type EnvironmentVariables, jsonVariable, settingsFromEnvironment } from '../session/environment-settings';
import { ConfigurationError } from '../settings';
import type { AuthorizerOptions } from './options';
import type { TableAddress } from './table-request';

export interface EnvironmentOptions {
  readonly table: TableAddress;
  /** Absent: the region's own. */
  readonly endpoint: string | undefined;
  readonly options: AuthorizerOptions;
}

/** @throws ConfigurationError naming the variable */
export function optionsFromEnvironment(variables: EnvironmentVariables): EnvironmentOptions {
  const { tableName, settings, endpoint } = settingsFromEnvironment(variables);
  const { attributeNames, userRecordAttribute } = settings;
  return {
    table: { tableName, attributeNames, userRecordAttribute },
    endpoint,
    options: {
      cookieName: settings.cookieName,
      allowedOrigins: settings.allowedOrigins,
      csrf: settings.csrf,
      apiOrigins: apiOriginsFrom(variables),
      epoch: settings.epoch,
      attributeNames,
      absoluteTimeoutSeconds: settings.absoluteTimeoutSeconds,
      idleTimeoutSeconds: settings.idleTimeoutSeconds,
      renewalIntervalSeconds: settings.renewalIntervalSeconds,
      userRecord: userRecordAttribute === undefined ? undefined : { attribute: userRecordAttribute },
      deny: variables[ENVIRONMENT.deny] as AuthorizerOptions['deny'],
      cacheSeconds: cacheSecondsFrom(variables),
    },
  };
}

function apiOriginsFrom(variables: EnvironmentVariables): readonly string[] | undefined {
  if (variables[ENVIRONMENT.apiOrigins] === undefined) return undefined;
  const origins = jsonVariable(variables, ENVIRONMENT.apiOrigins);
  if (!Array.isArray(origins))
    throw new ConfigurationError(
      `the environment variable ${ENVIRONMENT.apiOrigins} must hold a JSON array of origins`,
    );
  return origins;
}

function cacheSecondsFrom(variables: EnvironmentVariables): number {
  const text = variables[ENVIRONMENT.cacheSeconds] ?? '0';
  if (!/^[0-9]{1,4}$/.test(text))
    throw new ConfigurationError(`the environment variable ${ENVIRONMENT.cacheSeconds} must hold whole seconds`);
  return Number(text);
}
