// SPDX-License-Identifier: Apache-2.0
/** The new cookie has come back: from now on the old one mints nothing, and the old session is ended. */
import { IS_SESSION, keyOf, type LifecycleContext, repeat } from '../lifecycle/context';
import type { Item } from '../store';
import { rotationLinks } from '../validate-session-item';
import { asStoreError } from './ask-source';
import { confirmClaim, readClaim } from './claim';
import type { LegacyVisit } from './legacy-visit';
import { markCameBack, supersedeSession } from './supersede-session';

export type Confirmation =
  /** Absent source: the claim was settled before. */
  | { readonly source: string | undefined; readonly ended: LegacyVisit | undefined }
  /** Another session took its place before its cookie came back; it is dead. */
  | 'superseded';

/** More rotations than that between the choice of a session and the return of its cookie there are not. */
const MAX_STEPS = 10;

/**
 * Can be repeated after a fault: the session goes on naming its claim until everything is done.
 * @param visits what the request's older cookies prove
 */
export async function confirmArrival(
  context: LifecycleContext,
  claimId: string,
  tokenHash: string,
  visits: AsyncIterable<LegacyVisit>,
): Promise<Confirmation> {
  const confirmed = await confirmClaim(context, claimId, tokenHash);
  const settled = confirmed === undefined ? await settleOtherwise(context, claimId, tokenHash) : { source: confirmed };
  if (settled === 'superseded') return settled;
  let ended: LegacyVisit | undefined;
  for await (const visit of visits) {
    if (visit.claimId !== claimId) continue;
    ended = visit;
    // Only now: as long as the new cookie had not come back, the old one was all that the user had. Tried once: the next
    // request tries again, and an older system that hangs must not hold each of them up three times.
    await asStoreError(() => visit.source.end(visit.id));
  }
  await repeat(context, () =>
    context.store.update(keyOf(context, tokenHash), { remove: ['legacy_claim'] }, [IS_SESSION]),
  );
  return { source: settled?.source, ended };
}

/** The claim does not name this session: it was settled, a rotation lies between the two, or it moved on to another. */
async function settleOtherwise(
  context: LifecycleContext,
  claimId: string,
  tokenHash: string,
): Promise<{ readonly source: string } | 'superseded' | undefined> {
  for (let step = 0; step < MAX_STEPS; step++) {
    const state = await readClaim(context, claimId);
    if (typeof state === 'string' || 'confirmed' in state) return undefined;
    const { pending } = state;
    const named = pending.tokenHash;
    const isSuccessorNamed = await isSuccessor(context, named, tokenHash);
    if (!isSuccessorNamed && !(await isSuccessor(context, tokenHash, named))) {
      // Chosen in the place of this session, and not handed out as long as this one lives.
      if (!(await markCameBack(context, tokenHash))) return 'superseded';
      await supersedeSession(context, named, { ...pending, tokenHash });
    }
    const source = await confirmClaim(context, claimId, isSuccessorNamed ? named : tokenHash, named);
    if (source !== undefined) return { source };
  }
  return undefined;
}

/** Whether the session came of the other one by rotations, or is it. */
async function isSuccessor(context: LifecycleContext, tokenHash: string, origin: string): Promise<boolean> {
  let hash: string | undefined = tokenHash;
  for (let step = 0; hash !== undefined && step < MAX_STEPS; step++) {
    if (hash === origin) return true;
    const item: Item | undefined = await repeat(context, () => context.store.get(keyOf(context, hash as string)));
    hash = item === undefined ? undefined : rotationLinks(item).replaces;
  }
  return false;
}
