// SPDX-License-Identifier: Apache-2.0
/** `sessiongate/legacy`: reading the sessions of older systems. */

export type { LegacyMode } from '../legacy-settings';
export type { DynamoDbConnectionOptions } from '../session/dynamodb-connection';
export { type CreateSecretsOptions, createSecrets } from './create-secrets';
export {
  createDynamoDbExpressStore,
  type DynamoDbExpressStoreOptions,
  type ExpressStorePackage,
} from './express-session/dynamodb-express-store';
export { createExpressSessionSource, type ExpressSessionSourceOptions } from './express-session/express-session-source';
export type { ExpressSessionStore, StoredExpressSession } from './express-session/express-session-store';
export { unsignExpressCookie } from './express-session/unsign-express-cookie';
export type { LegacyCookieOptions } from './legacy-cookie';
export { type LegacyFromEnvironment, legacyFromEnvironment } from './legacy-from-environment';
export { parsePhpSession } from './php/parse-php-session';
export { PhpSessionNotFoundError, PhpSessionUnreadableError } from './php/php-errors';
export type { PhpSession } from './php/php-session';
export { isPhpSessionId } from './php/php-session-id';
export { createPhpSessionSource, type PhpSessionSourceOptions } from './php/php-session-source';
export { createPhpSessionStore, type PhpSessionStore } from './php/php-session-store';
export type { PhpSessionStoreOptions } from './php/php-store-options';
export { createPhpTable, type PhpItemReader, type PhpTable, type PhpTableOptions } from './php/php-table';
export type { PhpRecord, PhpSessionFormat, PhpValue } from './php/php-value';
export {
  type DataPath,
  type PhpAttributeNames,
  type PhpItemRefusal,
  type ReadPhpItemOptions,
  readPhpItem,
} from './php/read-php-item';
export { serializePhpSession } from './php/serialize-php-session';
export type { PhpDataRefusal } from './php/unserialize-php';
export type { LoadedSecrets, Secrets } from './secrets';
export type { SessionDataPaths } from './session-data';
export { type CookieSessionSourceOptions, createCookieSessionSource } from './signed-cookie/cookie-session-source';
export type { SignatureAlgorithm } from './signed-cookie/cookie-signature';
export {
  createSignedSessionSource,
  type SignedSessionSourceOptions,
} from './signed-cookie/signed-session-source';
export {
  createSignedSessions,
  type SignedSession,
  type SignedSessions,
  type SignedSessionsOptions,
} from './signed-cookie/signed-sessions';
export {
  type SignedCookieInput,
  type SignedCookieSession,
  verifySignedCookie,
} from './signed-cookie/verify-signed-cookie';
