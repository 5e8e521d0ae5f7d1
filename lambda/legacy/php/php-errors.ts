// SPDX-License-Identifier: Apache-2.0
/** Errors of the PHP session store, beside those of the session library. Messages never hold an id or a key. */
import { SessionError } from '../../session/errors';
import type { PhpDataRefusal } from './unserialize-php';

/** No session has this id, or what has it was never a session. A session is not made from an id that a client sent. */
export class PhpSessionNotFoundError extends SessionError {
  override readonly name = 'PhpSessionNotFoundError';
  readonly code = 'ERR_SESSION_NOT_FOUND';
  constructor() {
    super('no session has this id; start() gives a new one where there is none');
  }
}

/** The session is there, but holds what cannot be read without loss. It was left as it is. */
export class PhpSessionUnreadableError extends SessionError {
  override readonly name = 'PhpSessionUnreadableError';
  readonly code = 'ERR_SESSION_UNREADABLE';
  constructor(readonly reason: PhpDataRefusal | 'notText') {
    super(`the data of the session cannot be read (${reason}); check format, and that PHP stores no objects in it`);
  }
}
