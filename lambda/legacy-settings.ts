// SPDX-License-Identifier: Apache-2.0
/**
 * What may be said of older systems, and the one piece of code that checks it. Pure: constructs call it at synthesis, the
 * sources when a function starts.
 */
import { ConfigurationError } from './settings';

/**
 * `on` admits sessions and moves them in. `dryRun` reads and reports what would happen; it admits none, moves none in, and
 * fails no request because of an older system. `off` does not look at old cookies at all. In all three a logout settles the
 * old cookie that came with it.
 */
export type LegacyMode = 'on' | 'dryRun' | 'off';

/** Kinds of older systems, and the names that their sources and cookies have unless they are given others. */
export const LEGACY_NAMES = {
  expressSession: { sourceName: 'express-session', cookieName: 'connect.sid' },
  cookieSession: { sourceName: 'cookie-session', cookieName: 'session' },
  signedSession: { sourceName: 'signed-session', cookieName: '__Host-signed' },
  php: { sourceName: 'php', cookieName: 'PHPSESSID' },
} as const;

export type LegacyKind = keyof typeof LEGACY_NAMES;

/** Metrics of what becomes of older sessions, by what is reported (`MigrationReport`); dashboards look for the same names. */
export const LEGACY_METRIC_NAMES = {
  movedIn: 'LegacyMovedIn',
  handedOutAgain: 'LegacyHandedOutAgain',
  admitted: 'LegacyAdmitted',
  servedLate: 'LegacyServedLate',
  confirmed: 'LegacyConfirmed',
  wouldMoveIn: 'LegacyWouldMoveIn',
  ageUnknown: 'LegacyAgeUnknown',
  fault: 'LegacyFault',
  refused: 'LegacyRefused',
  confirmationFault: 'LegacyConfirmationFault',
} as const;

/** Where each package for express-session puts a session: name of the partition key, and what its value begins with. */
export const EXPRESS_STORE_LAYOUTS = {
  'connect-dynamodb': { hashKey: 'id', prefix: 'sess:' },
  'dynamodb-store': { hashKey: 'sessionId', prefix: 'sess:' },
  '@pwrdrvr/dynamodb-session-store': { hashKey: 'id', prefix: 'session#' },
} as const;

/** RFC 6265bis, section 4.1.1: cookie-name = token; path-value = any character but control characters and `;`. */
const COOKIE_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
const PATH = /^\/[\x20-\x3a\x3c-\x7e]{0,255}$/;
const DOMAIN = /^[A-Za-z0-9.-]{1,253}$/;
const SOURCE_NAME = /^[a-z0-9-]{1,64}$/;

/** @throws ConfigurationError naming the variable or option */
export function requireLegacyMode(name: string, value: unknown): asserts value is LegacyMode {
  // Given and undefined is a variable that was forgotten, and must not be a migration that nobody began.
  const hint = value === undefined ? ', and it is not set' : '';
  requireThat(value === 'on' || value === 'dryRun' || value === 'off', name, `be on, dryRun or off${hint}`);
}

/**
 * Not 0, which is what becomes of a variable that was not set.
 * @throws ConfigurationError naming the variable or option
 */
export function requireSharePercent(name: string, value: unknown): asserts value is number {
  requireThat(
    typeof value === 'number' && value > 0 && value <= 100,
    name,
    'be a number above 0 and up to 100; for none at all choose the mode dryRun',
  );
}

/** @throws ConfigurationError naming the option */
export function requireCookieName(name: unknown, longest = 128): void {
  requireThat(
    matches(name, COOKIE_NAME) && name.length <= longest,
    'cookieName',
    `be 1 to ${longest} characters that RFC 6265 allows in a cookie name`,
  );
}

/** @throws ConfigurationError naming the option */
export function requireSourceName(name: unknown): void {
  requireThat(matches(name, SOURCE_NAME), 'sourceName', 'be 1 to 64 characters of a-z, 0-9 and hyphen');
}

/**
 * What moved in is remembered under the name of its source.
 * @throws ConfigurationError naming the option
 */
export function requireDistinctSourceNames(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  requireThat(
    twice === undefined,
    'sourceName',
    `differ from source to source, and two are called ${twice}; give each of them its own, and keep it`,
  );
}

/** @throws ConfigurationError naming the option */
export function requireCookieScope(path: unknown, domain: unknown): void {
  requireThat(matches(path, PATH), 'cookiePath', 'be the path that the old cookie was set with, such as /');
  requireThat(
    domain === undefined || matches(domain, DOMAIN),
    'cookieDomain',
    'be the domain that the old cookie was set with, such as example.com',
  );
}

/** In 2001; what is earlier is a variable that was not set, or was made of seconds where milliseconds are wanted. */
export const FIRST_SECOND = 1e9;

/** In the year 5138; as a time of today it counts milliseconds. */
export const LAST_SECOND = 1e11;

/**
 * A time of today's, not the 0 of a variable that was not set.
 * @throws ConfigurationError naming the option
 */
export function requireTime(option: string, seconds: unknown): void {
  requireThat(
    Number.isSafeInteger(seconds) && (seconds as number) >= FIRST_SECOND && (seconds as number) < LAST_SECOND,
    option,
    'be a time in whole Unix seconds, after 2001, such as Date.UTC(2027, 2, 1) / 1000 and no Date',
  );
}

/**
 * A path with an empty part leads nowhere: nobody would have a session.
 * @throws ConfigurationError naming the option
 */
export function requireDataPath(option: string, path: unknown): void {
  const names = typeof path === 'string' ? path.split('.') : path;
  requireThat(
    Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string' && name !== ''),
    option,
    'say where the data holds it: names joined by single dots, such as passport.user',
  );
}

/**
 * The PHP application's `session.name`. Several applications share a table by these names. Ids hold no underscore, so a key
 * belongs to one name only, except for names that begin with one: the handler cuts it off.
 * @throws ConfigurationError naming the option
 */
export function requirePhpSessionName(option: string, name: unknown): asserts name is string {
  // What PHP takes (session_name() wants a letter) and a cookie too (RFC 6265, section 4.1.1).
  requireThat(
    matches(name, COOKIE_NAME) && name.length <= 64 && !/^[0-9]+$/.test(name),
    option,
    'be 1 to 64 characters that RFC 6265 allows in a cookie name, and not digits only',
  );
  requireThat(
    !name.startsWith('_'),
    option,
    'not begin with _: the handler cuts it off its keys, which then are those of an application whose name lacks it; give sessionName without it',
  );
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function requireThat(condition: boolean, option: string, rule: string): asserts condition {
  if (!condition) throw new ConfigurationError(`${option} must ${rule}`);
}
