// SPDX-License-Identifier: Apache-2.0
/** Holds an event's origin against the settings: CSRF for unsafe methods, an exact allow-list for WebSocket handshakes. */
import { checkRequestOrigin, type OriginRefusal } from '../session/origin';
import { headerValues, requestDomainName, requestMethod } from '../session/request';
import type { EventKind } from './event-kind';
import type { AuthorizerSettings } from './options';

export type EventOriginRefusal = OriginRefusal | 'webSocket';

/** Why the origin refuses the request; `undefined` if it does not. */
export function refusalByOrigin(
  event: unknown,
  kind: EventKind,
  { shared, apiOrigins }: AuthorizerSettings,
): EventOriginRefusal | undefined {
  const origins = headerValues(event, 'origin');
  if (kind === 'webSocket')
    // Browsers send cookies with a handshake from any page and always say which, so nothing else is let in, whatever the
    // CSRF profile (OWASP: WebSocket Security, "Cross-Site WebSocket Hijacking").
    return origins.length === 1 && shared.allowedOrigins.some((allowed) => allowed === origins[0])
      ? undefined
      : 'webSocket';
  const domainName = requestDomainName(event);
  const decision = checkRequestOrigin(
    {
      method: requestMethod(event),
      headers: { origin: origins, 'sec-fetch-site': headerValues(event, 'sec-fetch-site') },
    },
    {
      origins: apiOrigins ?? (domainName === undefined ? [] : [`https://${domainName}`]),
      trusted: shared.allowedOrigins,
      host: domainName,
      profile: shared.csrf,
    },
  );
  return decision.allowed ? undefined : decision.reason;
}
