// SPDX-License-Identifier: Apache-2.0
/** What the session library does with the cookies of older systems: moves their sessions in, confirms, and ends them. */
import { readSessionCookie } from '../cookie-reader';
import { ConfigurationError, SessionError } from '../errors';
import type { LegacySource } from '../legacy-source';
import type { LifecycleContext } from '../lifecycle/context';
import type { IssuedSession } from '../lifecycle/create-session';
import { memoryOf, type Session } from '../lifecycle/session';
import { cookieLines } from '../request';
import type { IssuedCookie } from '../sessions';
import { claimIdIn } from './claim-item';
import { confirmArrival } from './confirm-arrival';
import { endVisit } from './end-visit';
import { type LegacyOptions, validateLegacyOptions } from './legacy-options';
import { cookiesToClear, legacyVisits, STANDS_FOR_NOBODY, type UnprovenReason } from './legacy-visit';
import type { MoveInOptions } from './look-at-arrival';
import { fault, type MoveRefusal, reportToLog } from './migration-report';
import { moveIn } from './move-in';
import type { MoveOutcome } from './move-outcome';

/** What a request brought along. */
export interface LegacyArrival<Data> {
  /** The session to serve the request with: the given one, or what the old cookie stands for. */
  readonly session: Session<Data> | null;
  /** The session that moved in and its cookie, to be handed out with the answer; `null` if there is none to hand out. */
  readonly moved: IssuedCookie<Data> | null;
  /** Set-Cookie values for the answer that make the browser drop old cookies that are worth nothing any more. */
  readonly clearCookies: readonly string[];
}

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
   * else is left beside it. Where sessions do not move in (`dryRun`, `off`), the older system is left alone.
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
  options: LegacyOptions,
  withCookie: (issued: IssuedSession<Data>) => IssuedCookie<Data>,
): LegacyMigration<Data> {
  validateLegacyOptions(options, context.settings.cookieName);
  const { sources, mode = 'on', report = reportToLog } = options;
  const visitsOf = (request: unknown, onUnproven?: OnUnproven, onFault?: (failure: unknown) => void) =>
    legacyVisits(linesOf(request), sources, context.now(), onUnproven, onFault);
  const clearing = (request: unknown, of = sources) => cookiesToClear(linesOf(request), of);

  /** A cookie of ours that cannot be read with certainty: as in the authorizer, such a request is nobody's. */
  function hasOddCookie(request: unknown): boolean {
    const cookie = readSessionCookie(linesOf(request), context.settings.cookieName);
    return 'refused' in cookie && cookie.refused !== 'missing';
  }

  /** A fault is reported and leaves the session waiting: it is good itself. `undefined` if it was none any more. */
  async function confirm(request: unknown, session: Session<Data>): Promise<LegacyArrival<Data> | undefined> {
    const unchanged = { session, moved: null, clearCookies: [] };
    const claimId = claimIdIn(memoryOf(session).item);
    if (claimId === undefined || mode !== 'on') return unchanged;
    try {
      const confirmation = await confirmArrival(context, claimId, session.id, visitsOf(request));
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

  async function look(
    request: unknown,
    session: Session<Data> | null,
    check?: MoveInOptions['check'],
  ): Promise<LegacyArrival<Data>> {
    const nothing = { session, moved: null, clearCookies: [] };
    if (mode === 'off' || hasOddCookie(request)) return nothing;
    let answer: LegacyArrival<Data> = nothing;
    for await (const visit of visitsOf(request, mode === 'dryRun' ? reportUnproven : undefined)) {
      const outcome = await moveIn<Data>(context, visit, { ...options, check }, session);
      reportOutcome(visit.source.name, outcome);
      if (outcome === 'wouldMoveIn') return nothing;
      if ('late' in outcome) return { ...nothing, session: outcome.late };
      if ('issued' in outcome)
        return { ...nothing, session: outcome.issued.session, moved: withCookie(outcome.issued) };
      const isWorthless = mode === 'on' && (outcome.refused === 'settled' || outcome.refused === 'ended');
      if (isWorthless)
        answer = { ...nothing, clearCookies: [...answer.clearCookies, ...clearing(request, [visit.source])] };
      // A cookie that stands for nobody must not be in the way of the next one; a refused user is not asked again.
      if (!NOBODY.has(outcome.refused)) break;
    }
    return answer;
  }

  function reportOutcome(source: string, outcome: MoveOutcome<Data>): void {
    if (outcome === 'wouldMoveIn') report({ kind: 'wouldMoveIn', source });
    else if ('refused' in outcome) report({ kind: 'refused', source, reason: outcome.refused });
    else if ('late' in outcome) report({ kind: 'servedLate', source });
    else report({ kind: outcome.isNew ? 'movedIn' : 'handedOutAgain', source });
  }

  function reportUnproven({ name }: LegacySource, reason: UnprovenReason): void {
    report({ kind: 'refused', source: name, reason });
  }

  /** In a dry run whatever fails is counted, and no request fails for it. */
  async function unlessDry<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    if (mode !== 'dryRun') return work();
    try {
      return await work();
    } catch (failure) {
      report(fault(failure));
      return otherwise;
    }
  }

  /** All of them, whichever fails; the first failure is returned. */
  async function endAll(request: unknown): Promise<unknown> {
    let first: unknown;
    const onFault = (failure: unknown): void => {
      if (mode === 'on') first ??= failure;
      // Where sessions do not move in, an older system that cannot be asked keeps nobody from logging out.
      else report(fault(failure));
    };
    for await (const visit of visitsOf(request, undefined, onFault))
      try {
        await endVisit(context, visit, mode === 'on');
      } catch (failure) {
        first ??= failure;
      }
    return first;
  }

  return {
    async arrive(request, session, check) {
      const confirmed = session?.user === undefined ? undefined : await confirm(request, session);
      if (confirmed !== undefined) return confirmed;
      const anonymous = session?.user === undefined ? session : null;
      return unlessDry(() => look(request, anonymous, check), { session, moved: null, clearCookies: [] });
    },

    async replace(request) {
      if (mode !== 'on') return [];
      const failure = await endAll(request);
      // The login stands; without its cookie the old session is nobody's in this browser.
      if (failure !== undefined) report(fault(failure));
      return clearing(request);
    },

    async end(request) {
      const failure = await endAll(request);
      if (failure !== undefined) throw failure;
      return clearing(request);
    },
  };
}

type OnUnproven = Parameters<typeof legacyVisits>[3];

const NOBODY: ReadonlySet<MoveRefusal> = new Set(STANDS_FOR_NOBODY);

/** A Cookie header, or an event of API Gateway. */
function linesOf(request: unknown): readonly unknown[] {
  return typeof request === 'string' ? [request] : cookieLines(request);
}
