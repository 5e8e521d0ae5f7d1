// SPDX-License-Identifier: Apache-2.0
/** When a request slides the idle timeout, and to which end: one rule for authorizer and library. Pure. */
import type { ValidSession } from './validate-session-item';

export interface IdleTimeout {
  readonly idleTimeoutSeconds: number;
  readonly absoluteTimeoutSeconds: number;
  readonly renewalIntervalSeconds: number;
}

export interface SessionRenewal {
  readonly expiresAt: number;
  /** Now. */
  readonly renewedAt: number;
  /** As it was read; absent if the session never slid. */
  readonly previousRenewedAt?: number | undefined;
}

/**
 * The renewal that is due now, or `undefined`. At most one per interval, never to an earlier end. A session that ends before
 * its last slide wanted, because it moved in with the end of an older system, is due at once: its interval may not come.
 */
export function renewalDue(session: ValidSession, timeout: IdleTimeout, now: number): SessionRenewal | undefined {
  const lastSlide = session.renewedAt ?? session.issuedAt;
  const endAfter = (slide: number) =>
    Math.min(
      slide + timeout.idleTimeoutSeconds,
      session.createdAt + timeout.absoluteTimeoutSeconds,
      session.endsAt ?? Number.POSITIVE_INFINITY,
    );
  if (now - lastSlide < timeout.renewalIntervalSeconds && session.expiresAt >= endAfter(lastSlide)) return undefined;
  const expiresAt = endAfter(now);
  // At its absolute end already, or settings were shortened: a renewal never takes time away.
  if (expiresAt <= session.expiresAt) return undefined;
  return { expiresAt, renewedAt: now, previousRenewedAt: session.renewedAt };
}
