// SPDX-License-Identifier: Apache-2.0
/** Sessions of the PHP handler as a source to move in from: whose cookie it is, which item, whose session, until when. */
import { type OptionNames, refuseUnknownOptions } from '../../known-options';
import type { LegacyRefusal, LegacySource } from '../../session/legacy-source';
import { asStoreError } from '../../session/migration/ask-source';
import { ConfigurationError } from '../../settings';
import {
  COOKIE_NAME_HINT,
  clearingCookies,
  LEGACY_COOKIE_OPTIONS,
  type LegacyCookieOptions,
  requireLegacyOptions,
} from '../legacy-cookie';
import { requireDataPaths, SESSION_DATA_PATHS } from '../session-data';
import { isPhpSessionFormat } from './parse-php-session';
import { phpSessionIdFromCookie, phpSessionKey, requireSessionName } from './php-session-id';
import type { PhpItemReader } from './php-table';
import { type PhpItemRefusal, type ReadPhpItemOptions, readPhpItem } from './read-php-item';

export interface PhpSessionSourceOptions extends LegacyCookieOptions, Omit<ReadPhpItemOptions, 'now' | 'key'> {
  /** Where the items are: `createPhpTable({ tableName })`, or a reader of your own. */
  readonly table: PhpItemReader;
  /** The PHP application's `session.name` (CakePHP: `Session.cookie`). Default `PHPSESSID`. */
  readonly cookieName?: string | undefined;
  /** What the keys begin with. Default the cookie's name; wanted where that begins with `_`, which PHP's handler cuts off. */
  readonly sessionName?: string | undefined;
  /**
   * The user's "sessions valid after" line in Unix seconds, `undefined` where there is none. A session that began at or
   * before it is over; PHP does not say when one began, so without `createdAtPath` any line ends it. Default: no line.
   */
  readonly sessionsValidAfter?: ((user: string) => Promise<number | undefined>) | undefined;
}

const PATHS = { ...SESSION_DATA_PATHS, expiresAtPath: true } as const;

const OPTIONS: OptionNames<PhpSessionSourceOptions> = {
  ...LEGACY_COOKIE_OPTIONS,
  ...PATHS,
  table: true,
  cookieName: true,
  sessionName: true,
  format: true,
  attributeNames: true,
  sessionsValidAfter: true,
};

/** What is not here is data that cannot be read. */
const REFUSALS: Partial<Record<PhpItemRefusal, LegacyRefusal['refused']>> = {
  absent: 'absent',
  expired: 'expired',
  anonymous: 'anonymous',
};

/**
 * A cookie proves nothing but that its bearer knows the id: PHP ids are not signed, and without strict mode a client may
 * have chosen one itself. The migration gives every session a fresh token for this reason.
 * @throws ConfigurationError naming the option
 */
export function createPhpSessionSource(options: PhpSessionSourceOptions): LegacySource {
  refuseUnknownOptions(options, OPTIONS, COOKIE_NAME_HINT);
  requireDataPaths(options, PATHS);
  const { table, cookieName = 'PHPSESSID', acceptUntil, sessionsValidAfter, sourceName = 'php' } = options;
  requireLegacyOptions(cookieName, sourceName, acceptUntil);
  const sessionName = options.sessionName ?? cookieName;
  requireSessionName(options.sessionName === undefined ? 'cookieName' : 'sessionName', sessionName);
  if (options.userPath === undefined)
    throw new ConfigurationError("userPath must say where the data holds the user's id, such as Auth.User.id");
  if (options.format !== undefined && !isPhpSessionFormat(options.format))
    throw new ConfigurationError('format must be php, php_serialize or php_binary');

  return {
    name: sourceName,
    cookieNames: [cookieName],
    clearCookies: clearingCookies([cookieName], options),
    ...(acceptUntil === undefined ? {} : { acceptUntil }),

    verify(cookies, now) {
      // Past the cut-off date.
      if (acceptUntil !== undefined && now >= acceptUntil) return undefined;
      return phpSessionIdFromCookie(cookies[cookieName]);
    },

    async read(id, now) {
      const key = phpSessionKey(sessionName, id);
      const outcome = readPhpItem(await asStoreError(() => table.get(key)), { ...options, now, key });
      if ('refused' in outcome) return { refused: REFUSALS[outcome.refused] ?? 'malformed' };
      const { user } = outcome.session;
      const line = sessionsValidAfter && (await asStoreError(() => sessionsValidAfter(user)));
      // Equality is dead: within one second nobody can tell which came first.
      return line !== undefined && outcome.session.createdAt <= line ? { refused: 'beforeLine' } : outcome.session;
    },

    end: (id) => asStoreError(() => table.delete(phpSessionKey(sessionName, id))),
  };
}
