// SPDX-License-Identifier: Apache-2.0
/** Decides about the handshake of a WebSocket connection. */
import type { InvokeFunction } from '../../functions/invocation';
import { evaluatePolicy, readAuthorizerPolicy, stringifyContext } from '../authorizer-policy';
import { headerValues } from '../exchange';
import type { WebSocketAuthorizer } from './web-socket-api';
import { type Connection, connectArn, webSocketAuthorizerEvent } from './web-socket-events';

export type HandshakeDecision =
  | { readonly allowed: true; readonly authorizer: Record<string, unknown> }
  | { readonly allowed: false; readonly statusCode: 401 | 403 | 500; readonly reason?: string };

/** Results are never kept: there is one decision per connection. */
export async function authorizeHandshake(
  connection: Connection,
  authorizer: WebSocketAuthorizer,
  invoke: InvokeFunction,
): Promise<HandshakeDecision> {
  const isComplete = authorizer.identitySources.every((source) => (identityValue(connection, source) ?? '') !== '');
  // Answered without asking.
  if (!isComplete) return { allowed: false, statusCode: 401 };
  const outcome = await invoke(authorizer.functionArn, webSocketAuthorizerEvent(connection));
  if ('failure' in outcome) {
    const { kind, errorMessage } = outcome.failure;
    if (kind === 'handler' && errorMessage === 'Unauthorized') return { allowed: false, statusCode: 401 };
    return { allowed: false, statusCode: 500, reason: errorMessage };
  }
  const read = readAuthorizerPolicy(outcome.result);
  if ('fault' in read) return { allowed: false, statusCode: 500, reason: read.fault };
  const stringified = stringifyContext(read.policy.context);
  if ('fault' in stringified) return { allowed: false, statusCode: 500, reason: stringified.fault };
  if (evaluatePolicy(read.policy, connectArn(connection)) !== 'allow') return { allowed: false, statusCode: 403 };
  return { allowed: true, authorizer: { ...stringified.context, principalId: read.policy.principalId } };
}

function identityValue({ handshake }: Connection, source: string): string | undefined {
  const [, kind, name = ''] = /^route\.request\.(header|querystring)\.(.+)$/.exec(source) ?? [];
  return kind === 'header'
    ? headerValues(handshake.headers, name).join(',')
    : (new URLSearchParams(handshake.query).get(name) ?? undefined);
}
