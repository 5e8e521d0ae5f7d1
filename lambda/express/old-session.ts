// SPDX-License-Identifier: Apache-2.0
/** The session of an older system whose cookie a request brought: a logout ends it, and a login does not leave it beside its own. */
import type { LegacyMigration } from '../session/migration/migration';
import type { StoredData } from './express-data';
import type { Request, Response } from './session-cookie';

export class OldSession {
  readonly #legacy: LegacyMigration<StoredData>;
  readonly #request: Request;
  readonly #cookies: { readonly headers: { readonly cookie: string | undefined } };
  readonly #response: Response;

  constructor(legacy: LegacyMigration<StoredData>, request: Request, response: Response) {
    this.#legacy = legacy;
    this.#request = request;
    this.#cookies = { headers: { cookie: request.headers.cookie } };
    this.#response = response;
  }

  /** `request.session.destroy()` takes the session from the request first; where it is still there, it was another's end. */
  get isWithoutSession(): boolean {
    return this.#request.session === undefined;
  }

  /** Logout. */
  async end(): Promise<void> {
    this.#clear(await this.#legacy.end(this.#cookies));
  }

  /** Login. */
  async replace(): Promise<void> {
    this.#clear(await this.#legacy.replace(this.#cookies));
  }

  #clear(setCookies: readonly string[]): void {
    // Too late to tell the browser; its cookie is worth nothing any more.
    if (this.#response.headersSent) return;
    const already = [this.#response.getHeader('Set-Cookie') ?? []].flat();
    const missing = setCookies.filter((setCookie) => !already.includes(setCookie));
    if (missing.length === 0) return;
    this.#response.appendHeader('Set-Cookie', missing);
    this.#response.setHeader('Cache-Control', 'no-store');
  }
}
