// SPDX-License-Identifier: Apache-2.0
/**
 * The deployed session routes where users of older systems are moving in: a logout ends the older session, too. Moving in is
 * the part of the application's own handlers, which know what becomes of the data.
 */
import { ENVIRONMENT } from '../environment';
import { legacyModeFrom, legacyUnlessOff, movesIn } from '../legacy/configured-sources';
import { createSessions } from '../session/create-sessions';
import { deploySessionApi } from '../session-api/deploy-session-api';

export const handler = deploySessionApi(() => {
  const mode = legacyModeFrom(process.env);
  const { sources } = legacyUnlessOff(process.env, process.env[ENVIRONMENT.endpoint]);
  const stored = sources.filter(movesIn);
  return {
    sessions: createSessions<unknown>({ legacy: stored.length === 0 ? undefined : { sources: stored, mode } }),
    cookieOnlySources: sources.filter((source) => !movesIn(source)),
  };
});
