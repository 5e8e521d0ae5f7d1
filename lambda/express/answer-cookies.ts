// SPDX-License-Identifier: Apache-2.0
/**
 * The Set-Cookie headers of one answer, written as its headers leave: until then a route may replace or remove whatever it finds.
 * Those of a session, ours or an older system's, leave with `Cache-Control: no-store`.
 */
import type { Response } from './session-cookie';

export class AnswerCookies {
  readonly #response: Response;
  /** Of the cookies whose Set-Cookie must not be cached. */
  readonly #sessionCookieName: string;
  readonly #clearings = new Set<string>();

  constructor(response: Response, sessionCookieName: string) {
    this.#response = response;
    this.#sessionCookieName = sessionCookieName;
  }

  /** Has the browser drop cookies of older systems. Without effect once the headers left; what is cleared is worth nothing any more. */
  clear(setCookies: readonly string[]): void {
    for (const setCookie of setCookies) this.#clearings.add(setCookie);
  }

  /**
   * Has the cookies translated just before the headers leave. express-session hooks itself in later than this, and is therefore
   * done by then; so is the route, whose own word about caching does not count for an answer with a session's cookie.
   */
  onLeaving(translate: (setCookies: readonly string[]) => readonly string[]): void {
    const response = this.#response;
    const writeHead = response.writeHead;
    const leave = (): void => {
      const before = [response.getHeader('Set-Cookie') ?? []].flat().map(String);
      const translated = translate(before);
      const clearings = [...this.#clearings].filter((clearing) => !translated.includes(clearing));
      // In front: of two cookies of one name the browser keeps the later, and a route that sets one means it.
      const after = [...clearings, ...translated];
      if (after.length > 0) response.setHeader('Set-Cookie', after);
      else if (before.length > 0) response.removeHeader('Set-Cookie');
      const isOurs = (setCookie: string): boolean => setCookie.startsWith(`${this.#sessionCookieName}=`);
      if (this.#clearings.size > 0 || after.some(isOurs)) response.setHeader('Cache-Control', 'no-store');
    };
    response.writeHead = function (this: Response, ...head: Parameters<typeof writeHead>) {
      leave();
      return writeHead.apply(this, head);
    } as typeof writeHead;
  }
}
