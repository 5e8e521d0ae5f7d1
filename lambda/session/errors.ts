// SPDX-License-Identifier: Apache-2.0
/** Errors of the session library. Messages never hold a token, a cookie or a hash. */

export { ConfigurationError } from '../settings';

/** What went wrong, stable across releases. */
export type SessionErrorCode =
  | 'ERR_SESSION_STORE'
  | 'ERR_SESSION_STORE_THROTTLED'
  | 'ERR_SESSION_STORE_TIMEOUT'
  | 'ERR_SESSION_STORE_ACCESS_DENIED'
  | 'ERR_SESSION_STORE_NOT_FOUND'
  | 'ERR_SESSION_CONFLICT'
  | 'ERR_SESSION_AUTHENTICATION_SUPERSEDED'
  | 'ERR_SESSION_USER_DISABLED'
  | 'ERR_SESSION_REAUTHENTICATION_REQUIRED'
  | 'ERR_SESSION_CSRF'
  | 'ERR_SESSION_LOCKED'
  | 'ERR_SESSION_NOT_FOUND'
  | 'ERR_SESSION_UNREADABLE'
  | 'ERR_SESSION_INVALID_INPUT';

/** Base of every error below; `code` tells them apart. */
export abstract class SessionError extends Error {
  abstract readonly code: SessionErrorCode;
}

export type StoreErrorCode = Extract<SessionErrorCode, `ERR_SESSION_STORE${string}`>;

/**
 * The store failed: throttled, unreachable, refused or absent. Never a reason to treat a session as ended.
 * A write that failed so may have been done all the same: only the answer is known to be missing.
 */
export class SessionStoreError extends SessionError {
  override readonly name = 'SessionStoreError';
  readonly code: StoreErrorCode;
  readonly isRetryable: boolean;

  constructor(message: string, options: { code?: StoreErrorCode; isRetryable?: boolean; cause?: unknown } = {}) {
    super(message, options);
    this.code = options.code ?? 'ERR_SESSION_STORE';
    this.isRetryable = options.isRetryable ?? false;
  }
}

/**
 * A save found a newer version. `outcome` is `unknown` when an answer was lost, so that the data may have been
 * written before the session changed again; read the session again and decide.
 */
export class SessionConflictError extends SessionError {
  override readonly name = 'SessionConflictError';
  readonly code = 'ERR_SESSION_CONFLICT';
  constructor(readonly outcome: 'notWritten' | 'unknown') {
    super(
      outcome === 'unknown'
        ? 'the session changed or ended while the data was being saved; whether the data was written is unknown'
        : 'the session changed or ended since it was read; the data was not written',
    );
  }
}

/** Another request held the session's lock for longer than this one was willing to wait; nothing was read or written. */
export class SessionLockedError extends SessionError {
  override readonly name = 'SessionLockedError';
  readonly code = 'ERR_SESSION_LOCKED';
  constructor(readonly waitedSeconds: number) {
    super(`the session is still locked by another request after ${waitedSeconds} seconds`);
  }
}

/** A login lost to a log-out-everywhere or a disable that came after its credentials were checked. */
export class AuthenticationSupersededError extends SessionError {
  override readonly name = 'AuthenticationSupersededError';
  readonly code = 'ERR_SESSION_AUTHENTICATION_SUPERSEDED';
  constructor() {
    super('every session of this user was ended while the login was under way; check the credentials again');
  }
}

/** The user is disabled; no session is created. */
export class UserDisabledError extends SessionError {
  override readonly name = 'UserDisabledError';
  readonly code = 'ERR_SESSION_USER_DISABLED';
  constructor() {
    super('the user is disabled');
  }
}

/** Step-up: the credentials were last checked too long ago. */
export class ReauthenticationRequiredError extends SessionError {
  override readonly name = 'ReauthenticationRequiredError';
  readonly code = 'ERR_SESSION_REAUTHENTICATION_REQUIRED';
  constructor(readonly withinSeconds: number) {
    super(`credentials must have been checked within the last ${withinSeconds} seconds`);
  }
}

/** The caller passed something that cannot be stored or understood; the message names the option. */
export class InvalidInputError extends SessionError {
  override readonly name = 'InvalidInputError';
  readonly code = 'ERR_SESSION_INVALID_INPUT';
}
