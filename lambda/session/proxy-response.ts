// SPDX-License-Identifier: Apache-2.0
/** Answers of Lambda proxy handlers, in the form that the event's kind of API takes. Pure. */
import { isPlainRecord } from './attribute';
import { equalsIgnoringAsciiCase, ownProperty } from './request';

/** What API Gateway takes from a handler: a REST or HTTP proxy response, as the results in `@types/aws-lambda` are. */
export interface ProxyResponse {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  readonly multiValueHeaders?: Readonly<Record<string, (string | number | boolean)[]>>;
  readonly cookies?: string[];
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

/** A small JSON answer that no cache keeps. */
export function jsonResponse(statusCode: number, body: unknown): ProxyResponse {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return { statusCode, headers, body: JSON.stringify(body) };
}

/**
 * Adds Set-Cookie values beside the handler's own, in the form that the event's kind of API takes: `cookies` for HTTP APIs with
 * payload 2.0, `multiValueHeaders` for REST APIs and payload 1.0. Sets `Cache-Control: no-store` in place of whatever the handler
 * said: a cache that kept this answer would hand one user's session to the next (OWASP: Web Content Caching).
 * @param response a proxy response; for HTTP APIs of payload 2.0 any other JSON value, too, which becomes the body
 */
export function withCookies<Answer>(
  event: unknown,
  response: Answer,
  setCookies: readonly string[],
): Answer | ProxyResponse {
  if (setCookies.length === 0) return response;
  const isHttp2 = ownProperty(event, 'version') === '2.0';
  const proxy = asProxyResponse(response, isHttp2);
  // Not an answer that API Gateway takes: it will answer 502 itself, and no cookie must travel with that.
  if (proxy === undefined) return response;
  const headers = { ...withoutHeader(proxy.headers, 'cache-control'), 'Cache-Control': 'no-store' };
  const multiValueHeaders = withoutHeader(proxy.multiValueHeaders, 'cache-control');
  if (isHttp2) return { ...proxy, headers, cookies: [...(proxy.cookies ?? []), ...setCookies] };

  // Several spellings of the name are how handlers send several cookies without multiValueHeaders.
  const own = [proxy.headers, proxy.multiValueHeaders].flatMap((named) =>
    Object.entries(named ?? {}).flatMap(([name, value]) => (isSetCookie(name) ? value : [])),
  );
  return {
    ...proxy,
    headers: withoutHeader(headers, 'set-cookie'),
    multiValueHeaders: {
      ...withoutHeader(multiValueHeaders, 'set-cookie'),
      'Set-Cookie': [...new Set([...own, ...setCookies])],
    },
  };
}

/** The handler's own may lack a body, but then so does its type, which is the caller's. */
function asProxyResponse(response: unknown, isHttp2: boolean): ProxyResponse | undefined {
  if (isPlainRecord(response) && isStatusCode(response.statusCode)) return response as unknown as ProxyResponse;
  // Payload 2.0: anything without a status code is the body of a 200.
  if (isHttp2 && response !== undefined)
    return typeof response === 'string' ? textResponse(response) : jsonResponse(200, response);
  return undefined;
}

/** API Gateway takes the digits as a string too. */
function isStatusCode(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[1-5][0-9]{2}$/.test(value));
}

function textResponse(body: string): ProxyResponse {
  return { statusCode: 200, headers: { 'Content-Type': 'application/json' }, body };
}

function isSetCookie(name: string): boolean {
  return equalsIgnoringAsciiCase(name, 'set-cookie');
}

function withoutHeader<T>(headers: Readonly<Record<string, T>> | undefined, lowerCaseName: string): Record<string, T> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).filter(([name]) => !equalsIgnoringAsciiCase(name, lowerCaseName)),
  );
}
