// SPDX-License-Identifier: Apache-2.0
/** `GET /hello`, behind the authorizer: who calls is known without a read. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { readAuthorizerContext } from 'sessiongate/session';

export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const identity = readAuthorizerContext(event);
  if (identity === null) return { statusCode: 401, body: '' };
  return { statusCode: 200, body: `Hello, ${identity.user} (${identity.claims.role})!` };
}
