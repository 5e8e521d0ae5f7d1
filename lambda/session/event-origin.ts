// SPDX-License-Identifier: Apache-2.0
/** Holds an event of API Gateway against the origins in the settings. */
import type { CsrfProfile } from '../settings';
import { checkOriginOf, type OriginDecision } from './origin';
import { headerValues, requestDomainName, requestMethod } from './request';

export interface EventOriginPolicy {
  /** Origins of the pages that may call, compared exactly. */
  readonly allowedOrigins: readonly string[];
  readonly csrf: CsrfProfile;
  /** The API's own origins. Absent: the event's domain name, with https. */
  readonly apiOrigins?: readonly string[] | undefined;
}

/** Whether the request may act with the user's cookie; decided before anything is read. */
export function checkEventOrigin(event: unknown, policy: EventOriginPolicy): OriginDecision {
  const domainName = requestDomainName(event);
  return checkOriginOf(requestMethod(event), (name) => headerValues(event, name), {
    origins: policy.apiOrigins ?? (domainName === undefined ? [] : [`https://${domainName}`]),
    trusted: policy.allowedOrigins,
    host: domainName,
    profile: policy.csrf,
  });
}
