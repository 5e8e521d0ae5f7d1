// SPDX-License-Identifier: Apache-2.0
/** `sessiongate/session`: the session library. */
export type { AttributeNames, CsrfProfile, SessionSettings, SessionSettingsInput } from '../settings';
export { type AuthorizerIdentity, readAuthorizerContext } from './authorizer-context';
export type { Claims, ClaimValue } from './claims';
export { type CookieRefusal, readSessionCookie } from './cookie-reader';
export { clearSessionCookie, type SessionCookieOptions, serializeSessionCookie } from './cookie-writer';
export { type CreateSessionsOptions, createSessions } from './create-sessions';
export type { DynamoDbConnectionOptions } from './dynamodb-connection';
export { DynamoDbSessionStore, type DynamoDbSessionStoreOptions } from './dynamodb-session-store';
export * from './errors';
export type { CookieValues, LegacySession, LegacySource } from './legacy-source';
export type { Authentication, CreateInput } from './lifecycle/create-session';
export { type DeleteExpiredResult, deleteExpired } from './lifecycle/delete-expired';
export type {
  DeleteExpiredOptions,
  DeleteExpiredProgress,
  PhpExpiredItems,
} from './lifecycle/delete-expired-options';
export type { ListedDevice } from './lifecycle/list-sessions';
export type { PreparedToken } from './lifecycle/prepared-token';
export type { RevokeAllResult } from './lifecycle/revoke-all';
export type { RotateOptions } from './lifecycle/rotate-session';
export type { Session } from './lifecycle/session';
export type { Device } from './lifecycle/session-item';
export type { RenewOutcome } from './lifecycle/slide-session';
export type { LockOptions } from './lifecycle/with-lock';
export { MemorySessionStore } from './memory-session-store';
export type { LegacyArrival } from './migration/legacy-arrival';
export type { LegacyOptions, MovedSession } from './migration/legacy-options';
export type { LegacyMigration } from './migration/migration';
export type { MigrationReport, MoveRefusal } from './migration/migration-report';
export {
  checkRequestOrigin,
  type OriginDecision,
  type OriginPolicy,
  type OriginRefusal,
  type OriginRequest,
} from './origin';
export { type ProxyResponse, withCookies } from './proxy-response';
export { safeRedirectPath } from './redirect';
export type { IssuedCookie, Sessions } from './sessions';
export type { AttributeValue, Change, Condition, Item, ItemKey, QueryPage, SessionStore, UpdateOutcome } from './store';
export { generateSessionToken, hashSessionToken, parseSessionToken, type RandomBytes } from './token';
export {
  type ItemRefusal,
  isUserId,
  type ValidateSessionItemOptions,
  type ValidSession,
  validateSessionItem,
} from './validate-session-item';
export { type RequestSession, type SessionHandler, type WithSessionOptions, withSession } from './with-session';
