// SPDX-License-Identifier: Apache-2.0
/** Makes a request authorizer from options of one's own. */
import { guarded } from '../session/guarded-callback';
import type { LegacyVisit } from '../session/migration/legacy-visit';
import { isBeyondShare } from '../session/migration/migration-share';
import { type AuthorizerDeps, type AuthorizerResult, answerRequests } from './answer-requests';
import { legacyAdmission } from './legacy-admission';
import { type AuthorizerOptions, resolveAuthorizerOptions } from './options';

/**
 * Makes the function that API Gateway asks before each request. It admits exactly the requests whose cookie holds the token
 * of a session that is alive now, with one consistent read; malformed, missing and ambiguous cookies cost none.
 *
 * The function rejects when the event is not one of a request authorizer and when the store fails: API Gateway answers 500,
 * which lets no one in and makes no client drop a good cookie.
 * @throws ConfigurationError naming the option
 */
export function createAuthorizer(
  deps: AuthorizerDeps,
  options: AuthorizerOptions,
): (event: unknown) => Promise<AuthorizerResult> {
  const settings = resolveAuthorizerOptions(options, deps.reader);
  const { legacy = [], legacyStartedAfter: startedAfter, legacySharePercent = 100 } = options;
  const onAdmitted = deps.onLegacyAdmitted && guarded('onLegacyAdmitted', deps.onLegacyAdmitted);
  const isAsked = (visit: LegacyVisit): boolean => !isBeyondShare(visit, legacySharePercent);
  const admission = { sources: legacy, startedAfter, isAsked, onAdmitted };
  return answerRequests(deps, settings, legacyAdmission(admission, deps.reader, settings));
}
