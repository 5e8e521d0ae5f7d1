// SPDX-License-Identifier: Apache-2.0
/** What `table.connect(fn)` and the authorizer constructs told a function through its environment. */
import { ENVIRONMENT } from '../environment';
import {
  ConfigurationError,
  resolveSettings,
  type SessionSettings,
  type SessionSettingsInput,
  validateOrigin,
} from '../settings';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSettings {
  readonly tableName: string;
  readonly settings: SessionSettings;
  /** Absent: the region's own. */
  readonly endpoint?: string;
  /** Absent: the event's domain name. */
  readonly apiOrigins?: readonly string[];
}

/** @throws ConfigurationError naming the variable */
export function settingsFromEnvironment(variables: EnvironmentVariables): EnvironmentSettings {
  const tableName = requiredVariable(variables, ENVIRONMENT.tableName);
  const input = jsonVariable(variables, ENVIRONMENT.settings) as SessionSettingsInput;
  const settings = resolveSettings(input);
  refuseInsecureInLambda(settings, variables);
  const endpoint = variables[ENVIRONMENT.endpoint];
  const hasApiOrigins = variables[ENVIRONMENT.apiOrigins] !== undefined;
  return {
    tableName,
    settings,
    ...(endpoint === undefined || endpoint === '' ? {} : { endpoint }),
    ...(hasApiOrigins ? { apiOrigins: originsVariable(variables, ENVIRONMENT.apiOrigins) } : {}),
  };
}

function originsVariable(variables: EnvironmentVariables, name: string): readonly string[] {
  const origins = jsonVariable(variables, name);
  if (!Array.isArray(origins)) throw new ConfigurationError(`the environment variable ${name} must hold a JSON array`);
  return origins.map((origin: string) => validateOrigin(origin, name));
}

/** A cookie without Secure is for a laptop; AWS Lambda sets this variable in every function. */
export function refuseInsecureInLambda(settings: SessionSettings, variables: EnvironmentVariables): void {
  if (settings.insecureLocalhost && variables.AWS_LAMBDA_FUNCTION_NAME !== undefined)
    throw new ConfigurationError('insecureLocalhost must not be set in a deployed function');
}

/** @throws ConfigurationError naming the variable if it is absent or empty */
export function requiredVariable(variables: EnvironmentVariables, name: string): string {
  const value = variables[name];
  if (value === undefined || value === '')
    throw new ConfigurationError(`the environment variable ${name} must be set; the constructs set it`);
  return value;
}

/** The object or array in a variable. @throws ConfigurationError naming the variable */
export function jsonVariable(variables: EnvironmentVariables, name: string): object {
  const text = requiredVariable(variables, name);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The same error as for JSON of another kind; what the parser says repeats the text.
  }
  throw new ConfigurationError(`the environment variable ${name} must hold a JSON object or array`);
}
