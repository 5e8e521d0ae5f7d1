// SPDX-License-Identifier: Apache-2.0
/** Writes answers so that pages of the allowed origins may read them and no cache keeps them. */
import { jsonResponse, type ProxyResponse, withCookies } from '../session/proxy-response';
import { headerValues } from '../session/request';

/** What a route has to say. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON; absent: no body. */
  readonly body?: object;
  /** Set-Cookie values. Default none. */
  readonly setCookies?: readonly string[];
}

/** The answer in the form that the event's kind of API takes. */
export function toResponse(event: unknown, answer: Answer, allowedOrigins: readonly string[]): ProxyResponse {
  const { status, body, setCookies = [] } = answer;
  const response: ProxyResponse = body === undefined ? { statusCode: status, body: '' } : jsonResponse(status, body);
  const headers = {
    ...response.headers,
    ...corsHeaders(event, allowedOrigins),
    // What is said of a session is for one user at one moment (OWASP: Session Management, "Web Content Caching").
    'Cache-Control': 'no-store',
  };
  return withCookies(event, { ...response, headers }, setCookies) as ProxyResponse;
}

/** The exact origin back, if it is listed: with credentials browsers take no wildcard (Fetch, "CORS protocol and credentials"). */
function corsHeaders(event: unknown, allowedOrigins: readonly string[]): Record<string, string> {
  const [origin, another] = headerValues(event, 'origin');
  const isAllowed = another === undefined && allowedOrigins.some((allowed) => allowed === origin);
  return {
    Vary: 'Origin',
    ...(isAllowed ? { 'Access-Control-Allow-Origin': String(origin), 'Access-Control-Allow-Credentials': 'true' } : {}),
  };
}
