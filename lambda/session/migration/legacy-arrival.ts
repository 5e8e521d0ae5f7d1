// SPDX-License-Identifier: Apache-2.0
/** What older systems have to do with a request. */
import type { Session } from '../lifecycle/session';
import type { IssuedCookie } from '../sessions';

/** What a request brought along. */
export interface LegacyArrival<Data> {
  /** The session to serve the request with: the given one, or what the old cookie stands for. */
  readonly session: Session<Data> | null;
  /** The session that moved in and its cookie, to be handed out with the answer; `null` if there is none to hand out. */
  readonly moved: IssuedCookie<Data> | null;
  /** Set-Cookie values for the answer that make the browser drop old cookies that are worth nothing any more. */
  readonly clearCookies: readonly string[];
}
