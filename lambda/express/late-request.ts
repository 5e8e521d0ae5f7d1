// SPDX-License-Identifier: Apache-2.0
/**
 * A request that was sent with the old cookie alone, while another one brings the new cookie to the browser, or back. Here it has no
 * session: it is asked to come again with the new cookie.
 */
import { contextOf } from '../session/lifecycle/context-of';
import { LATE_REQUEST_SECONDS } from '../session/migration/claim-item';
import type { Sessions } from '../session/sessions';
import type { StoredData } from './express-data';
import type { Request, Response } from './session-cookie';

/** After how many redirects a request is late no more. Browsers follow 20 (Fetch, "HTTP-redirect fetch"). */
const MAX_REDIRECTS = 10;

/**
 * How long it waits before each, as whoever does not have the new cookie yet comes in a circle: 10 pauses of 1 second outlast the
 * 10 seconds for which a request counts as late. As many again are left for clocks that run apart and for one rotation more.
 */
const PAUSE_MILLIS = (LATE_REQUEST_SECONDS * 1000) / MAX_REDIRECTS;

/** Answers with a redirect to the same URL (307: same method, same body), or with 400 where that would lead to another host. */
export async function askToComeAgain(
  sessions: Sessions<StoredData>,
  request: Request,
  response: Response,
): Promise<void> {
  const sameUrl = pathOfThisHost(request.originalUrl);
  if (sameUrl !== null) await contextOf(sessions).sleep(PAUSE_MILLIS);
  // By what else was mounted before, such as a limit of time.
  if (response.headersSent) return;
  response.setHeader('Cache-Control', 'no-store');
  // Served without a session it would start one, whose cookie replaced the good one.
  if (sameUrl === null) response.writeHead(400).end();
  else response.writeHead(307, { Location: sameUrl }).end();
}

const ANY_ORIGIN = 'https://host.invalid';

/**
 * The URL of a request as a `Location` on the same host; `null` for what browsers would take for another one. It came from the
 * browser and goes back there: neither its length matters, nor what is percent-encoded in it.
 */
export function pathOfThisHost(url: string): string | null {
  // Two slashes begin the name of a host, and browsers read a backslash as a slash.
  if (!/^\/(?![/\\])/.test(url)) return null;
  // Browsers drop control characters, and other bytes have no place in a header.
  const path = url.replace(/[^\x21-\x5b\x5d-\x7e]/g, percentEncoded);
  const { origin, pathname } = new URL(path, ANY_ORIGIN);
  // What remains after dot segments are resolved must not begin with two slashes either.
  return origin === ANY_ORIGIN && !pathname.startsWith('//') ? path : null;
}

/** Node reads each byte of a URL as one character. */
function percentEncoded(character: string): string {
  return `%${Buffer.from(character, 'latin1').toString('hex').toUpperCase()}`;
}
