// SPDX-License-Identifier: Apache-2.0
/** Which older systems a function asks, and in which mode, as the constructs tell it through the environment. */
import { ENVIRONMENT } from '../environment';
import {
  type LegacyMode,
  requireDistinctSourceNames,
  requireLegacyMode,
  requireSharePercent,
} from '../legacy-settings';
import { type EnvironmentVariables, jsonVariable } from '../session/environment-settings';
import type { LegacySource } from '../session/legacy-source';
import { ConfigurationError } from '../settings';
import { createSecrets } from './create-secrets';
import { createDynamoDbExpressStore, type DynamoDbExpressStoreOptions } from './express-session/dynamodb-express-store';
import { createExpressSessionSource, type ExpressSessionSourceOptions } from './express-session/express-session-source';
import { createPhpSessionSource, type PhpSessionSourceOptions } from './php/php-session-source';
import { createPhpTable } from './php/php-table';
import type { Secrets } from './secrets';
import { type CookieSessionSourceOptions, createCookieSessionSource } from './signed-cookie/cookie-session-source';
import { createSignedSessionSource, type SignedSessionSourceOptions } from './signed-cookie/signed-session-source';

/** Where the keys of a signed cookie are; `secrets` holds them itself, for tests. */
export interface SecretsConfiguration {
  readonly secretId?: string;
  readonly parameterName?: string;
  readonly secrets?: readonly string[];
}

/** Options of the source and its table, flat, and its kind. */
export type LegacySourceConfiguration =
  | ({ readonly kind: 'expressSession' } & SecretsConfiguration &
      Omit<ExpressSessionSourceOptions, 'store' | 'secrets'> &
      Pick<DynamoDbExpressStoreOptions, 'tableName' | 'package' | 'hashKey' | 'prefix'>)
  | ({ readonly kind: 'cookieSession' } & SecretsConfiguration & Omit<CookieSessionSourceOptions, 'keys'>)
  | ({ readonly kind: 'signedSession' } & SecretsConfiguration &
      Omit<SignedSessionSourceOptions, 'keys' | 'sessionsValidAfter'>)
  | ({ readonly kind: 'php'; readonly tableName: string } & Omit<
      PhpSessionSourceOptions,
      'table' | 'sessionsValidAfter'
    >);

export interface LegacyConfiguration {
  readonly sources: readonly LegacySourceConfiguration[];
  /** Unix seconds, see `legacyStartedAfter` in the authorizer's options. */
  readonly startedAfter?: number;
}

export interface ConfiguredLegacy {
  readonly sources: readonly LegacySource[];
  readonly startedAfter: number | undefined;
}

/**
 * @param endpoint DynamoDB's, absent: the region's own
 * @param onFault receives what is wrong with a source, which is then left out. Default: it is thrown
 * @throws ConfigurationError naming variable or option
 */
export function legacyFrom(
  variables: EnvironmentVariables,
  endpoint: string | undefined,
  onFault?: (failure: unknown) => void,
): ConfiguredLegacy {
  const { sources, startedAfter } = jsonVariable(variables, ENVIRONMENT.legacy) as LegacyConfiguration;
  if (!Array.isArray(sources) || sources.length === 0)
    throw new ConfigurationError(`${ENVIRONMENT.legacy} must hold at least one source, as the constructs write it`);
  const configured = sources.flatMap((configuration) => {
    try {
      return [sourceOf(configuration, endpoint)];
    } catch (failure) {
      if (onFault === undefined) throw failure;
      onFault(failure);
      return [];
    }
  });
  requireDistinctSourceNames(configured.filter(movesIn).map(({ name }) => name));
  return { startedAfter, sources: configured };
}

/**
 * The same, but where older systems are switched off what is wrong with them is said in the log and fails nothing.
 * @throws ConfigurationError naming variable or option, in the other modes
 */
export function legacyUnlessOff(variables: EnvironmentVariables, endpoint: string | undefined): ConfiguredLegacy {
  try {
    return legacyFrom(variables, endpoint);
  } catch (failure) {
    if (legacyModeFrom(variables) !== 'off' || !(failure instanceof ConfigurationError)) throw failure;
    console.error(`${failure.name}: ${failure.message}`);
    return { sources: [], startedAfter: undefined };
  }
}

/** Absent is `on`. @throws ConfigurationError naming the variable */
export function legacyModeFrom(variables: EnvironmentVariables): LegacyMode {
  const mode = variables[ENVIRONMENT.legacyMode] ?? 'on';
  requireLegacyMode(`the environment variable ${ENVIRONMENT.legacyMode}`, mode);
  return mode;
}

/** Absent is all of them. @throws ConfigurationError naming the variable */
export function legacySharePercentFrom(variables: EnvironmentVariables): number {
  const text = variables[ENVIRONMENT.legacySharePercent] ?? '100';
  const percent = text.trim() === '' ? Number.NaN : Number(text);
  requireSharePercent(`the environment variable ${ENVIRONMENT.legacySharePercent}`, percent);
  return percent;
}

/** Of sessions that are admitted by their cookies alone nothing is remembered, so that they cannot move in. */
export function movesIn({ isStateless }: LegacySource): boolean {
  return isStateless !== true;
}

const COOKIE = ['sourceName', 'cookieName', 'cookiePath', 'cookieDomain', 'acceptUntil'] as const;
const LOGIN_PATHS = ['userPath', 'createdAtPath', 'csrfTokenPath'] as const;

/** Sources and stores refuse options that they do not know, so that each is given its own. */
function sourceOf(configuration: LegacySourceConfiguration, endpoint: string | undefined): LegacySource {
  switch (configuration.kind) {
    case 'expressSession': {
      const table = pick(configuration, ['tableName', 'package', 'hashKey', 'prefix']);
      return createExpressSessionSource({
        ...pick(configuration, [...COOKIE, ...LOGIN_PATHS]),
        store: createDynamoDbExpressStore({ ...table, endpoint }),
        secrets: secretsOf(configuration),
      });
    }
    case 'cookieSession':
      return createCookieSessionSource({
        ...pick(configuration, [...COOKIE, ...LOGIN_PATHS, 'algorithm', 'loginIdPath']),
        keys: secretsOf(configuration),
      });
    case 'signedSession':
      return createSignedSessionSource({
        ...pick(configuration, ['sourceName', 'cookieName', 'epoch', 'isStateless']),
        keys: secretsOf(configuration),
      });
    case 'php': {
      const { tableName, attributeNames } = configuration;
      return createPhpSessionSource({
        ...pick(configuration, [...COOKIE, ...LOGIN_PATHS, 'expiresAtPath', 'sessionName', 'format', 'attributeNames']),
        table: createPhpTable({ tableName, hashKey: attributeNames?.hashKey, endpoint }),
      });
    }
    default:
      throw new ConfigurationError(
        `${ENVIRONMENT.legacy} must hold sources of the kinds expressSession, cookieSession, signedSession and php`,
      );
  }
}

function secretsOf({ secretId, parameterName, secrets }: SecretsConfiguration): Secrets {
  return secrets ?? createSecrets({ secretId, parameterName });
}

/** Without those that are not given: absence means the default. */
function pick<T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.flatMap((name) => (name in from ? [[name, from[name]]] : []))) as Pick<T, Name>;
}
