// SPDX-License-Identifier: Apache-2.0
/** Slides the idle timeout of a session in use: at most once per renewal interval, so that page views cost no write. */
import { number } from '../attribute';
import { renewalDue } from '../renewal';
import type { Condition, Item } from '../store';
import type { ValidSession } from '../validate-session-item';
import {
  attempt,
  IN_FLIGHT_MARGIN_SECONDS,
  isAlive,
  isUnchanged,
  keyOf,
  type LifecycleContext,
  repeat,
} from './context';
import { memoryOf, rememberWrite, type Session, sessionFromItem } from './session';

export type RenewOutcome = 'renewed' | 'notDue' | 'ended';

export interface Slide {
  readonly expiresAt: number;
  readonly renewedAt: number;
}

/** What a slide would write now, or `undefined` while none is due. */
export function dueSlide({ settings, now }: LifecycleContext, session: ValidSession): Slide | undefined {
  const { idleTimeoutSeconds, renewalIntervalSeconds, absoluteTimeoutSeconds } = settings;
  if (idleTimeoutSeconds === undefined || renewalIntervalSeconds === undefined) return undefined;
  const renewal = renewalDue(session, { idleTimeoutSeconds, renewalIntervalSeconds, absoluteTimeoutSeconds }, now());
  return renewal && { expiresAt: renewal.expiresAt, renewedAt: renewal.renewedAt };
}

export function slideAttributes(context: LifecycleContext, slide: Slide): Item {
  return { [context.store.attributeNames.expiresAt]: number(slide.expiresAt), renewed_at: number(slide.renewedAt) };
}

/** Alive beyond the time a write can be in flight, and slid by nobody since it was read. */
export function maySlide(context: LifecycleContext, session: ValidSession): [Condition, ...Condition[]] {
  return [
    ...isAlive(context, context.now() + IN_FLIGHT_MARGIN_SECONDS),
    isUnchanged('renewed_at', session.renewedAt ?? 0, session.renewedAt !== undefined),
  ];
}

export async function renewSession(
  context: LifecycleContext,
  session: Session<never> | Session<unknown>,
): Promise<RenewOutcome> {
  const { valid } = memoryOf(session);
  if (valid.expiresAt <= context.now()) return 'ended';
  const slide = dueSlide(context, valid);
  if (slide === undefined) return 'notDue';
  const { result, isAfterFailure } = await attempt(context, () =>
    context.store.update(keyOf(context, session.id), { set: slideAttributes(context, slide) }, [
      ...maySlide(context, valid),
      { attribute: context.store.attributeNames.expiresAt, is: 'less', than: slide.expiresAt },
    ]),
  );
  if (!result.applied) {
    const item = await repeat(context, () => context.store.get(keyOf(context, session.id)));
    const found = sessionFromItem(context, session.id, item);
    if (found === undefined) return 'ended';
    const isOurs = isAfterFailure && found.renewedAt === slide.renewedAt && found.expiresAt >= slide.expiresAt;
    // Another request slid it first, or too little of it is left to slide safely.
    if (!isOurs) return 'notDue';
  }
  rememberWrite(session, slide);
  return 'renewed';
}
