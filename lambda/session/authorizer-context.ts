// SPDX-License-Identifier: Apache-2.0
/** Who is calling, in a handler behind the authorizer: from the event alone, without a read. */
import { isPlainRecord } from './attribute';
import { ownProperty } from './request';
import { isUserId } from './validate-session-item';

/** Times are Unix seconds. Claims come as API Gateway delivers them: REST and WebSocket turn them into strings. */
export interface AuthorizerIdentity {
  readonly user: string;
  /** First 16 digits of the token hash: for logs. To act on the session, read the cookie again. */
  readonly sessionId: string;
  /** 0: a session of an older system, which does not say when it began. */
  readonly createdAt: number;
  /** 0: never, as far as is known. */
  readonly authenticatedAt: number;
  readonly expiresAt: number;
  readonly claims: Readonly<Record<string, string>>;
}

/** Entries of the context that are not claims; `principalId` and `integrationLatency` are API Gateway's own. */
const FIXED_ENTRIES: ReadonlySet<string> = new Set([
  'user',
  'sessionId',
  'createdAt',
  'authenticatedAt',
  'expiresAt',
  'principalId',
  'integrationLatency',
]);

/**
 * The identity that the authorizer established, for REST, HTTP (1.0 and 2.0) and WebSocket events; `null` where the request
 * did not pass it. Trustworthy only behind API Gateway: whoever may invoke the function directly can write any event.
 */
export function readAuthorizerContext(event: unknown): AuthorizerIdentity | null {
  const authorizer = ownProperty(ownProperty(event, 'requestContext'), 'authorizer');
  const lambda = ownProperty(authorizer, 'lambda');
  const context = isPlainRecord(lambda) ? lambda : authorizer;
  if (!isPlainRecord(context)) return null;
  const user = ownProperty(context, 'user');
  const sessionId = ownProperty(context, 'sessionId');
  // Another authorizer's context, or none of this one's entries: nobody that this library knows.
  if (!isUserId(user) || typeof sessionId !== 'string') return null;
  const claims: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(context))
    if (
      !FIXED_ENTRIES.has(name) &&
      (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    )
      claims[name] = String(value);
  return {
    user,
    sessionId,
    createdAt: secondsOf(context, 'createdAt'),
    authenticatedAt: secondsOf(context, 'authenticatedAt'),
    expiresAt: secondsOf(context, 'expiresAt'),
    claims,
  };
}

function secondsOf(context: object, name: string): number {
  const seconds = Number(ownProperty(context, name));
  return Number.isSafeInteger(seconds) ? seconds : 0;
}
