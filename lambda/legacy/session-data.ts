// SPDX-License-Identifier: Apache-2.0
/** Finds user, times and tokens in the session data of a JavaScript application. Total: odd data gives a reason. */
import type { OptionNames } from '../known-options';
import { requireDataPath } from '../legacy-settings';
import { isPlainRecord } from '../session/attribute';
import type { LegacyRefusal } from '../session/legacy-source';
import { isUserId } from '../session/validate-session-item';
import type { DataPath } from './php/read-php-item';

/** Where in its sessions an application keeps what matters here. */
export interface SessionDataPaths {
  /** The user's id, text or a positive whole number. Default `passport.user`. */
  readonly userPath?: DataPath | undefined;
  /**
   * When the login began: ISO 8601 text, or seconds or milliseconds since 1970. Default: unknown, which any "sessions valid
   * after" line ends.
   */
  readonly createdAtPath?: DataPath | undefined;
  /** The anti-CSRF token that pages already open will send. Default none. */
  readonly csrfTokenPath?: DataPath | undefined;
}

export const SESSION_DATA_PATHS: OptionNames<SessionDataPaths> = {
  userPath: true,
  createdAtPath: true,
  csrfTokenPath: true,
};

/** @throws ConfigurationError naming the option: a path that leads nowhere would make everybody anonymous */
export function requireDataPaths(options: object, names: Readonly<Record<string, true>>): void {
  for (const [option, path] of Object.entries(options))
    if (Object.hasOwn(names, option) && path !== undefined) requireDataPath(option, path);
}

const DEFAULT_USER_PATH = 'passport.user';

/** What the data says of the login. */
export interface Login {
  readonly user: string;
  readonly createdAt: number;
  readonly csrfToken?: string;
}

/** `malformed`: a user's id that is none, or a beginning that is no time or lies ahead. */
export function readLogin(data: unknown, paths: SessionDataPaths, now: number): Login | LegacyRefusal {
  const stored = valueAt(data, paths.userPath ?? DEFAULT_USER_PATH);
  if (stored === undefined || stored === null) return { refused: 'anonymous' };
  const user = userIn(stored);
  if (user === undefined) return { refused: 'malformed' };
  const beginning = paths.createdAtPath === undefined ? undefined : valueAt(data, paths.createdAtPath);
  // 0 is how an unknown beginning is written; one that is there and cannot be read is not unknown.
  const createdAt = beginning === undefined ? 0 : secondsFrom(beginning);
  if (createdAt === undefined || createdAt > now + CLOCK_SKEW_SECONDS) return { refused: 'malformed' };
  const csrfToken = paths.csrfTokenPath === undefined ? undefined : valueAt(data, paths.csrfTokenPath);
  return {
    user,
    createdAt: Math.min(createdAt, now),
    ...(typeof csrfToken === 'string' && csrfToken !== '' ? { csrfToken } : {}),
  };
}

/** The user's id; `undefined` where there is none that can be used. */
export function userAt(data: unknown, { userPath = DEFAULT_USER_PATH }: SessionDataPaths): string | undefined {
  return userIn(valueAt(data, userPath));
}

/** How far ahead the clock of the old system may have been. */
const CLOCK_SKEW_SECONDS = 60;

/** From here on a number counts milliseconds; as seconds it would be the year 5138. */
const FIRST_MILLIS = 1e11;

/** ISO 8601 as `Date.prototype.toISOString` and JSON write it. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** Whole seconds, rounded down; `undefined` for what is no time. */
export function secondsFrom(value: unknown): number | undefined {
  if (value instanceof Date) return secondsFrom(value.getTime());
  if (typeof value === 'string') return ISO_TIME.test(value) ? secondsFrom(Date.parse(value)) : undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined;
  return Math.floor(value >= FIRST_MILLIS ? value / 1000 : value);
}

/** The value that is reached by own properties only. */
export function valueAt(data: unknown, path: DataPath): unknown {
  let value = data;
  for (const name of typeof path === 'string' ? path.split('.') : path) {
    if (!isPlainRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Numbers are how databases name their users; anything else that is no text is not an id. */
function userIn(value: unknown): string | undefined {
  if (Number.isSafeInteger(value) && (value as number) > 0) return String(value);
  return isUserId(value) ? value : undefined;
}
