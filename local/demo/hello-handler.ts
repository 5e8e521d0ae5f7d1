// SPDX-License-Identifier: Apache-2.0
/** `GET /hello` of the local stack: a handler behind the authorizer that knows its user without a read. */
import { readAuthorizerContext } from '../../lambda/session';

export async function handler(
  event: unknown,
): Promise<{ statusCode: number; headers: Record<string, string>; body: string }> {
  const identity = readAuthorizerContext(event);
  const [statusCode, message] = identity === null ? [401, 'Unauthorized'] : [200, `Hello, ${identity.user}!`];
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ message }),
  };
}
