// SPDX-License-Identifier: Apache-2.0
/** How sessions of older systems move in: the options, and what they must not be. */
import { type LegacyMode, requireLegacyMode, requireSharePercent } from '../../legacy-settings';
import { ConfigurationError } from '../../settings';
import type { LegacySession, LegacySource } from '../legacy-source';
import type { CreateInput } from '../lifecycle/create-session';
import { isTime } from './legacy-refusal';
import type { MigrationReport } from './migration-report';

/** What the session that moves in gets, beside the user and the age of the old one. */
export type MovedSession<Data = Record<string, unknown>> = Pick<
  CreateInput<Data>,
  'data' | 'claims' | 'device' | 'userRecordKey'
>;

export interface LegacyOptions<Data = Record<string, unknown>> {
  /** Asked in this order; the first whose cookie proves a session decides. Each has a name of its own. */
  readonly sources: readonly LegacySource[];
  /**
   * `on` (default) moves sessions in. `dryRun` reads and reports what would happen; no request fails for it. `off` does not
   * look at old cookies; what has moved in stays. In all three a logout is one for the old cookie, too. Read it from the
   * function's environment, and it is a switch that needs no deploy. A variable that is not set is refused.
   */
  readonly mode?: LegacyMode;
  /**
   * How much of the older sessions moves in while the mode is `on`, in percent, above 0 and up to 100; the rest is left where it
   * is, as in a dry run. Which ones is decided by a hash of each: the same in every function, and a larger part holds all of a
   * smaller one. Default 100.
   */
  readonly sharePercent?: number;
  /**
   * When a session that moved in ends. `carried` (default): no later than it would have in the older system. `settings`: as the
   * settings say, counted from its login, or from the day it moves in where that is not known; for older systems that
   * prolong a session with each request, as express-session and PHP do. The idle timeout slides both. An end that nothing
   * prolongs, such as a cut-off date of cookie-session, stays the end.
   */
  readonly lifetime?: 'carried' | 'settings' | undefined;
  /**
   * What becomes of an old session that has moved in, once the new cookie has come back. `end` (default): it is ended where it was, and
   * its cookie cleared. `keep`: both stay, for pages that the older system goes on serving; the old cookie mints nothing here all
   * the same, and a logout or a login here ends both.
   */
  readonly oldSessions?: 'end' | 'keep' | undefined;
  /**
   * What to carry over; `legacy.data` is what the older system stored. Default: nothing but the user, the age and the
   * anti-CSRF token. With `userRecordAttribute` in the settings it must return the `userRecordKey`.
   */
  readonly asSession?:
    | ((legacy: LegacySession, sourceName: string) => MovedSession<Data> | Promise<MovedSession<Data>>)
    | undefined;
  /**
   * Unix seconds: what began by then does not move in, nor what does not tell its beginning. Set it together with a new
   * epoch, which by itself ends our own sessions only. Default none.
   */
  readonly startedAfter?: number | undefined;
  /** Receives what becomes of each old session; no request fails for what it throws. Default: metrics in the log of a Lambda function, nothing elsewhere. */
  readonly report?: ((report: MigrationReport) => void) | undefined;
}

const KNOWN_OPTIONS: ReadonlySet<string> = new Set<keyof LegacyOptions>([
  'sources',
  'mode',
  'sharePercent',
  'lifetime',
  'oldSessions',
  'asSession',
  'startedAfter',
  'report',
]);

/** @throws ConfigurationError naming the option */
export function validateLegacyOptions(options: LegacyOptions<unknown>, sessionCookieName: string): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError('legacy must be an object with sources, or undefined');
  const { sources, lifetime = 'carried', oldSessions = 'end', asSession, startedAfter, report } = options;
  for (const option of Object.keys(options))
    requireThat(KNOWN_OPTIONS.has(option), option, `be one of the options: ${[...KNOWN_OPTIONS].join(', ')}`);
  if ('mode' in options) requireLegacyMode('legacy.mode', options.mode);
  if ('sharePercent' in options) requireSharePercent('legacy.sharePercent', options.sharePercent);
  requireThat(['carried', 'settings'].includes(lifetime), 'lifetime', 'be carried or settings');
  requireThat(['end', 'keep'].includes(oldSessions), 'oldSessions', 'be end or keep');
  requireThat(asSession === undefined || typeof asSession === 'function', 'asSession', 'be a function');
  requireThat(report === undefined || typeof report === 'function', 'report', 'be a function');
  requireThat(
    startedAfter === undefined || isTime(startedAfter),
    'startedAfter',
    'be a time in whole Unix seconds, such as Date.UTC(2027, 2, 1) / 1000',
  );
  const isOff = options.mode === 'off';
  requireThat(
    Array.isArray(sources) && (isOff || sources.length > 0),
    'sources',
    'be a list that holds at least one source',
  );
  for (const source of sources)
    requireThat(
      typeof source?.name === 'string' &&
        source.name !== '' &&
        Array.isArray(source.cookieNames) &&
        source.cookieNames.length > 0 &&
        typeof source.verify === 'function' &&
        typeof source.read === 'function' &&
        typeof source.end === 'function' &&
        (source.acceptUntil === undefined || isTime(source.acceptUntil)),
      'sources',
      'hold legacy sources: a name, cookieNames, verify, read and end; acceptUntil, if any, in whole Unix seconds',
    );
  requireThat(
    sources.every(({ isStateless }) => isStateless !== true),
    'sources',
    'not be stateless: what moves in must be remembered; pass isStateless: false',
  );
  requireThat(
    new Set(sources.map(({ name }) => name)).size === sources.length,
    'sources',
    'have a name each: claims are kept under it',
  );
  requireThat(
    sources.every(({ cookieNames }) => !cookieNames.includes(sessionCookieName)),
    'sources',
    `not have the cookie ${sessionCookieName}, which is that of our own sessions; give one of the two another name`,
  );
}

function requireThat(condition: boolean, option: string, rule: string): asserts condition {
  if (!condition) throw new ConfigurationError(`legacy.${option} must ${rule}`);
}
