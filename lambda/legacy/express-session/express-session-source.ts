// SPDX-License-Identifier: Apache-2.0
/** Sessions of `express-session` as a source to move in from. */
import { type OptionNames, refuseUnknownOptions } from '../../known-options';
import type { LegacySource } from '../../session/legacy-source';
import { asStoreError } from '../../session/migration/ask-source';
import { ConfigurationError } from '../../settings';
import {
  COOKIE_NAME_HINT,
  clearingCookies,
  LEGACY_COOKIE_OPTIONS,
  type LegacyCookieOptions,
  requireLegacyOptions,
} from '../legacy-cookie';
import { type Secrets, useSecrets, withFirst } from '../secrets';
import { requireDataPaths, SESSION_DATA_PATHS, type SessionDataPaths } from '../session-data';
import { type ExpressSessionStore, readExpressSession, requireStored } from './express-session-store';
import { signSessionId, unsignExpressCookie } from './unsign-express-cookie';

export interface ExpressSessionSourceOptions extends LegacyCookieOptions, SessionDataPaths {
  /** The old store: `createDynamoDbExpressStore({ … })`, or two functions of your own. */
  readonly store: ExpressSessionStore;
  /** The option `secret` of `express-session`, as a list. */
  readonly secrets: Secrets;
  /** The option `name` of `express-session`. Default `connect.sid`. */
  readonly cookieName?: string | undefined;
}

const OPTIONS: OptionNames<ExpressSessionSourceOptions> = {
  ...LEGACY_COOKIE_OPTIONS,
  ...SESSION_DATA_PATHS,
  store: true,
  secrets: true,
  cookieName: true,
};

/**
 * The cookie's signature is verified before anything is read. What the store holds is read and never changed; the session
 * there is deleted once the new cookie has come back.
 *
 * Session ids are 16 to 128 characters of `A-Z a-z 0-9 _ -`, as express-session makes them itself. Those that a `genid` of your
 * own makes otherwise, with dots or colons, say, are refused like unsigned ones: they become part of keys.
 * @throws ConfigurationError naming the option
 */
export function createExpressSessionSource(options: ExpressSessionSourceOptions): LegacySource {
  refuseUnknownOptions(options, OPTIONS, { ...COOKIE_NAME_HINT, secret: 'a list, as secrets' });
  requireDataPaths(options, SESSION_DATA_PATHS);
  const { store, cookieName = 'connect.sid', sourceName = 'express-session', acceptUntil } = options;
  requireLegacyOptions(cookieName, sourceName, acceptUntil);
  if (typeof store?.read !== 'function' || typeof store.end !== 'function')
    throw new ConfigurationError(
      'store must have two functions: read(id), which returns { session, expiresAt } or undefined, and end(id), which deletes the session',
    );
  const secrets = useSecrets('secrets', options.secrets);

  return {
    name: sourceName,
    cookieNames: [cookieName],
    clearCookies: clearingCookies([cookieName], options),
    ...(acceptUntil === undefined ? {} : { acceptUntil }),
    prepare: secrets.prepare,

    verify(cookies, now) {
      // Past the cut-off date.
      if (acceptUntil !== undefined && now >= acceptUntil) return undefined;
      return unsignExpressCookie(cookies[cookieName], secrets.current()) ?? undefined;
    },

    async read(id, now) {
      const stored = await asStoreError(() => store.read(id));
      if (stored == null) return { refused: 'absent' };
      requireStored(stored);
      return readExpressSession(stored, options, now);
    },

    end: (id) => asStoreError(() => store.end(id)),

    // The table of the old store holds ids, and no signatures.
    tokenSecrets(id, cookies) {
      const current = secrets.current();
      const signedBy = current.findIndex((secret) => unsignExpressCookie(cookies[cookieName], [secret]) === id);
      return withFirst(current, signedBy).map((secret) => signSessionId(id, secret));
    },
  };
}
