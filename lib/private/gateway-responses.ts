// SPDX-License-Identifier: Apache-2.0
/** What a REST API answers itself, without a handler: one refusal for every denied request, readable by the page. */
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

/** A denied request looks the same whether it had no cookie (401 by the gateway) or a bad one (Deny by the authorizer). */
const UNAUTHORIZED = { statusCode: '401', templates: { 'application/json': '{"message":"Unauthorized"}' } };

/** Adds the gateway responses; without an origin, no page of another origin can read them. */
export function addGatewayResponses(api: RestApi, allowedOrigin: string | undefined): void {
  const responseHeaders = {
    'Cache-Control': "'no-store'",
    'Strict-Transport-Security': "'max-age=63072000'",
    ...(allowedOrigin === undefined ? {} : corsHeaders(allowedOrigin)),
  };
  api.addGatewayResponse('Unauthorized', { type: ResponseType.UNAUTHORIZED, ...UNAUTHORIZED, responseHeaders });
  api.addGatewayResponse('AccessDenied', { type: ResponseType.ACCESS_DENIED, ...UNAUTHORIZED, responseHeaders });
  api.addGatewayResponse('Default4xx', { type: ResponseType.DEFAULT_4XX, responseHeaders });
  api.addGatewayResponse('Default5xx', { type: ResponseType.DEFAULT_5XX, responseHeaders });
  // The gateway's own answer to an unknown route, 403 "Missing Authentication Token", reads like a refused session.
  api.addGatewayResponse('UnknownRoute', {
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    statusCode: '404',
    templates: { 'application/json': '{"message":"Not Found"}' },
    responseHeaders,
  });
}

/** A page reads a response to a request with cookies only if it names the page's origin; `*` will not do (Fetch). */
function corsHeaders(origin: string): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': `'${origin}'`,
    'Access-Control-Allow-Credentials': "'true'",
    Vary: "'Origin'",
  };
}
