// SPDX-License-Identifier: Apache-2.0
/** Which older systems a deployed function asks, as the constructs tell it through the environment. */
import { ENVIRONMENT } from '../environment';
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
  | ({ readonly kind: 'php'; readonly tableName: string } & Omit<PhpSessionSourceOptions, 'table'>);

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
 * @throws ConfigurationError naming variable or option
 */
export function legacyFrom(variables: EnvironmentVariables, endpoint: string | undefined): ConfiguredLegacy {
  const { sources, startedAfter } = jsonVariable(variables, ENVIRONMENT.legacy) as LegacyConfiguration;
  if (!Array.isArray(sources) || sources.length === 0)
    throw new ConfigurationError(`${ENVIRONMENT.legacy} must hold at least one source, as the constructs write it`);
  return { startedAfter, sources: sources.map((configuration) => sourceOf(configuration, endpoint)) };
}

function sourceOf(configuration: LegacySourceConfiguration, endpoint: string | undefined): LegacySource {
  switch (configuration.kind) {
    case 'expressSession': {
      const store = createDynamoDbExpressStore({ ...configuration, endpoint });
      return createExpressSessionSource({ ...configuration, store, secrets: secretsOf(configuration) });
    }
    case 'cookieSession':
      return createCookieSessionSource({ ...configuration, keys: secretsOf(configuration) });
    case 'signedSession':
      return createSignedSessionSource({ ...configuration, keys: secretsOf(configuration) });
    case 'php': {
      const { tableName, attributeNames } = configuration;
      const table = createPhpTable({ tableName, hashKey: attributeNames?.hashKey, endpoint });
      return createPhpSessionSource({ ...configuration, table });
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
