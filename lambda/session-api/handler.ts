// SPDX-License-Identifier: Apache-2.0
/** The deployed session routes: set up once from the function's environment. */
import { createSessions } from '../session/create-sessions';
import type { ProxyResponse } from '../session/proxy-response';
import { createSessionApi, logToStandardError } from './create-session-api';

let sessionApi: ReturnType<typeof createSessionApi> | undefined;

/** A wrong set-up fails each request with its reason in the log, where a crash at the start would repeat without words. */
export async function handler(event: unknown): Promise<ProxyResponse> {
  try {
    sessionApi ??= createSessionApi({ sessions: createSessions<unknown>() });
  } catch (error) {
    logToStandardError(error);
    throw error;
  }
  return sessionApi(event);
}
