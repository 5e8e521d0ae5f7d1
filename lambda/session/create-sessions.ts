// SPDX-License-Identifier: Apache-2.0
/** The session library as a team's handlers use it. */
import { randomBytes as systemRandomBytes } from 'node:crypto';
import { ENVIRONMENT } from '../environment';
import {
  ConfigurationError,
  resolveSettings,
  type SessionSettings,
  type SessionSettingsInput,
  validateOrigin,
} from '../settings';
import { readSessionCookie } from './cookie-reader';
import { clearSessionCookie, serializeSessionCookie } from './cookie-writer';
import { csrfToken, verifyCsrfToken } from './csrf-token';
import { DynamoDbSessionStore } from './dynamodb-session-store';
import { refuseInsecureInLambda, settingsFromEnvironment } from './environment-settings';
import { ReauthenticationRequiredError } from './errors';
import { checkEventOrigin } from './event-origin';
import type { LifecycleContext } from './lifecycle/context';
import { rememberContext } from './lifecycle/context-of';
import { beginAuthentication, createSession, type IssuedSession } from './lifecycle/create-session';
import { endSession } from './lifecycle/end-session';
import { listSessions, revokeSession } from './lifecycle/list-sessions';
import { prepareToken } from './lifecycle/prepared-token';
import { readSession } from './lifecycle/read-session';
import { disableUser, revokeAll, revokeAllExcept } from './lifecycle/revoke-all';
import { rotateSession } from './lifecycle/rotate-session';
import { saveSession } from './lifecycle/save-session';
import { memoryOf, type Session } from './lifecycle/session';
import { renewSession } from './lifecycle/slide-session';
import { enableUser } from './lifecycle/user-item';
import { withLock } from './lifecycle/with-lock';
import type { LegacyOptions } from './migration/legacy-options';
import { createMigration } from './migration/migration';
import { matchesCarriedCsrfToken } from './migration/moved-session';
import { cookieLinesOf } from './request';
import type { IssuedCookie, Sessions } from './sessions';
import type { SessionStore } from './store';
import { hashSessionToken, parseSessionToken, type RandomBytes } from './token';

export interface CreateSessionsOptions<Data = Record<string, unknown>>
  extends Omit<SessionSettingsInput, 'attributeNames'> {
  /** Default: the table that `table.connect(fn)` named, with the settings given to `SessionTable`. */
  readonly store?: SessionStore;
  /** Unix seconds. Default: the system's clock. */
  readonly now?: () => number;
  /** Default: the system's cryptographically secure source. */
  readonly randomBytes?: RandomBytes;
  /** Waits before a store request is repeated. Default: a timer. */
  readonly sleep?: (millis: number) => Promise<void>;
  /** The API's own origins, such as `https://api.example.com`, for the origin check. Default: the event's domain name. */
  readonly apiOrigins?: readonly string[];
  /** How many sessions `revokeAll` ends at the same time. Default 8. */
  readonly sweepWidth?: number;
  /**
   * Older systems whose users stay logged in while the team moves over; `withSession` does the rest. Default none. In a function
   * that `connectLegacy` connected it must be given, be it as `undefined`.
   */
  readonly legacy?: LegacyOptions<Data> | undefined;
}

/**
 * Makes the session library. In a function that `table.connect(fn)` connected, no option is needed; elsewhere pass a store
 * and the settings. Nothing is read or connected before the first call.
 * @throws ConfigurationError naming the option or the environment variable
 */
export function createSessions<Data = Record<string, unknown>>(
  given: CreateSessionsOptions<NoInfer<Data>> = {},
): Sessions<Data> {
  refuseForgottenLegacy(given);
  const { legacy, ...options } = given;
  const { context, apiOrigins } = setUp(options);
  const { settings } = context;
  const cookie = { name: settings.cookieName, insecureLocalhost: settings.insecureLocalhost };

  const withCookie = (issued: IssuedSession<Data>): IssuedCookie<Data> => {
    const absoluteEnd = issued.session.createdAt + settings.absoluteTimeoutSeconds;
    const maxAgeSeconds = Math.max(1, Math.max(absoluteEnd, issued.session.expiresAt) - context.now());
    return { ...issued, setCookie: serializeSessionCookie(issued.token, { ...cookie, maxAgeSeconds }) };
  };
  const tokenFrom = (request: unknown): string | null => {
    const outcome = readSessionCookie(cookieLinesOf(request), settings.cookieName);
    return 'token' in outcome ? outcome.token : null;
  };

  const sessions: Sessions<Data> = {
    settings,
    clearCookie: clearSessionCookie(cookie),
    tokenFrom,
    beginAuthentication: (user) => beginAuthentication(context, user),
    prepareToken: () => prepareToken(context),
    create: async (input = {}) => withCookie(await createSession(context, input)),
    async read(request) {
      const token = tokenFrom(request);
      return token === null ? null : readSession<Data>(context, token);
    },
    save: (session) => saveSession(context, session),
    withLock: (session, run, options) => withLock(context, session, run, options),
    renew: (session) => renewSession(context, session),
    async rotate(session, rotation) {
      const issued = await rotateSession(context, session, rotation);
      return issued === null ? null : withCookie(issued);
    },
    async destroy(target) {
      const tokenHash = hashToEnd(target);
      if (tokenHash !== undefined) await endSession(context, tokenHash, { reach: 'wholeSession' });
    },
    list: (user, { current } = {}) => listSessions(context, user, current?.id),
    revoke: (user, id) => revokeSession(context, user, id),
    revokeAll: (async (user: string, { except }: { except?: Session<Data> } = {}) => {
      if (except === undefined) return revokeAll(context, user);
      const outcome = await revokeAllExcept(context, user, except);
      return outcome === null ? null : { ...withCookie(outcome), ended: outcome.ended };
    }) as Sessions<Data>['revokeAll'],
    disable: (user) => disableUser(context, user),
    enable: (user) => enableUser(context, user),
    requireRecentAuthentication(session, withinSeconds) {
      if (!Number.isSafeInteger(withinSeconds) || withinSeconds < 1)
        throw new ConfigurationError('withinSeconds must be a whole number of at least 1');
      if (context.now() - session.authenticatedAt >= withinSeconds)
        throw new ReauthenticationRequiredError(withinSeconds);
    },
    checkOrigin: (event) => checkEventOrigin(event, { ...settings, apiOrigins }),
    csrfToken,
    verifyCsrf: (token, presented, session) =>
      (token !== null && verifyCsrfToken(token, presented)) ||
      (session != null && matchesCarriedCsrfToken(session, presented)),
    ...(legacy === undefined ? {} : { legacy: createMigration(context, legacy, withCookie) }),
  };
  return rememberContext(sessions, context);
}

/** A session object names its hash; a token is hashed if it is one. Anything else is no session: nothing to end. */
function hashToEnd(target: Session<never> | Session<unknown> | string | null | undefined): string | undefined {
  if (typeof target === 'object' && target !== null) {
    memoryOf(target);
    return target.id;
  }
  const token = parseSessionToken(target);
  return token === null ? undefined : hashSessionToken(token);
}

interface Foundation {
  readonly store: SessionStore;
  readonly settings: SessionSettings;
  readonly apiOrigins?: readonly string[];
}

function setUp(options: Omit<CreateSessionsOptions, 'legacy'>): {
  readonly context: LifecycleContext;
  readonly apiOrigins: readonly string[] | undefined;
} {
  const {
    store: givenStore,
    now = () => Math.floor(Date.now() / 1000),
    randomBytes = systemRandomBytes,
    sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
    sweepWidth = 8,
    apiOrigins,
    ...given
  } = options;
  const foundation = givenStore === undefined ? fromEnvironment(given) : fromOptions(givenStore, given);
  return {
    context: {
      store: foundation.store,
      settings: foundation.settings,
      now: () => wholeSeconds(now()),
      randomBytes,
      sleep,
      sweepWidth,
    },
    apiOrigins: apiOrigins?.map((one) => validateOrigin(one, 'apiOrigins')) ?? foundation.apiOrigins,
  };
}

/** Without them a login would leave somebody else's old cookie beside the new one, and a logout its own. */
function refuseForgottenLegacy(given: CreateSessionsOptions<unknown>): void {
  const isConnected = given.store === undefined && process.env[ENVIRONMENT.legacy] !== undefined;
  if (isConnected && !('legacy' in given))
    throw new ConfigurationError(
      'legacy must be given, as this function is connected to older systems: { ...legacyFromEnvironment(), asSession } with ' +
        'legacyFromEnvironment of sessiongate/legacy, or undefined if it never sees a browser',
    );
}

/** Against a clock that is not a number every comparison is false, and nothing would ever have expired. */
function wholeSeconds(seconds: number): number {
  const whole = Math.floor(seconds);
  if (!Number.isSafeInteger(whole)) throw new ConfigurationError('now must return Unix seconds');
  return whole;
}

function fromOptions(store: SessionStore, given: SessionSettingsInput): Foundation {
  const settings = resolveSettings({ ...given, attributeNames: store.attributeNames });
  refuseInsecureInLambda(settings, process.env);
  return { store, settings };
}

function fromEnvironment(given: SessionSettingsInput): Foundation {
  const [option] = Object.keys(given);
  // Two sources for one setting would drift apart.
  if (option !== undefined)
    throw new ConfigurationError(`${option} must be given to SessionTable, or together with a store`);
  if (process.env[ENVIRONMENT.tableName] === undefined)
    throw new ConfigurationError(
      `the environment variable ${ENVIRONMENT.tableName} must be set: connect this function with sessionTable.connect(fn), ` +
        'or give createSessions a store',
    );
  const { tableName, settings, endpoint, apiOrigins } = settingsFromEnvironment(process.env);
  const store = new DynamoDbSessionStore({
    tableName,
    attributeNames: settings.attributeNames,
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  return { store, settings, ...(apiOrigins === undefined ? {} : { apiOrigins }) };
}
