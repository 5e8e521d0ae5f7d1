// SPDX-License-Identifier: Apache-2.0
/** What the session library does with the cookies of older systems: moves their sessions in, confirms, and ends them. */
import { ConfigurationError, SessionError } from '../errors';
import { guarded } from '../guarded-callback';
import type { LifecycleContext } from '../lifecycle/context';
import type { IssuedSession } from '../lifecycle/create-session';
import { memoryOf, type Session } from '../lifecycle/session';
import { cookieLinesOf } from '../request';
import type { IssuedCookie } from '../sessions';
import { claimIdIn } from './claim-item';
import { confirmArrival } from './confirm-arrival';
import { endVisit } from './end-visit';
import type { LegacyArrival } from './legacy-arrival';
import { type LegacyOptions, validateLegacyOptions } from './legacy-options';
import { cookiesToClear, everyLegacyVisit, type OnFault } from './legacy-visit';
import { createLook } from './look-at-cookies';
import { fault, reportToLog } from './migration-report';

/** Sessions of older systems; `withSession` does all of this by itself. */
export interface LegacyMigration<Data> {
  /**
   * Call for every request, with its session if it has one. A session whose cookie has come back is confirmed: the old
   * session is ended, and its cookie mints nothing any more. Without a session of a user, the old cookie's session moves in.
   * Costs nothing for requests without old cookies. A failing store rejects, and logs nobody out.
   * @param check throws for data that the caller could not work with; called before anything is written
   */
  arrive(
    request: unknown,
    session: Session<Data> | null,
    check?: (user: string, data: unknown) => void,
  ): Promise<LegacyArrival<Data>>;

  /**
   * Login: the request's old session gives way to the one that was just started, as by `end`, so that no old cookie of somebody
   * else is left beside it. Where sessions do not move in (`dryRun`, `off`) it can never move in, and is left alone where it is.
   */
  replace(request: unknown): Promise<readonly string[]>;

  /**
   * Logout: the request's old session can never move in again, and is ended where it was. Returns Set-Cookie values that
   * make the browser drop its cookies.
   */
  end(request: unknown): Promise<readonly string[]>;
}

/** @throws ConfigurationError naming the option */
export function createMigration<Data>(
  context: LifecycleContext,
  given: LegacyOptions<unknown>,
  withCookie: (issued: IssuedSession<Data>) => IssuedCookie<Data>,
): LegacyMigration<Data> {
  validateLegacyOptions(given, context.settings.cookieName);
  const report = guarded('legacy.report', given.report ?? reportToLog);
  const options = { ...given, report };
  const { sources, mode = 'on', oldSessions = 'end' } = options;
  const look = createLook(context, options, withCookie);
  const visitsOf = (request: unknown, of = sources, onFault?: OnFault) =>
    everyLegacyVisit(cookieLinesOf(request), of, context.now(), onFault);
  const clearing = (request: unknown, of = sources) => cookiesToClear(cookieLinesOf(request), of);

  /** A fault is reported and leaves the session waiting: it is good itself. `undefined` if it was none any more. */
  async function confirm(request: unknown, session: Session<Data>): Promise<LegacyArrival<Data> | undefined> {
    const unchanged = { session, moved: null, clearCookies: [] };
    const claimId = claimIdIn(memoryOf(session).item);
    if (claimId === undefined || mode !== 'on') return unchanged;
    try {
      const visits = visitsOf(request, oldSessions === 'keep' ? [] : sources);
      const confirmation = await confirmArrival(context, claimId, session.id, visits);
      if (confirmation === 'superseded') return undefined;
      const { source, ended } = confirmation;
      if (source !== undefined) report({ kind: 'confirmed', source });
      return { ...unchanged, clearCookies: ended === undefined ? [] : clearing(request, [ended.source]) };
    } catch (failure) {
      // The session itself is good, whatever is wrong with an older system.
      if (!(failure instanceof SessionError) && !(failure instanceof ConfigurationError)) throw failure;
      report({ kind: 'confirmationFault', code: failure instanceof SessionError ? failure.code : failure.name });
      return unchanged;
    }
  }

  /** All of them, whichever fails; the first failure is returned. */
  async function endAll(request: unknown): Promise<Failed | undefined> {
    let first: Failed | undefined;
    const onFault: OnFault = (failure, { name: source }) => {
      if (mode === 'on') first ??= { failure, source };
      // Where sessions do not move in, an older system that cannot be asked keeps nobody from logging out.
      else report(fault(failure, source));
    };
    for await (const visit of visitsOf(request, sources, onFault))
      try {
        await endVisit(context, visit, mode);
      } catch (failure) {
        first ??= { failure, source: visit.source.name };
      }
    return first;
  }

  return {
    async arrive(request, session, check) {
      const confirmed = session?.user === undefined ? undefined : await confirm(request, session);
      if (confirmed !== undefined) return confirmed;
      return look(request, session?.user === undefined ? session : null, check);
    },

    async replace(request) {
      const failed = await endAll(request);
      // The login stands; without its cookie the old session is nobody's in this browser.
      if (failed !== undefined) report(fault(failed.failure, failed.source));
      return mode === 'on' ? clearing(request) : [];
    },

    async end(request) {
      const failed = await endAll(request);
      if (failed !== undefined) throw failed.failure;
      return clearing(request);
    },
  };
}

/** What failed, and in which older system. */
interface Failed {
  readonly failure: unknown;
  readonly source: string;
}
