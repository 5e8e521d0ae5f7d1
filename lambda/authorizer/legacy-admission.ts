// SPDX-License-Identifier: Apache-2.0
/** Admits the session of an older system, read-only, while its users move over. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LegacyRefusal, LegacySession, LegacySource } from '../session/legacy-source';
import { userStateFrom } from '../session/lifecycle/user-item';
import { askSource } from '../session/migration/ask-source';
import { type ClaimedSession, type ClaimState, claimKey, claimStateFrom } from '../session/migration/claim-item';
import { isEndedSession } from '../session/migration/ended-session';
import { refusalByContent } from '../session/migration/legacy-refusal';
import {
  type LegacyVisit,
  legacyVisits,
  STANDS_FOR_NOBODY,
  type UnprovenReason,
} from '../session/migration/legacy-visit';
import { refusalByUserItem, type UserRefusal } from '../session/migration/user-refusal';
import { sessionKey, userKey } from '../session/session-keys';
import type { ItemKey } from '../session/store';
import { IN_FLIGHT_MARGIN_SECONDS } from '../settings';
import type { AuthorizerSettings } from './authorizer-settings';
import { checkRead, type Decision, type DecisionDeps, decideOnTokenHash, reason } from './decision';
import type { SessionReader } from './reader';

/** Older systems in the order in which they are asked, and what ends their sessions beside what the table says. */
export interface LegacyAdmissionOptions {
  readonly sources: readonly LegacySource[];
  /** Unix seconds: what began by then is refused. Absent: no such line. */
  readonly startedAfter?: number | undefined;
  /** Which sessions are asked for; the others are passed over. Default: all. */
  readonly isAsked?: ((visit: LegacyVisit) => boolean) | undefined;
  /** Receives the name of the source of each older session that is let in, and when its login began: 0 if unknown. Default: nothing is reported. */
  readonly onAdmitted?: ((source: string, createdAt: number) => void) | undefined;
  /** The same for each that is not, and why. Default: nothing is reported. */
  readonly onRefused?: ((source: string, refusal: AdmissionRefusal) => void) | undefined;
}

export type AdmissionRefusal = LegacyRefusal['refused'] | UnprovenReason | 'settled' | 'over' | UserRefusal;

/** How `decide` asks older systems; `undefined` where there are none, or nothing tells what has moved in. */
export function legacyAdmission(
  { sources, startedAfter, isAsked = () => true, onAdmitted = () => {}, onRefused = () => {} }: LegacyAdmissionOptions,
  reader: SessionReader,
  settings: AuthorizerSettings,
): DecisionDeps['admitLegacy'] {
  const asksTable = sources.some(({ isStateless }) => isStateless !== true);
  if (sources.length === 0 || (asksTable && reader.readItem === undefined)) return undefined;
  const read = async (key: ItemKey) => checkRead(await reader.readItem?.(key));
  const readClaim = async (claimId: string, now: number) => claimStateFrom(await read(claimKey(claimId)), now);

  const readSession = (tokenHash: string) => read(sessionKey(tokenHash, settings.epoch));

  /** The new cookie came back while this request was on its way with the old one: what it may do is the new session's. */
  async function admitLate({ tokenHash }: ClaimedSession, now: number): Promise<Verdict> {
    const deps = { reader, onRenewalFault: () => {} };
    // Without the idle timeout: only a request that brings the session's own cookie slides it.
    const decision = await decideOnTokenHash(tokenHash, now, deps, { ...settings, idleTimeout: undefined });
    return 'admitted' in decision ? decision : SETTLED;
  }

  async function decideOn(visit: LegacyVisit, now: number): Promise<Verdict> {
    if (visit.source.isStateless === true) return admitStateless(visit, startedAfter, now);
    const claim = await readClaim(visit.claimId, now);
    // It moved in and its new cookie came back, or it was logged out; the older system may have written it again since.
    if (claim === 'settled') return SETTLED;
    if (isConfirmed(claim)) return admitLate(claim.confirmed, now);
    // It was moving in under another epoch, whose end was the end of every session.
    if (claim !== 'none' && claim.pending.epoch !== settings.epoch) return SETTLED;
    // Logged out from another device, say, before its cookie came back.
    if (claim !== 'none' && (await isEndedSession(await readSession(claim.pending.tokenHash), readSession)))
      return SETTLED;
    const found = await askSource({ sleep }, () => visit.source.read(visit.id, now));
    if (found === undefined || 'refused' in found) {
      // Ended by the older system, or by the return of the new cookie since the claim was read.
      const late = await readClaim(visit.claimId, now);
      return isConfirmed(late) ? admitLate(late.confirmed, now) : (found ?? ABSENT);
    }
    // It was moving in before: where nobody knows when it began, it is no younger than that.
    const knownSince = claim !== 'none' && claim.pending.user === found.user ? claim.pending.createdAt : now;
    const session = withinAbsoluteTimeout(found, knownSince, settings);
    const refusal =
      refusalByContent(found, now, startedAfter) ??
      // As when it moves in, for which it must live long enough to be written.
      (session.expiresAt <= now + IN_FLIGHT_MARGIN_SECONDS ? 'over' : undefined) ??
      // "Log out everywhere" and bans hold for what has not moved in, too.
      refusalByUserItem(userStateFrom(await read(userKey(session.user))), session);
    if (refusal !== undefined) return { refused: refusal };
    return { admitted: { ...session, tokenHash: visit.claimId, authenticatedAt: 0, claims: {} } };
  }

  /** The first source that proves its cookie decides, unless that stands for nobody; `undefined` where none does. */
  return async (lines, now) => {
    let decision: Decision | undefined;
    const onUnproven = ({ name }: LegacySource, refusal: AdmissionRefusal): void => {
      onRefused(name, refusal);
      decision ??= { denied: reason('legacy', refusal) };
    };
    for await (const visit of legacyVisits(lines, sources, now, onUnproven)) {
      if (!isAsked(visit)) continue;
      const verdict = await decideOn(visit, now);
      decision = 'refused' in verdict ? { denied: reason('legacy', verdict.refused) } : verdict;
      if ('admitted' in verdict) onAdmitted(visit.source.name, verdict.admitted.createdAt);
      else onRefused(visit.source.name, verdict.refused);
      if ('admitted' in verdict || !NOBODY.has(verdict.refused)) break;
    }
    return decision;
  };
}

const NOBODY: ReadonlySet<string> = new Set(STANDS_FOR_NOBODY);

/** What one older session comes to. */
type Verdict = Extract<Decision, { readonly admitted: unknown }> | { readonly refused: AdmissionRefusal };

/** Nothing of the session is in any table, so that nothing there could end it: what its cookies say is all there is. */
async function admitStateless(
  { source, id, claimId }: LegacyVisit,
  startedAfter: number | undefined,
  now: number,
): Promise<Verdict> {
  const session = await askSource({ sleep }, () => source.read(id, now));
  if (session === undefined || 'refused' in session) return session ?? ABSENT;
  const refusal = refusalByContent(session, now, startedAfter);
  if (refusal !== undefined) return { refused: refusal };
  return { admitted: { ...session, tokenHash: claimId, authenticatedAt: session.createdAt, claims: {} } };
}

const ABSENT: Verdict = { refused: 'absent' };
const SETTLED: Verdict = { refused: 'settled' };

function isConfirmed(state: ClaimState): state is { readonly confirmed: ClaimedSession } {
  return typeof state === 'object' && 'confirmed' in state;
}

/** As when it moves in: no longer than either system allows. */
function withinAbsoluteTimeout(
  session: LegacySession,
  knownSince: number,
  { absoluteTimeoutSeconds = Number.POSITIVE_INFINITY }: AuthorizerSettings,
): LegacySession {
  const beginning = session.createdAt === 0 ? knownSince : session.createdAt;
  return { ...session, expiresAt: Math.min(session.expiresAt, beginning + absoluteTimeoutSeconds) };
}
