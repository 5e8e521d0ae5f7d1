// SPDX-License-Identifier: Apache-2.0
/** Ids of PHP sessions: their grammar, the cookie that carries them, and the key under which the handler keeps a session. */
import { ConfigurationError } from '../../settings';

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

/**
 * Several applications share a table by their session names. Ids hold no underscore, so a key belongs to one name only,
 * except for names that begin with one: the handler cuts it off.
 * @throws ConfigurationError naming the option
 */
export function requireSessionName(option: string, name: unknown): asserts name is string {
  // What PHP takes (session_name() wants a letter) and a cookie too (RFC 6265, section 4.1.1).
  if (typeof name !== 'string' || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/.test(name) || /^[0-9]+$/.test(name))
    throw new ConfigurationError(
      `${option} must be 1 to 64 characters that RFC 6265 allows in a cookie name, and not digits only`,
    );
  if (name.startsWith('_'))
    throw new ConfigurationError(
      `${option} must not begin with _: the handler cuts it off its keys, which then are those of an application whose name lacks it; give sessionName without it`,
    );
}
