// SPDX-License-Identifier: Apache-2.0
/** The session of an older system whose cookie a request brought: a logout ends it, and a login does not leave it beside its own. */
import type { LegacyMigration } from '../session/migration/migration';
import type { AnswerCookies } from './answer-cookies';
import type { StoredData } from './express-data';
import type { Request } from './session-cookie';

export class OldSession {
  readonly #legacy: LegacyMigration<StoredData>;
  readonly #request: Request;
  readonly #cookies: { readonly headers: { readonly cookie: string | undefined } };
  readonly #answer: AnswerCookies;

  constructor(legacy: LegacyMigration<StoredData>, request: Request, answer: AnswerCookies) {
    this.#legacy = legacy;
    this.#request = request;
    this.#cookies = { headers: { cookie: request.headers.cookie } };
    this.#answer = answer;
  }

  /** `request.session.destroy()` takes the session from the request first; where it is still there, it was another's end. */
  get isWithoutSession(): boolean {
    return this.#request.session === undefined;
  }

  /** Logout. */
  async end(): Promise<void> {
    this.#answer.clear(await this.#legacy.end(this.#cookies));
  }

  /** Login. */
  async replace(): Promise<void> {
    this.#answer.clear(await this.#legacy.replace(this.#cookies));
  }
}
