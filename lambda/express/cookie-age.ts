// SPDX-License-Identifier: Apache-2.0
/** How long the browser keeps the cookie: `cookie.originalMaxAge` of express-session, in milliseconds. */
import type { Session as ExpressSession } from 'express-session';

/** Further from now there is no `Date`, and express-session fails to write the cookie. */
const LONGEST_MILLIS = 8e15;

/** Neither text nor `NaN`, nor more than a date can hold. */
export function isAgeMillis(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= LONGEST_MILLIS;
}

/** An age that no cookie can have is taken for absent: express-session looks at it only as the answer leaves. */
export function ignoreOddAge(session: ExpressSession): void {
  Object.defineProperty(session, 'touch', {
    configurable: true,
    writable: true,
    value: function touch(this: ExpressSession): ExpressSession {
      if (!isAgeMillis(this.cookie.originalMaxAge)) this.cookie.originalMaxAge = null;
      return this.resetMaxAge();
    },
  });
}
