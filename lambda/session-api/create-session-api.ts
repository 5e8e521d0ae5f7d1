// SPDX-License-Identifier: Apache-2.0
/** The handler of the session routes: who am I, log out, my devices, log one out, log all out. */
import type { LegacySource } from '../session/legacy-source';
import type { ProxyResponse } from '../session/proxy-response';
import type { Sessions } from '../session/sessions';
import { ACTIONS } from './actions';
import { type Answer, toResponse } from './response';
import { sessionRoute } from './route';

export interface SessionApiDeps {
  readonly sessions: Sessions<unknown>;
  /** Sessions that are all in their cookies: a logout can only make the browser drop them. Default: none. */
  readonly cookieOnlySources?: readonly LegacySource[];
  /** Receives what made a request fail with 500. Default: the error's name and message on standard error. */
  readonly logError?: (error: unknown) => void;
}

/**
 * Makes a handler for events of REST and HTTP APIs (proxy integration, payload 1.0 or 2.0) behind the authorizer. It never
 * rejects: a store that fails is answered with 500 and logged.
 */
export function createSessionApi({
  sessions,
  cookieOnlySources = [],
  logError = logToStandardError,
}: SessionApiDeps): (event: unknown) => Promise<ProxyResponse> {
  async function answer(event: unknown): Promise<Answer> {
    const route = sessionRoute(event);
    if (route === undefined) return { status: 404, body: { message: 'Not Found' } };
    // Checked again after the authorizer: a route may be attached without it, or with cached answers.
    if (!sessions.checkOrigin(event).allowed) return { status: 403, body: { message: 'Forbidden' } };
    try {
      return await ACTIONS[route](event, { sessions, cookieOnlySources });
    } catch (error) {
      logError(error);
      return { status: 500, body: { message: 'Internal Server Error' } };
    }
  }

  return async (event) => toResponse(event, await answer(event), sessions.settings.allowedOrigins);
}

/** The name and message of a `SessionStoreError` hold no key; its cause may, so it is not written. */
export function logToStandardError(error: unknown): void {
  console.error(
    error instanceof Error ? `${error.name}: ${error.message}` : 'the request failed for an unknown reason',
  );
}
