// SPDX-License-Identifier: Apache-2.0
/** Tells which kind of API asks, by the fields that only its events have. */
import { ownProperty } from '../session/request';

/** REST API, HTTP API with payload format 1.0 or 2.0, WebSocket API. */
export type EventKind = 'rest' | 'http1' | 'http2' | 'webSocket';

export interface AuthorizerEvent {
  readonly kind: EventKind;
  /** `methodArn` or `routeArn`, not yet checked. */
  readonly arn: unknown;
}

/**
 * Recognizes an event of a request authorizer.
 * @throws TypeError for anything else: the function is wired to something that it cannot guard, and API Gateway answers 500
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-input.html
 */
export function recognizeEvent(event: unknown): AuthorizerEvent {
  const version = ownProperty(event, 'version') ?? undefined;
  if (version === '2.0') return { kind: 'http2', arn: ownProperty(event, 'routeArn') };
  if (version === '1.0') return { kind: 'http1', arn: ownProperty(event, 'methodArn') };
  const arn = ownProperty(event, 'methodArn');
  // A token authorizer sends no cookies: wired so, every request would be refused without a word.
  if (version !== undefined || arn === undefined || (ownProperty(event, 'type') ?? 'REQUEST') !== 'REQUEST')
    throw new TypeError('not an event of a request authorizer (type REQUEST) of API Gateway');
  return { kind: isWebSocket(event, arn) ? 'webSocket' : 'rest', arn };
}

/** Any one sign will do: being taken for a WebSocket handshake only adds a check. */
function isWebSocket(event: unknown, arn: unknown): boolean {
  const context = ownProperty(event, 'requestContext');
  return (
    typeof ownProperty(context, 'connectionId') === 'string' ||
    ownProperty(context, 'eventType') === 'CONNECT' ||
    (typeof arn === 'string' && arn.endsWith('/$connect'))
  );
}
