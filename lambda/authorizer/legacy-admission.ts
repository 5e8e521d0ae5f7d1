// SPDX-License-Identifier: Apache-2.0
/** Admits the session of an older system, read-only, while its users move over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readString } from '../session/attribute';
import type { LegacySession, LegacySource } from '../session/legacy-source';
import { repeat } from '../session/lifecycle/context';
import { userStateFrom } from '../session/lifecycle/user-item';
import { claimKey, isSettledClaim } from '../session/migration/claim';
import { findLegacyVisit } from '../session/migration/legacy-visit';
import { refusalByUserItem, type UserRefusal } from '../session/migration/user-refusal';
import { userKey } from '../session/session-keys';
import type { Item, ItemKey } from '../session/store';
import { isUserId } from '../session/validate-session-item';
import type { AdmittedSession } from './context';
import { checkRead, type DecisionDeps, reason } from './decision';
import type { SessionReader } from './reader';

/** Older systems in the order in which they are asked, and what ends their sessions beside what the table says. */
export interface LegacyAdmissionOptions {
  readonly sources: readonly LegacySource[];
  /** Unix seconds: what began by then is refused. Absent: no such line. */
  readonly startedAfter?: number | undefined;
  /** Of the settings; absent: none. */
  readonly epoch?: string | undefined;
}

export type LegacyRefusal = 'settled' | 'absent' | 'malformed' | 'expired' | UserRefusal;
type LegacyDecision =
  | { readonly admitted: AdmittedSession }
  | { readonly denied: `legacy${Capitalize<LegacyRefusal>}` };

/** How `decide` asks older systems; `undefined` where there are none, or nothing tells what has moved in. */
export function legacyAdmission(
  options: LegacyAdmissionOptions,
  { readItem }: Pick<SessionReader, 'readItem'>,
): DecisionDeps['admitLegacy'] {
  if (options.sources.length === 0 || readItem === undefined) return undefined;
  return (lines, now) => admitLegacySession(lines, now, options, async (key) => checkRead(await readItem(key)));
}

/** The first source that proves its cookie decides; `undefined` where none does. */
async function admitLegacySession(
  lines: readonly unknown[],
  now: number,
  { sources, startedAfter = -1, epoch }: LegacyAdmissionOptions,
  readItem: (key: ItemKey) => Promise<Item | undefined>,
): Promise<LegacyDecision | undefined> {
  const visit = await findLegacyVisit(lines, sources, now);
  if (visit === undefined) return undefined;
  const claim = await readItem(claimKey(visit.claimId));
  // It moved in and its new cookie came back, or it was logged out; the older system may have written it again since.
  if (claim !== undefined && isSettledClaim(claim)) return { denied: 'legacySettled' };
  // It was moving in under another epoch, whose end was the end of every session.
  if (claim !== undefined && readString(claim, 'epoch') !== epoch) return { denied: 'legacySettled' };
  // Again after what may pass: a connection that was kept may be dead once the function thaws.
  const session = await repeat({ sleep }, () => visit.source.read(visit.id, now));
  if (session === undefined) return { denied: 'legacyAbsent' };
  const refusal =
    refusalOf(session, now) ??
    (session.createdAt <= startedAfter ? 'beforeLine' : undefined) ??
    // "Log out everywhere" and bans hold for what has not moved in, too.
    refusalByUserItem(userStateFrom(await readItem(userKey(session.user))), session);
  if (refusal !== undefined) return { denied: reason('legacy', refusal) };
  return { admitted: { ...session, tokenHash: visit.claimId, authenticatedAt: 0, claims: {} } };
}

/** A source is trusted to read, not to decide: what it returns is checked like an item of our own. */
function refusalOf(session: LegacySession, now: number): LegacyRefusal | undefined {
  if (!isUserId(session.user) || !isTime(session.createdAt) || !isTime(session.expiresAt)) return 'malformed';
  return session.expiresAt <= now ? 'expired' : undefined;
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e11;
}
