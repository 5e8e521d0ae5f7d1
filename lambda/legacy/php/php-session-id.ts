// SPDX-License-Identifier: Apache-2.0
/** Ids of PHP sessions: their grammar, the cookie that carries them, and the key under which the handler keeps a session. */
export { requirePhpSessionName as requireSessionName } from '../../legacy-settings';

/** php.ini, session.sid_length and session.sid_bits_per_character: 22 to 256 characters. */
const SESSION_ID = /^[0-9a-zA-Z,-]{22,256}$/;

/** Whether PHP could have made this id. It proves nothing else: without strict mode PHP takes any id from a client. */
export function isPhpSessionId(value: unknown): value is string {
  return typeof value === 'string' && SESSION_ID.test(value);
}

/** The id in a cookie's value. PHP writes the comma as `%2C`; nothing else in an id is ever escaped. */
export function phpSessionIdFromCookie(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const id = value.replace(/%2c/gi, ',');
  return isPhpSessionId(id) ? id : undefined;
}

/** The handler's rule: `trim("<name>_<id>", "_")`. */
export function phpSessionKey(sessionName: string, id: string): string {
  return `${sessionName}_${id}`.replace(/^_+|_+$/g, '');
}
