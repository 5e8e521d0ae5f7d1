// SPDX-License-Identifier: Apache-2.0
/** Goes through the old cookies of a request, and moves in the session that one of them stands for. */
import { readSessionCookie } from '../cookie-reader';
import type { LegacySource } from '../legacy-source';
import type { LifecycleContext } from '../lifecycle/context';
import type { IssuedSession } from '../lifecycle/create-session';
import type { Session } from '../lifecycle/session';
import { cookieLinesOf } from '../request';
import type { IssuedCookie } from '../sessions';
import type { LegacyArrival } from './legacy-arrival';
import type { LegacyOptions } from './legacy-options';
import {
  cookiesToClear,
  type LegacyVisit,
  legacyVisits,
  type OnFault,
  STANDS_FOR_NOBODY,
  type UnprovenReason,
} from './legacy-visit';
import type { MoveInOptions } from './look-at-arrival';
import { fault, type MoveRefusal, reportToLog } from './migration-report';
import { isBeyondShare } from './migration-share';
import { moveIn } from './move-in';
import type { MoveOutcome } from './move-outcome';

/** @returns what looks at a request without a session of a user; `session` is its anonymous one, if it has one */
export function createLook<Data>(
  context: LifecycleContext,
  options: LegacyOptions<unknown>,
  withCookie: (issued: IssuedSession<Data>) => IssuedCookie<Data>,
) {
  const { sources, mode = 'on', sharePercent = 100, oldSessions = 'end', report = reportToLog } = options;
  const isDry = mode === 'dryRun';
  const reportFault: OnFault = (failure, source) => report(fault(failure, source.name));
  const reportUnproven = ({ name }: LegacySource, reason: UnprovenReason): void =>
    report({ kind: 'refused', source: name, reason });

  function reportOutcome(source: string, outcome: MoveOutcome<Data>): void {
    if (outcome === 'wouldMoveIn') report({ kind: 'wouldMoveIn', source });
    else if ('refused' in outcome) report({ kind: 'refused', source, reason: outcome.refused });
    else if ('late' in outcome) report({ kind: 'servedLate', source });
    else report({ kind: outcome.isNew ? 'movedIn' : 'handedOutAgain', source });
  }

  /** What would become of it. Whatever fails is counted, and no request fails for it: then `undefined`. */
  async function rehearse(visit: LegacyVisit, check: MoveInOptions['check']): Promise<MoveOutcome<Data> | undefined> {
    try {
      const outcome = await moveIn<Data>(context, visit, { ...options, check, mode: 'dryRun' }, null);
      // Served late is who has moved in, and nobody is served by a rehearsal.
      if (typeof outcome === 'string' || 'refused' in outcome) reportOutcome(visit.source.name, outcome);
      return outcome;
    } catch (failure) {
      reportFault(failure, visit.source);
      return undefined;
    }
  }

  return async function look(
    request: unknown,
    session: Session<Data> | null,
    check?: MoveInOptions['check'],
  ): Promise<LegacyArrival<Data>> {
    const nothing = { session, moved: null, clearCookies: [] };
    const lines = cookieLinesOf(request);
    if (mode === 'off' || hasOddCookie(lines, context.settings.cookieName)) return nothing;
    let answer: LegacyArrival<Data> = nothing;
    const onUnproven = isDry || sharePercent < 100 ? reportUnproven : undefined;
    for await (const visit of legacyVisits(
      lines,
      sources,
      context.now(),
      onUnproven,
      isDry ? reportFault : undefined,
    )) {
      if (isDry || isBeyondShare(visit, sharePercent)) {
        const outcome = await rehearse(visit, check);
        // What is beyond the share decides nothing; a dry run stops where the move would.
        if (isDry && !standsForNobody(outcome)) return nothing;
        continue;
      }
      const outcome = await moveIn<Data>(context, visit, { ...options, check }, session);
      reportOutcome(visit.source.name, outcome);
      if (outcome === 'wouldMoveIn') return answer;
      if ('late' in outcome) return { ...nothing, session: outcome.late };
      if ('issued' in outcome)
        return { ...nothing, session: outcome.issued.session, moved: withCookie(outcome.issued) };
      const isWorthless = outcome.refused === 'settled' || outcome.refused === 'ended';
      // Where old sessions are kept, pages of the older system may still go by this cookie.
      if (isWorthless && oldSessions === 'end')
        answer = { ...nothing, clearCookies: [...answer.clearCookies, ...cookiesToClear(lines, [visit.source])] };
      // A cookie that stands for nobody must not be in the way of the next one; a refused user is not asked again.
      if (!standsForNobody(outcome)) break;
    }
    return answer;
  };
}

const NOBODY: ReadonlySet<MoveRefusal> = new Set(STANDS_FOR_NOBODY);

function standsForNobody(outcome: MoveOutcome<unknown> | undefined): boolean {
  return typeof outcome === 'object' && 'refused' in outcome && NOBODY.has(outcome.refused);
}

/** A cookie of ours that cannot be read with certainty: as in the authorizer, such a request is nobody's. */
function hasOddCookie(lines: readonly unknown[], cookieName: string): boolean {
  const cookie = readSessionCookie(lines, cookieName);
  return 'refused' in cookie && cookie.refused !== 'missing';
}
