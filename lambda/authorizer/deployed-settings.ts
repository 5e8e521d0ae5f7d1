// SPDX-License-Identifier: Apache-2.0
/**
 * What the constructs tell the deployed authorizer through its environment. They resolved and checked the settings when the
 * template was made; the function makes sure that it got them whole, and carries no rules and words to check them again.
 */
import { ENVIRONMENT } from '../environment';
import {
  type EnvironmentVariables,
  jsonVariable,
  refuseInsecureInLambda,
  requiredVariable,
} from '../session/environment-settings';
import type { IdleTimeout } from '../session/renewal';
import { ConfigurationError, type SessionSettings } from '../settings';
import type { AuthorizerSettings } from './authorizer-settings';
import type { TableAddress } from './table-request';

export interface DeployedSettings {
  readonly table: TableAddress;
  /** Absent: the region's own. */
  readonly endpoint: string | undefined;
  readonly settings: AuthorizerSettings;
}

/** Settings without which nothing can be decided. */
const REQUIRED = ['cookieName', 'csrf', 'allowedOrigins', 'attributeNames', 'absoluteTimeoutSeconds'] as const;

/** @throws ConfigurationError naming the variable */
export function readDeployedSettings(variables: EnvironmentVariables): DeployedSettings {
  const tableName = requiredVariable(variables, ENVIRONMENT.tableName);
  const shared = jsonVariable(variables, ENVIRONMENT.settings) as SessionSettings;
  for (const name of REQUIRED)
    if (shared[name] === undefined)
      throw new ConfigurationError(`${ENVIRONMENT.settings} must hold ${name}, as the constructs write it`);
  refuseInsecureInLambda(shared, variables);
  return {
    table: { ...shared, tableName },
    endpoint: variables[ENVIRONMENT.endpoint],
    settings: {
      ...shared,
      apiOrigins: apiOriginsFrom(variables),
      // Whoever sets the one setting has the other two.
      idleTimeout: shared.idleTimeoutSeconds === undefined ? undefined : (shared as IdleTimeout),
      isSimple: false,
      isThrowing: variables[ENVIRONMENT.deny] === 'throw',
    },
  };
}

function apiOriginsFrom(variables: EnvironmentVariables): readonly string[] | undefined {
  return variables[ENVIRONMENT.apiOrigins] ? (jsonVariable(variables, ENVIRONMENT.apiOrigins) as string[]) : undefined;
}
