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

/** The renewal that is due now, or `undefined`. At most one per interval, never to an earlier end. */
export function renewalDue(session: ValidSession, timeout: IdleTimeout, now: number): SessionRenewal | undefined {
  const lastSlide = session.renewedAt ?? session.issuedAt;
  if (now - lastSlide < timeout.renewalIntervalSeconds) return undefined;
  const expiresAt = Math.min(now + timeout.idleTimeoutSeconds, session.createdAt + timeout.absoluteTimeoutSeconds);
  // At its absolute end already, or settings were shortened: a renewal never takes time away.
  if (expiresAt <= session.expiresAt) return undefined;
  return { expiresAt, renewedAt: now, previousRenewedAt: session.renewedAt };
}
