// SPDX-License-Identifier: Apache-2.0
/** Writes of a claim: put before the session it names, moved on, and settled for good. Each is one conditional write. */
import { hasAttribute, number, readString, readWholeNumber, text } from '../attribute';
import { SessionStoreError } from '../errors';
import { attempt, type LifecycleContext, repeat } from '../lifecycle/context';
import { keyAttributes } from '../lifecycle/session-item';
import type { Item } from '../store';
import {
  type ClaimedSession,
  type ClaimState,
  claimedSession,
  claimKey,
  claimStateFrom,
  IS_CLAIM,
  IS_PENDING,
  type PendingClaim,
  writeClaim,
} from './claim-item';

export async function readClaim(context: LifecycleContext, claimId: string): Promise<ClaimState> {
  return claimStateFrom(await repeat(context, () => context.store.get(claimKey(claimId))), context.now());
}

/** `false` if there is a claim already. */
export async function putClaim(
  context: LifecycleContext,
  claimId: string,
  claim: PendingClaim,
  keepUntil: number,
): Promise<boolean> {
  const item: Item = {
    ...keyAttributes(context.store, claimKey(claimId)),
    ...writeClaim(claim),
    [context.store.attributeNames.expiresAt]: number(keepUntil),
  };
  return (await attempt(context, () => context.store.put(item))).result;
}

/** Puts another session in the place of the one that the pending claim names; `false` if the claim moved on meanwhile. */
export async function replaceClaim(
  context: LifecycleContext,
  claimId: string,
  previousTokenHash: string,
  claim: PendingClaim,
): Promise<boolean> {
  const { result } = await attempt(context, () =>
    context.store.update(claimKey(claimId), { set: writeClaim(claim) }, [
      IS_CLAIM,
      IS_PENDING,
      { attribute: 'session', is: 'equal', to: text(previousTokenHash) },
    ]),
  );
  return result.applied;
}

/**
 * The session got a fresh token before its cookie had come back: the claim goes on with its successor. The session is
 * rotated by now, so a fault is no failure of the rotation; the successor knows its claim, and settles it when it comes back.
 */
export async function passClaimOn(
  context: LifecycleContext,
  claimId: string,
  tokenHash: string,
  successorHash: string,
): Promise<void> {
  try {
    await attempt(context, () =>
      context.store.update(claimKey(claimId), { set: { session: text(successorHash) } }, [
        IS_CLAIM,
        IS_PENDING,
        { attribute: 'session', is: 'equal', to: text(tokenHash) },
      ]),
    );
  } catch (failure) {
    if (!(failure instanceof SessionStoreError)) throw failure;
  }
}

/**
 * A session of the claim has come back with its cookie: the old cookie mints nothing any more. The claim must name `named`;
 * from now on it names `tokenHash`. Returns the name of the source; absent if the claim names another, was settled before, or
 * is gone.
 */
export async function confirmClaim(
  context: LifecycleContext,
  claimId: string,
  tokenHash: string,
  named: string = tokenHash,
): Promise<string | undefined> {
  const { result } = await attempt(context, () =>
    context.store.update(
      claimKey(claimId),
      {
        ...settling(context),
        set: { ...settling(context).set, session: text(tokenHash), confirmed_at: number(context.now()) },
      },
      [IS_CLAIM, IS_PENDING, { attribute: 'session', is: 'equal', to: text(named) }],
    ),
  );
  if (!result.applied || result.previous === undefined) return undefined;
  const sourceName = readString(result.previous, 'source');
  return typeof sourceName === 'string' ? sourceName : '';
}

/**
 * The older session was ended. Returns what must be ended with it: the session that the claim names, unless its cookie came
 * back so long ago that the old cookie has no part in it any more.
 * @param keepUntil writes a claim where there is none, so that what never moved in cannot any more
 */
export async function settleClaim(
  context: LifecycleContext,
  claimId: string,
  keepUntil?: number,
): Promise<ClaimedSession | undefined> {
  const { expiresAt } = context.store.attributeNames;
  const { result } = await attempt(context, () => {
    const change = settling(context);
    return keepUntil === undefined
      ? context.store.update(claimKey(claimId), change, [IS_CLAIM, IS_PENDING])
      : context.store.update(
          claimKey(claimId),
          {
            ...change,
            set: { ...change.set, type: text('legacy_claim') },
            setIfAbsent: { [expiresAt]: number(keepUntil) },
          },
          [IS_PENDING],
        );
  });
  if (result.applied) {
    if (result.previous === undefined) return undefined;
    if (keepUntil !== undefined) await keepLonger(context, claimId, result.previous, keepUntil);
    return claimedSession(result.previous);
  }
  // It may have been this call that settled the claim, or an earlier one that was cut off before it ended the session.
  const item = await repeat(context, () => context.store.get(claimKey(claimId)));
  if (item === undefined) return undefined;
  if (keepUntil !== undefined) await keepLonger(context, claimId, item, keepUntil);
  const state = claimStateFrom(item, context.now());
  // A request that is on its way with the old cookie alone still acts for the session, and so does a logout.
  if (typeof state === 'object') return 'confirmed' in state ? state.confirmed : state.pending;
  return hasAttribute(item, 'confirmed_at') ? undefined : claimedSession(item);
}

/** Remembered as long as a logout wants, and never shorter than it was. */
async function keepLonger(context: LifecycleContext, claimId: string, item: Item, keepUntil: number): Promise<void> {
  const { expiresAt } = context.store.attributeNames;
  const kept = readWholeNumber(item, expiresAt);
  if (typeof kept !== 'number' || kept >= keepUntil - DAY_SECONDS) return;
  await attempt(context, () =>
    context.store.update(claimKey(claimId), { set: { [expiresAt]: number(keepUntil) } }, [IS_CLAIM]),
  );
}

const DAY_SECONDS = 86_400;

function settling(context: LifecycleContext) {
  return { set: { settled_at: number(context.now()) }, remove: ['nonce'] };
}
