// SPDX-License-Identifier: Apache-2.0
/** Gives a handler the older systems that its stack was told of, so that nothing has to be said twice. */
import { ENVIRONMENT } from '../environment';
import type { LegacyMode } from '../legacy-settings';
import type { LegacySource } from '../session/legacy-source';
import { ConfigurationError } from '../settings';
import { legacyModeFrom, legacySharePercentFrom, legacyUnlessOff, movesIn } from './configured-sources';

/** What `createSessions({ legacy })` must know; `asSession` and `report` are the application's part. */
export interface LegacyFromEnvironment {
  readonly sources: readonly LegacySource[];
  readonly mode: LegacyMode;
  /** Above 0, up to 100; 100 where the mode is not `on`. */
  readonly sharePercent: number;
  /** Unix seconds; `undefined`: no such line. */
  readonly startedAfter: number | undefined;
}

/**
 * In a function that `SessionAuthorizerFunction.connectLegacy` connected: the `legacySessions`, `legacyMode`,
 * `legacySharePercent` and `legacyStartedAfter` of that authorizer. Signed sessions are left out, unless they were given with `movesIn`.
 *
 * @example
 * const sessions = createSessions({ legacy: { ...legacyFromEnvironment(), asSession } });
 * @param variables Default: the function's own environment.
 * @throws ConfigurationError naming the variable that is missing or wrong
 */
export function legacyFromEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): LegacyFromEnvironment {
  if (!variables[ENVIRONMENT.legacy])
    throw new ConfigurationError(
      `the environment variable ${ENVIRONMENT.legacy} must be set; call connectLegacy(handler) of the SessionAuthorizerFunction, which sets it`,
    );
  const mode = legacyModeFrom(variables);
  // What is wrong with the share must not keep the other modes from helping.
  const sharePercent = mode === 'on' ? legacySharePercentFrom(variables) : 100;
  const { sources, startedAfter } = legacyUnlessOff(variables, variables[ENVIRONMENT.endpoint] || undefined);
  const moving = sources.filter(movesIn);
  if (moving.length === 0 && mode !== 'off')
    throw new ConfigurationError(
      `${ENVIRONMENT.legacy} holds signed sessions only, which do not move in; give them movesIn in the stack, or leave legacy out of createSessions`,
    );
  return { sources: moving, mode, sharePercent, startedAfter };
}
