// SPDX-License-Identifier: Apache-2.0
/** The authorizer's options, and what they must not be; checked once, when the function starts. */

import { type OptionNames, refuseUnknownOptions } from '../known-options';
import { requireSharePercent } from '../legacy-settings';
import type { LegacySource } from '../session/legacy-source';
import type { IdleTimeout } from '../session/renewal';
import {
  type AttributeNames,
  ConfigurationError,
  type CsrfProfile,
  MAX_LIFETIME_SECONDS,
  resolveSettings,
  type SessionSettings,
  validateOrigin,
} from '../settings';
import type { AuthorizerSettings } from './authorizer-settings';
import type { SessionReader } from './reader';

/** Options that the constructs and the library share mean the same as in `SessionSettingsInput`. */
export interface AuthorizerOptions {
  /** Required, so that authorizer and library cannot drift apart unseen. */
  readonly cookieName: string;
  /** `simple` answers HTTP APIs of payload 2.0 with `isAuthorized`; they must be set up for it. Default `policy`. */
  readonly response?: 'policy' | 'simple' | undefined;
  /**
   * `policy` (default) refuses with a Deny: 403 unless a gateway response changes it. `throw` refuses with the error
   * `Unauthorized`: API Gateway's own 401, but each one counts as an error of the function.
   */
  readonly deny?: 'policy' | 'throw' | undefined;
  /** Origins of the pages that may call; WebSocket handshakes from anywhere else are refused. Default none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Default `compatible`. */
  readonly csrf?: CsrfProfile | undefined;
  /** The API's own origins. Default: the domain name of the event, with https. */
  readonly apiOrigins?: readonly string[] | undefined;
  /** Longest time between creation and end of an item. Default, and most, 400 days. */
  readonly maxLifetimeSeconds?: number | undefined;
  readonly epoch?: string | undefined;
  readonly attributeNames?: Partial<AttributeNames> | undefined;
  /** Needs `absoluteTimeoutSeconds` and a reader that can renew. Default none. */
  readonly idleTimeoutSeconds?: number | undefined;
  /** What a renewal and a session of an older system go no further than, counted from the login. Default none. */
  readonly absoluteTimeoutSeconds?: number | undefined;
  /** Default a tenth of the idle timeout. */
  readonly renewalIntervalSeconds?: number | undefined;
  /** A second read: the attribute of the application's user record that holds its line. Default none. */
  readonly userRecord?: { readonly attribute: string } | undefined;
  /** For how long API Gateway keeps an answer, 0 to 60. Above 0 needs `csrf: 'off'` and no idle timeout. Default 0. */
  readonly cacheSeconds?: number | undefined;
  /**
   * Older systems whose sessions are let in, read-only and in this order, where there is no live session of our own. Needs a
   * reader that has `readItem`: what has moved in or was logged out is refused, whatever the older system says. Default none.
   */
  readonly legacy?: readonly LegacySource[] | undefined;
  /**
   * Unix seconds: older sessions that began by then are refused, and those that do not tell their beginning. Set it together
   * with a new epoch, which by itself ends our own sessions only. Default none.
   */
  readonly legacyStartedAfter?: number | undefined;
  /** How much of the older sessions is let in, the same as `sharePercent` of `createSessions({ legacy })`. Default 100. */
  readonly legacySharePercent?: number | undefined;
}

/** Revocation lags by as long as an answer is kept, so it is not kept longer. */
const MAX_CACHE_SECONDS = 60;

/** @throws ConfigurationError naming the option */
export function resolveAuthorizerOptions(options: AuthorizerOptions, reader: SessionReader): AuthorizerSettings {
  refuseUnknownOptions(options, OPTIONS);
  const { response = 'policy', deny = 'policy', maxLifetimeSeconds = MAX_LIFETIME_SECONDS, legacy = [] } = options;
  refuseUnless(
    typeof options.cookieName === 'string',
    'cookieName',
    'be given: the name that the session library uses',
  );
  refuseUnless(['policy', 'simple'].includes(response), 'response', 'be policy or simple');
  refuseUnless(['policy', 'throw'].includes(deny), 'deny', 'be policy or throw');
  refuseUnless(
    Number.isSafeInteger(maxLifetimeSeconds) && maxLifetimeSeconds >= 1 && maxLifetimeSeconds <= MAX_LIFETIME_SECONDS,
    'maxLifetimeSeconds',
    'be a whole number from 1 to 400 days',
  );
  refuseUnless(typeof reader?.readSession === 'function', 'reader', 'have readSession');
  const shared = resolveSettings({
    cookieName: options.cookieName,
    absoluteTimeoutSeconds: options.absoluteTimeoutSeconds,
    idleTimeoutSeconds: options.idleTimeoutSeconds,
    renewalIntervalSeconds: options.renewalIntervalSeconds,
    epoch: options.epoch,
    attributeNames: options.attributeNames,
    allowedOrigins: options.allowedOrigins,
    csrf: options.csrf,
    userRecordAttribute: options.userRecord === undefined ? undefined : (options.userRecord.attribute ?? ''),
  });
  refuseUnless(
    shared.userRecordAttribute === undefined || typeof reader.readUserRecord === 'function',
    'userRecord',
    'come with a reader that has readUserRecord',
  );
  const settings = {
    cookieName: shared.cookieName,
    allowedOrigins: shared.allowedOrigins,
    csrf: shared.csrf,
    apiOrigins: options.apiOrigins?.map((origin) => validateOrigin(origin, 'apiOrigins')),
    epoch: shared.epoch,
    attributeNames: shared.attributeNames,
    absoluteTimeoutSeconds: options.absoluteTimeoutSeconds,
    maxLifetimeSeconds,
    idleTimeout: resolveIdleTimeout(options, shared, reader),
    userRecordAttribute: shared.userRecordAttribute,
    isSimple: response === 'simple',
    isThrowing: deny === 'throw',
  };
  refuseCaching(options.cacheSeconds ?? 0, settings);
  validateLegacySources(legacy, reader, shared.cookieName);
  const { legacyStartedAfter = 0, legacySharePercent = 100 } = options;
  refuseUnless(
    Number.isSafeInteger(legacyStartedAfter) && legacyStartedAfter >= 0 && legacyStartedAfter < 1e11,
    'legacyStartedAfter',
    'be a time in whole Unix seconds',
  );
  requireSharePercent('legacySharePercent', legacySharePercent);
  return settings;
}

function resolveIdleTimeout(
  options: AuthorizerOptions,
  shared: SessionSettings,
  reader: SessionReader,
): IdleTimeout | undefined {
  const { idleTimeoutSeconds, renewalIntervalSeconds, absoluteTimeoutSeconds } = shared;
  if (idleTimeoutSeconds === undefined || renewalIntervalSeconds === undefined) return undefined;
  refuseUnless(
    options.absoluteTimeoutSeconds !== undefined,
    'idleTimeoutSeconds',
    'come with absoluteTimeoutSeconds: a renewal goes no further',
  );
  refuseUnless(
    typeof reader.renewSession === 'function',
    'idleTimeoutSeconds',
    'come with a reader that has renewSession',
  );
  return { idleTimeoutSeconds, renewalIntervalSeconds, absoluteTimeoutSeconds };
}

/** The cache's key is the Cookie header alone: what depends on method or origin would be answered from another request. */
function refuseCaching(cacheSeconds: number, { csrf, idleTimeout }: AuthorizerSettings): void {
  refuseUnless(
    Number.isSafeInteger(cacheSeconds) && cacheSeconds >= 0 && cacheSeconds <= MAX_CACHE_SECONDS,
    'cacheSeconds',
    `be a whole number from 0 to ${MAX_CACHE_SECONDS}`,
  );
  if (cacheSeconds === 0) return;
  refuseUnless(csrf === 'off', 'cacheSeconds', "be 0 unless csrf is 'off': methods and origins are not cached");
  refuseUnless(idleTimeout === undefined, 'cacheSeconds', 'be 0 with idleTimeoutSeconds: cached requests do not renew');
}

function validateLegacySources(
  sources: readonly LegacySource[],
  reader: SessionReader,
  sessionCookieName: string,
): void {
  for (const source of sources) {
    refuseUnless(
      typeof source?.name === 'string' && typeof source.verify === 'function' && typeof source.read === 'function',
      'legacy',
      'hold legacy sources',
    );
    refuseUnless(
      Array.isArray(source.cookieNames) && source.cookieNames.length > 0,
      'legacy',
      'hold sources that name at least one cookie',
    );
    refuseUnless(
      !source.cookieNames.includes(sessionCookieName),
      'legacy',
      `hold no source with the cookie ${sessionCookieName}, which is that of our own sessions`,
    );
  }
  refuseUnless(
    new Set(sources.map(({ name }) => name)).size === sources.length,
    'legacy',
    'hold sources with a name each: claims are kept under it',
  );
  refuseUnless(
    sources.every(({ isStateless }) => isStateless === true) || typeof reader.readItem === 'function',
    'legacy',
    'come with a reader that has readItem: it tells what has moved in or was logged out',
  );
}

const OPTIONS: OptionNames<AuthorizerOptions> = {
  cookieName: true,
  response: true,
  deny: true,
  allowedOrigins: true,
  csrf: true,
  apiOrigins: true,
  maxLifetimeSeconds: true,
  epoch: true,
  attributeNames: true,
  idleTimeoutSeconds: true,
  absoluteTimeoutSeconds: true,
  renewalIntervalSeconds: true,
  userRecord: true,
  cacheSeconds: true,
  legacy: true,
  legacyStartedAfter: true,
  legacySharePercent: true,
};

function refuseUnless(condition: boolean, option: string, rule: string): asserts condition {
  if (!condition) throw new ConfigurationError(`${option} must ${rule}`);
}
