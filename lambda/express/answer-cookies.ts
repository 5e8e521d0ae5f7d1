// SPDX-License-Identifier: Apache-2.0
/** The cookies of one answer. Those of a session, ours or an older system's, leave with `Cache-Control: no-store`. */
import type { Response } from './session-cookie';

export class AnswerCookies {
  readonly #response: Response;
  /** Of the cookies whose Set-Cookie must not be cached. */
  readonly #sessionCookieName: string;
  #isAboutSession = false;

  constructor(response: Response, sessionCookieName: string) {
    this.#response = response;
    this.#sessionCookieName = sessionCookieName;
  }

  /** Sets or clears cookies of sessions, each once. */
  add(setCookies: readonly string[]): void {
    // Too late to tell the browser; what is cleared is worth nothing any more.
    if (this.#response.headersSent) return;
    const already = this.#setCookies();
    const missing = setCookies.filter((setCookie) => !already.includes(setCookie));
    if (missing.length === 0) return;
    this.#isAboutSession = true;
    this.#response.appendHeader('Set-Cookie', missing);
  }

  /**
   * Has the cookies translated just before the headers leave. express-session hooks itself in later than this, and is therefore
   * done by then; so is the route, whose own word about caching does not count for an answer with a session's cookie.
   */
  onLeaving(translate: (setCookies: readonly string[]) => readonly string[]): void {
    const response = this.#response;
    const writeHead = response.writeHead;
    const leave = (): void => {
      const before = this.#setCookies();
      const after = translate(before);
      if (after.length > 0) response.setHeader('Set-Cookie', after);
      else if (before.length > 0) response.removeHeader('Set-Cookie');
      const isOurs = (setCookie: string): boolean => setCookie.startsWith(`${this.#sessionCookieName}=`);
      if (this.#isAboutSession || after.some(isOurs)) response.setHeader('Cache-Control', 'no-store');
    };
    response.writeHead = function (this: Response, ...head: Parameters<typeof writeHead>) {
      leave();
      return writeHead.apply(this, head);
    } as typeof writeHead;
  }

  #setCookies(): string[] {
    return [this.#response.getHeader('Set-Cookie') ?? []].flat().map(String);
  }
}
