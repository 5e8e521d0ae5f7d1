// SPDX-License-Identifier: Apache-2.0
/**
 * The anti-CSRF token for browsers that send neither `Sec-Fetch-Site` nor `Origin`. Derived from the session token, so it
 * is stored nowhere, costs no read, belongs to exactly one session and changes with every rotation.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const LABEL = 'sessiongate csrf token 1';

/** 43 characters of base64url; safe to put into a page, because the session token cannot be computed from it. */
export function csrfToken(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update(LABEL).digest('base64url');
}

/** Whether the presented value is this session's token; compares in constant time and never throws. */
export function verifyCsrfToken(sessionToken: string, presented: unknown): boolean {
  if (typeof presented !== 'string') return false;
  const expected = Buffer.from(csrfToken(sessionToken));
  const actual = Buffer.from(presented);
  // timingSafeEqual wants equal lengths; the length of the right value is no secret.
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
