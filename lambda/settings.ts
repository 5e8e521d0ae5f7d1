// SPDX-License-Identifier: Apache-2.0
/**
 * The settings that constructs, authorizer and library share, and the one piece of code that validates them.
 * Pure: constructs call it at synthesis, functions when they start.
 */

/** Which attributes hold the key and the expiry; other than the default where sessions live in a table of your own. */
export interface AttributeNames {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Effective end of the session in Unix seconds. A table has one TTL attribute, so a shared table dictates it. */
  readonly expiresAt: string;
}

/** `compatible` lets clients without `Origin` and `Sec-Fetch-Site` through, `strict` does not, `off` checks nothing. */
export type CsrfProfile = 'compatible' | 'strict' | 'off';

/** All settings after defaults were filled in and checked. */
export interface SessionSettings {
  readonly cookieName: string;
  readonly absoluteTimeoutSeconds: number;
  /** Absent: a session ends only at its absolute timeout. */
  readonly idleTimeoutSeconds?: number;
  /** Shortest time between two slides of the idle timeout; absent without an idle timeout. */
  readonly renewalIntervalSeconds?: number;
  /** Part of every session key; a new value ends every session at once. Absent: keys carry none. */
  readonly epoch?: string;
  readonly attributeNames: AttributeNames;
  readonly allowedOrigins: readonly string[];
  readonly csrf: CsrfProfile;
  /** Attribute of the application's own user record that holds its "sessions valid after" line; absent: not read. */
  readonly userRecordAttribute?: string;
  readonly maxSessionsPerUser: number;
  readonly maxItemBytes: number;
  /** Plain-HTTP localhost only: allows a cookie without `Secure` and without the `__Host-` prefix. */
  readonly insecureLocalhost: boolean;
}

/** What a caller may write; everything has a default. */
export interface SessionSettingsInput {
  /** Default `__Host-session`. Without the prefix, a sibling subdomain can plant a cookie of this name. */
  readonly cookieName?: string | undefined;
  /** 1 second to 400 days (RFC 6265bis, section 5.5, caps a cookie there). Default 30 days. */
  readonly absoluteTimeoutSeconds?: number | undefined;
  /** At most the absolute timeout. Default none. */
  readonly idleTimeoutSeconds?: number | undefined;
  /** Default: a tenth of the idle timeout, at least 1 second. 0 slides the timeout on every request: a write for each. */
  readonly renewalIntervalSeconds?: number | undefined;
  /** 1 to 64 characters of `A-Z a-z 0-9 . _ -`. Default none. */
  readonly epoch?: string | undefined;
  /** Default `PK`, `SK`, `expires_at`. */
  readonly attributeNames?: Partial<AttributeNames> | undefined;
  /** Origins of the pages that may call the API, such as `https://app.example.com`. Default none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Default `compatible`. */
  readonly csrf?: CsrfProfile | undefined;
  /** Default none: the second read is off. */
  readonly userRecordAttribute?: string | undefined;
  /** 1 to 1,000. Default 100. */
  readonly maxSessionsPerUser?: number | undefined;
  /** 1,024 to 409,600. Default 4,096: one read unit. */
  readonly maxItemBytes?: number | undefined;
  /** Default false. */
  readonly insecureLocalhost?: boolean | undefined;
}

export const DEFAULT_COOKIE_NAME = '__Host-session';
export const DEFAULT_ATTRIBUTE_NAMES: AttributeNames = { partitionKey: 'PK', sortKey: 'SK', expiresAt: 'expires_at' };
const DAY_SECONDS = 86_400;
/** Longest life that a cookie, and so a session, may have (RFC 6265bis, section 5.5). */
export const MAX_LIFETIME_SECONDS = 400 * DAY_SECONDS;
/**
 * Longer than a write can be in flight, plus clock skew: what slides or replaces a session asks that it lives at least this
 * much longer, so that a write which lands late cannot revive a session that ended meanwhile.
 */
export const IN_FLIGHT_MARGIN_SECONDS = 5;
const DEFAULT_ABSOLUTE_TIMEOUT_SECONDS = 30 * DAY_SECONDS;

/** The caller set something up wrongly; the message names the option and says what to do. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code = 'ERR_SESSION_CONFIGURATION';
}

/**
 * Fills in the defaults and refuses what cannot work.
 * @throws ConfigurationError naming the option
 */
export function resolveSettings(input: SessionSettingsInput = {}): SessionSettings {
  refuseUnknownOptions(input);
  const insecureLocalhost = input.insecureLocalhost ?? false;
  requireThat(typeof insecureLocalhost === 'boolean', 'insecureLocalhost', 'be true or false');
  const cookieName = input.cookieName ?? DEFAULT_COOKIE_NAME;
  validateCookieName(cookieName, insecureLocalhost);

  const absoluteTimeoutSeconds = input.absoluteTimeoutSeconds ?? DEFAULT_ABSOLUTE_TIMEOUT_SECONDS;
  requireWholeNumber('absoluteTimeoutSeconds', absoluteTimeoutSeconds, 1, MAX_LIFETIME_SECONDS, '400 days');

  const { idleTimeoutSeconds } = input;
  if (idleTimeoutSeconds !== undefined)
    requireWholeNumber('idleTimeoutSeconds', idleTimeoutSeconds, 1, absoluteTimeoutSeconds, 'the absolute timeout');
  const renewalIntervalSeconds = resolveRenewalInterval(input);

  const csrf = input.csrf ?? 'compatible';
  requireThat(['compatible', 'strict', 'off'].includes(csrf), 'csrf', 'be compatible, strict or off');
  if (input.epoch !== undefined)
    requireThat(
      matches(input.epoch, /^[A-Za-z0-9._-]{1,64}$/),
      'epoch',
      'be 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen',
    );
  if (input.userRecordAttribute !== undefined)
    requireThat(isAttributeName(input.userRecordAttribute), 'userRecordAttribute', 'be an attribute name');
  const maxSessionsPerUser = input.maxSessionsPerUser ?? 100;
  requireWholeNumber('maxSessionsPerUser', maxSessionsPerUser, 1, 1000, '1,000');
  const maxItemBytes = input.maxItemBytes ?? 4096;
  requireWholeNumber('maxItemBytes', maxItemBytes, 1024, 409_600, "409,600, DynamoDB's own limit");

  return Object.freeze({
    cookieName,
    absoluteTimeoutSeconds,
    ...(idleTimeoutSeconds === undefined ? {} : { idleTimeoutSeconds }),
    ...(renewalIntervalSeconds === undefined ? {} : { renewalIntervalSeconds }),
    ...(input.epoch === undefined ? {} : { epoch: input.epoch }),
    attributeNames: resolveAttributeNames(input.attributeNames),
    allowedOrigins: Object.freeze((input.allowedOrigins ?? []).map((origin) => validateOrigin(origin))),
    csrf,
    ...(input.userRecordAttribute === undefined ? {} : { userRecordAttribute: input.userRecordAttribute }),
    maxSessionsPerUser,
    maxItemBytes,
    insecureLocalhost,
  });
}

/**
 * Checks an origin and returns it as it was given.
 * @throws ConfigurationError for a wildcard, a path, a query or anything a browser would not send as `Origin`
 */
export function validateOrigin(origin: string, option = 'allowedOrigins'): string {
  requireThat(typeof origin === 'string' && !origin.includes('*'), option, 'name each origin in full, no wildcard');
  let serialized: string | undefined;
  try {
    const url = new URL(origin);
    serialized = url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : undefined;
  } catch {
    serialized = undefined;
  }
  requireThat(
    serialized === origin,
    option,
    'hold origins as browsers send them: scheme, lower-case host, port only if not the default, no path (https://app.example.com)',
  );
  return origin;
}

const KNOWN_OPTIONS = new Set([
  'cookieName',
  'absoluteTimeoutSeconds',
  'idleTimeoutSeconds',
  'renewalIntervalSeconds',
  'epoch',
  'attributeNames',
  'allowedOrigins',
  'csrf',
  'userRecordAttribute',
  'maxSessionsPerUser',
  'maxItemBytes',
  'insecureLocalhost',
]);

/** A misspelt option would silently leave its default in force; in security settings that is a fault. */
function refuseUnknownOptions(input: SessionSettingsInput): void {
  for (const option of Object.keys(input))
    if (!KNOWN_OPTIONS.has(option))
      throw new ConfigurationError(
        `${option} is not a session setting; the settings are ${[...KNOWN_OPTIONS].join(', ')}`,
      );
}

/** RFC 6265bis, section 4.1.3: the `__Host-` prefix means Secure, Path=/ and no Domain. */
function validateCookieName(name: unknown, insecureLocalhost: boolean): void {
  requireThat(
    matches(name, /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/),
    'cookieName',
    'be 1 to 64 characters that RFC 6265 allows in a cookie name',
  );
  const prefix = /^__(host|secure)-/i.exec(name as string)?.[0];
  if (prefix === undefined) return;
  requireThat(
    !insecureLocalhost,
    'cookieName',
    'have no __Host- or __Secure- prefix with insecureLocalhost: browsers want Secure with it',
  );
  requireThat(
    (prefix === '__Host-' || prefix === '__Secure-') && (name as string).length > prefix.length,
    'cookieName',
    'spell its prefix __Host- or __Secure- and go on after it',
  );
}

function resolveRenewalInterval(input: SessionSettingsInput): number | undefined {
  if (input.idleTimeoutSeconds === undefined) {
    requireThat(input.renewalIntervalSeconds === undefined, 'renewalIntervalSeconds', 'come with idleTimeoutSeconds');
    return undefined;
  }
  const interval = input.renewalIntervalSeconds ?? Math.max(1, Math.floor(input.idleTimeoutSeconds / 10));
  requireWholeNumber('renewalIntervalSeconds', interval, 0, input.idleTimeoutSeconds, 'the idle timeout');
  requireThat(
    interval + IN_FLIGHT_MARGIN_SECONDS < input.idleTimeoutSeconds,
    'idleTimeoutSeconds',
    `be more than ${IN_FLIGHT_MARGIN_SECONDS} seconds longer than renewalIntervalSeconds (${interval}), or no request could slide it in time`,
  );
  return interval;
}

function resolveAttributeNames(input: Partial<AttributeNames> = {}): AttributeNames {
  const names = { ...DEFAULT_ATTRIBUTE_NAMES, ...input };
  for (const [which, name] of Object.entries(names)) {
    requireThat(which in DEFAULT_ATTRIBUTE_NAMES, `attributeNames.${which}`, 'be partitionKey, sortKey or expiresAt');
    requireThat(isAttributeName(name), `attributeNames.${which}`, 'be 1 to 255 characters');
    requireThat(!RESERVED_ATTRIBUTES.has(name), `attributeNames.${which}`, 'not be the name of a session attribute');
  }
  requireThat(new Set(Object.values(names)).size === 3, 'attributeNames', 'be three different names');
  return Object.freeze(names);
}

/** Names that the library's items use, so that no key attribute may be called so. */
const RESERVED_ATTRIBUTES: ReadonlySet<string> = new Set([
  'type',
  'user',
  'user_pk',
  'user_sk',
  'created_at',
  'issued_at',
  'authenticated_at',
  'renewed_at',
  'max_end',
  'generation',
  'version',
  'data',
  'claims',
  'device',
  'revoked',
  'replaces',
  'replaced_by',
  'changed_by',
  'sessions_valid_after',
  'disabled',
  'lock_owner',
  'lock_expires_at',
  'epoch',
  'legacy_claim',
  'legacy_csrf',
  'superseded_by',
  'supersedes',
  'came_back_at',
  'session',
  'source',
  'nonce',
  'session_created_at',
  'session_issued_at',
  'session_expires_at',
  'settled_at',
  'confirmed_at',
]);

function isAttributeName(name: unknown): name is string {
  return typeof name === 'string' && name.length >= 1 && name.length <= 255;
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function requireWholeNumber(
  option: string,
  value: unknown,
  lowest: number,
  highest: number,
  highestName: string,
): void {
  requireThat(
    Number.isSafeInteger(value) && (value as number) >= lowest && (value as number) <= highest,
    option,
    `be a whole number from ${lowest} to ${highestName}, got ${typeof value === 'number' ? value : typeof value}`,
  );
}

function requireThat(condition: boolean, option: string, rule: string): asserts condition {
  if (!condition) throw new ConfigurationError(`${option} must ${rule}`);
}
