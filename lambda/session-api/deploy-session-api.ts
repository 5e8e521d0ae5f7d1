// SPDX-License-Identifier: Apache-2.0
/** The session routes as a deployed function: set up once, from its environment. */
import type { ProxyResponse } from '../session/proxy-response';
import { createSessionApi, logToStandardError, type SessionApiDeps } from './create-session-api';

/** A wrong set-up fails each request with its reason in the log, where a crash at the start would repeat without words. */
export function deploySessionApi(setUp: () => SessionApiDeps): (event: unknown) => Promise<ProxyResponse> {
  let sessionApi: ReturnType<typeof createSessionApi> | undefined;
  return async (event) => {
    try {
      sessionApi ??= createSessionApi(setUp());
    } catch (error) {
      logToStandardError(error);
      throw error;
    }
    return sessionApi(event);
  };
}
