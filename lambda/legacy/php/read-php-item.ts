// SPDX-License-Identifier: Apache-2.0
/** Decides whether an item of the PHP handler is a live session of a user. Total: any value gives a session or a reason. */
import { hasAttribute, isPlainRecord, readString, readWholeNumber } from '../../session/attribute';
import type { LegacySession } from '../../session/legacy-source';
import { isUserId } from '../../session/validate-session-item';
import { MAX_LIFETIME_SECONDS } from '../../settings';
import { jsonFromPhp } from './json-data';
import { parsePhpSession } from './parse-php-session';
import type { PhpRecord, PhpSessionFormat, PhpValue } from './php-value';
import type { PhpDataRefusal } from './unserialize-php';

/** Names of the attributes, as the handler's own options call them. */
export interface PhpAttributeNames {
  /** Default `id`. */
  readonly hashKey: string;
  /** Default `data`. */
  readonly dataAttribute: string;
  /** Default `expires`. */
  readonly sessionLifetimeAttribute: string;
}

export const DEFAULT_PHP_ATTRIBUTE_NAMES: PhpAttributeNames = {
  hashKey: 'id',
  dataAttribute: 'data',
  sessionLifetimeAttribute: 'expires',
};

/** Where something stands in the data: names joined by dots, or a list of names where one holds a dot itself. */
export type DataPath = string | readonly string[];

export interface ReadPhpItemOptions {
  /** Unix seconds. */
  readonly now: number;
  /** The user's id, text or a positive whole number: `user_id`, `Auth.User.id`. */
  readonly userPath: DataPath;
  /** Default `php`. */
  readonly format?: PhpSessionFormat | undefined;
  readonly attributeNames?: Partial<PhpAttributeNames> | undefined;
  /** The key that was asked for; the item must carry it. Default: not compared. */
  readonly key?: string | undefined;
  /** When the login began, in Unix seconds, if the application keeps it. Default: unknown, 0. */
  readonly createdAtPath?: DataPath | undefined;
  /** An end that the application keeps itself, such as CakePHP 2's `Config.time`; the earlier of both counts. Default none. */
  readonly expiresAtPath?: DataPath | undefined;
  /** The token that pages already open will send. Default none. */
  readonly csrfTokenPath?: DataPath | undefined;
}

export type PhpItemRefusal = 'absent' | 'wrongKey' | 'malformed' | 'expired' | 'anonymous' | PhpDataRefusal;

/** How far ahead PHP's clock may have been. */
const CLOCK_SKEW_SECONDS = 60;

export function readPhpItem(
  item: unknown,
  options: ReadPhpItemOptions,
): { readonly session: LegacySession } | { readonly refused: PhpItemRefusal } {
  const { now, userPath, format, key } = options;
  const names = { ...DEFAULT_PHP_ATTRIBUTE_NAMES, ...options.attributeNames };
  if (item === undefined) return { refused: 'absent' };
  if (!isPlainRecord(item)) return { refused: 'malformed' };
  // Another item than the one asked for: a cache or proxy mixed up two users.
  if (key !== undefined && readString(item, names.hashKey) !== key) return { refused: 'wrongKey' };

  const storedEnd = readWholeNumber(item, names.sessionLifetimeAttribute);
  // What the handler leaves behind for an id it does not know: a lock without an end. No session.
  if (typeof storedEnd !== 'number') return { refused: 'malformed' };
  // TTL deletes late; this line is the real end.
  if (storedEnd <= now) return { refused: 'expired' };
  // Milliseconds, or tampering.
  if (storedEnd - now > MAX_LIFETIME_SECONDS) return { refused: 'malformed' };

  const text = hasAttribute(item, names.dataAttribute) ? readString(item, names.dataAttribute) : '';
  if (typeof text !== 'string') return { refused: 'malformed' };
  const parsed = parsePhpSession(text, format);
  if ('refused' in parsed) return parsed;

  const user = userIn(parsed.data, userPath);
  if (user === undefined) return { refused: 'anonymous' };
  const createdAt = timeIn(parsed.data, options.createdAtPath, 0);
  const ownEnd = timeIn(parsed.data, options.expiresAtPath, storedEnd);
  // A time that should be looked at and cannot be read refuses; so does a login beyond any clock skew in the future.
  if (createdAt === undefined || ownEnd === undefined || createdAt > now + CLOCK_SKEW_SECONDS)
    return { refused: 'malformed' };
  const expiresAt = Math.min(storedEnd, ownEnd);
  if (expiresAt <= now) return { refused: 'expired' };
  const csrfToken = options.csrfTokenPath === undefined ? undefined : valueAt(parsed.data, options.csrfTokenPath);
  return {
    session: {
      user,
      createdAt: Math.min(createdAt, now),
      expiresAt,
      data: jsonFromPhp(parsed.data),
      ...(typeof csrfToken === 'string' && csrfToken !== '' ? { csrfToken } : {}),
    },
  };
}

/** What PHP takes for false (an absent, empty or zero id) is how applications write "nobody". */
function userIn(data: PhpRecord, path: DataPath): string | undefined {
  const value = valueAt(data, path);
  if (typeof value === 'string') return value !== '0' && isUserId(value) ? value : undefined;
  const isPositive = typeof value === 'bigint' ? value > 0n : Number.isSafeInteger(value) && (value as number) > 0;
  return isPositive ? String(value) : undefined;
}

/** The fallback where no path is given, or where the data lacks what it names; `undefined` for what is not a time. */
function timeIn(data: PhpRecord, path: DataPath | undefined, fallback: number): number | undefined {
  const value = path === undefined ? undefined : valueAt(data, path);
  if (value === undefined) return fallback;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function valueAt(data: PhpRecord, path: DataPath): PhpValue | undefined {
  let value: PhpValue | undefined = data;
  for (const name of typeof path === 'string' ? path.split('.') : path) {
    if (typeof value !== 'object' || value === null || !Object.prototype.propertyIsEnumerable.call(value, name))
      return undefined;
    value = (value as PhpRecord)[name];
  }
  return value;
}
