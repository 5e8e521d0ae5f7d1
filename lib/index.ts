// SPDX-License-Identifier: Apache-2.0
/** The constructs: the public face of the package for infrastructure. */
export { ExpiredSessionsCleaner, type ExpiredSessionsCleanerProps } from './expired-sessions-cleaner';
export { HttpSessionAuthorizer, type HttpSessionAuthorizerProps } from './http-session-authorizer';
export { LegacySessions } from './legacy-sessions';
export {
  type CookieSessionsProps,
  CookieSignatureAlgorithm,
  type ExpressSessionsProps,
  ExpressStorePackage,
  type LegacyKeysProps,
  LegacyMode,
  type LegacySessionsProps,
  PhpSessionFormat,
  type PhpSessionsProps,
  type SignedSessionsProps,
} from './legacy-sessions-props';
export { RestSessionAuthorizer, type RestSessionAuthorizerProps } from './rest-session-authorizer';
export { SessionApi, type SessionApiProps } from './session-api';
export type { SessionApiOptions } from './session-api-options';
export {
  type ForeignApi,
  type ISessionAuthorizerFunction,
  SessionAuthorizerFunction,
  type SessionAuthorizerFunctionProps,
} from './session-authorizer-function';
export { type SessionAlarmOptions, SessionMonitoring, type SessionMonitoringProps } from './session-monitoring';
export type { SessionSettingsProps } from './session-settings-props';
export { SessionStack, type SessionStackProps } from './session-stack';
export { type ISessionTable, SessionTable, type SessionTableAttributes, type SessionTableProps } from './session-table';
export { SessionTableGrants } from './session-table-grants';
export { WebSocketSessionAuthorizer, type WebSocketSessionAuthorizerProps } from './web-socket-session-authorizer';
