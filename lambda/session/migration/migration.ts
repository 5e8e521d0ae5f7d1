// SPDX-License-Identifier: Apache-2.0
/** What the session library does with the cookies of older systems: moves their sessions in, confirms, and ends them. */
import { readSessionCookie } from '../cookie-reader';
import { SessionStoreError } from '../errors';
import { IS_SESSION, keyOf, type LifecycleContext, repeat } from '../lifecycle/context';
import type { IssuedSession } from '../lifecycle/create-session';
import { endSession } from '../lifecycle/end-session';
import { memoryOf, type Session } from '../lifecycle/session';
import { cookieLines } from '../request';
import type { IssuedCookie } from '../sessions';
import { confirmClaim, readClaim, settleClaim } from './claim';
import { claimIdIn } from './claim-item';
import { type LegacyOptions, validateLegacyOptions } from './legacy-options';
import { cookiesToClear, findLegacyVisit, type LegacyVisit } from './legacy-visit';
import { reportToLog } from './migration-report';
import { claimKeptUntil, moveIn } from './move-in';

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
  validateLegacyOptions(options);
  const { sources, mode = 'on', report = reportToLog } = options;
  /** A cookie of ours that cannot be read with certainty: as in the authorizer, such a request is nobody's. */
  const hasOddCookie = (request: unknown) => {
    const cookie = readSessionCookie(linesOf(request), context.settings.cookieName);
    return 'refused' in cookie && cookie.refused !== 'missing';
  };
  const visitOf = (request: unknown) => findLegacyVisit(linesOf(request), sources, context.now());
  const clearing = (request: unknown) => cookiesToClear(linesOf(request), sources);

  /** Whether the session was waiting for this. A fault is reported and leaves it waiting: the session itself is good. */
  async function confirm(request: unknown, session: Session<Data> & { readonly user: string }): Promise<boolean> {
    const claimId = claimIdIn(memoryOf(session).item);
    if (claimId === undefined || mode !== 'on') return false;
    try {
      const confirmation = await confirmClaim(context, claimId, session.id);
      const other = confirmation?.claimed;
      // The first cookie to come back is the one that counts, whatever the claim was waiting for.
      if (other !== undefined && other.tokenHash !== session.id)
        await endSession(context, other.tokenHash, {
          reach: 'onlyThis',
          user: session.user,
          tombstoneExpiresAt: other.expiresAt,
        });
      const visit = await visitOf(request);
      // Only now: as long as the new cookie had not come back, the old one was all that the user had.
      if (visit?.claimId === claimId) await repeat(context, () => visit.source.end(visit.id));
      await repeat(context, () =>
        context.store.update(keyOf(context, session.id), { remove: ['legacy_claim'] }, [IS_SESSION]),
      );
      if (confirmation !== undefined) report({ kind: 'confirmed', source: confirmation.sourceName });
      return true;
    } catch (failure) {
      if (!(failure instanceof SessionStoreError)) throw failure;
      report({ kind: 'confirmationFault', code: failure.code });
      return false;
    }
  }

  /** Whether there is anything to end: an id that nothing signed may be made up, and must not fill the table with claims. */
  async function isKnown(visit: LegacyVisit): Promise<boolean> {
    if (visit.source.tokenSecrets !== undefined) return true;
    if ((await readClaim(context, visit.claimId)) !== 'none') return true;
    const found = await repeat(context, () => visit.source.read(visit.id, context.now()));
    return found !== undefined && !('refused' in found);
  }

  return {
    async arrive(request, session, check) {
      if (isOfUser(session)) {
        const isConfirmed = await confirm(request, session);
        return { session, moved: null, clearCookies: isConfirmed ? clearing(request) : [] };
      }
      const nothing = { session, moved: null, clearCookies: [] };
      const visit = mode === 'off' || hasOddCookie(request) ? undefined : await visitOf(request);
      if (visit === undefined) return nothing;
      const source = visit.source.name;
      const outcome = await moveIn<Data>(context, visit, { ...options, check }, session);
      if (outcome === 'wouldMoveIn') {
        report({ kind: 'wouldMoveIn', source });
        return nothing;
      }
      if ('refused' in outcome) {
        report({ kind: 'refused', source, reason: outcome.refused });
        const isWorthless = mode === 'on' && (outcome.refused === 'settled' || outcome.refused === 'ended');
        return { session, moved: null, clearCookies: isWorthless ? clearing(request) : [] };
      }
      if ('late' in outcome) {
        report({ kind: 'servedLate', source });
        return { session: outcome.late, moved: null, clearCookies: [] };
      }
      report({ kind: outcome.isNew ? 'movedIn' : 'handedOutAgain', source });
      return { session: outcome.issued.session, moved: withCookie(outcome.issued), clearCookies: [] };
    },

    replace: async (request) => (mode === 'on' ? end(request) : []),
    end,
  };

  async function end(request: unknown): Promise<readonly string[]> {
    const visit = mode === 'dryRun' ? undefined : await visitOf(request);
    if (visit === undefined) return [];
    if (!(await isKnown(visit))) return clearing(request);
    // Before the old session is ended: what is left of a call that was cut off moves in no more.
    const claimed = await settleClaim(context, visit.claimId, claimKeptUntil(visit, context.now()));
    if (claimed !== undefined)
      await endSession(context, claimed.tokenHash, {
        reach: 'wholeSession',
        // A request that is moving the session in may be about to write it.
        tombstoneExpiresAt: claimed.expiresAt,
      });
    if (mode === 'on') await repeat(context, () => visit.source.end(visit.id));
    return clearing(request);
  }
}

function isOfUser<Data>(session: Session<Data> | null): session is Session<Data> & { readonly user: string } {
  return session?.user !== undefined;
}

/** A Cookie header, or an event of API Gateway. */
function linesOf(request: unknown): readonly unknown[] {
  return typeof request === 'string' ? [request] : cookieLines(request);
}
