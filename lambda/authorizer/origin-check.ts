// SPDX-License-Identifier: Apache-2.0
/** Holds an event's origin against the settings: CSRF for unsafe methods, an exact allow-list for WebSocket handshakes. */
import { checkEventOrigin } from '../session/event-origin';
import type { OriginRefusal } from '../session/origin';
import { headerValues } from '../session/request';
import type { AuthorizerSettings } from './authorizer-settings';
import type { EventKind } from './event-kind';

export type EventOriginRefusal = OriginRefusal | 'webSocket';

/** Why the origin refuses the request; `undefined` if it does not. */
export function refusalByOrigin(
  event: unknown,
  kind: EventKind,
  settings: AuthorizerSettings,
): EventOriginRefusal | undefined {
  if (kind === 'webSocket') {
    // Browsers send cookies with a handshake from any page and always say which, so nothing else is let in, whatever the
    // CSRF profile (OWASP: WebSocket Security, "Cross-Site WebSocket Hijacking").
    const origins = headerValues(event, 'origin');
    return origins.length === 1 && settings.allowedOrigins.some((allowed) => allowed === origins[0])
      ? undefined
      : 'webSocket';
  }
  const decision = checkEventOrigin(event, settings);
  return decision.allowed ? undefined : decision.reason;
}
