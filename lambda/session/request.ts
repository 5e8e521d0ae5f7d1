// SPDX-License-Identifier: Apache-2.0
/**
 * Reads method, headers and cookie lines from an event of API Gateway, whichever of its shapes: REST and WebSocket
 * (`headers`, `multiValueHeaders`, client's casing), HTTP 1.0 (the same, lower case), HTTP 2.0 (`cookies`, lower case).
 * Events are hostile: every part may be absent, null or of another type. Only own properties are read.
 */

/** An object's own property, or undefined for anything else. */
export function ownProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/**
 * Every Cookie line of the event, as it stands. Not only strings: a line of another type is kept, so that the cookie
 * reader refuses the request instead of looking elsewhere.
 */
export function cookieLines(event: unknown): readonly unknown[] {
  if (ownProperty(event, 'version') === '2.0') {
    const cookies = ownProperty(event, 'cookies');
    // HTTP APIs were seen to deliver cookies in the array, in the header, or in an empty array beside the header.
    if (cookies !== undefined && cookies !== null && !(Array.isArray(cookies) && cookies.length === 0))
      // Anything but an array is not API Gateway's: a line that is no text makes the reader refuse.
      return Array.isArray(cookies) ? cookies : [undefined];
  }
  return headerValues(event, 'cookie');
}

/** The same of an event or of a Cookie header by itself. */
export function cookieLinesOf(request: unknown): readonly unknown[] {
  return typeof request === 'string' ? [request] : cookieLines(request);
}

/** Every value of a header, in order; `multiValueHeaders` where it has any, because `headers` keeps only the last. */
export function headerValues(event: unknown, lowerCaseName: string): readonly unknown[] {
  const multiple = valuesOf(ownProperty(event, 'multiValueHeaders'), lowerCaseName).flatMap((value) =>
    Array.isArray(value) ? value : [value],
  );
  return multiple.length > 0 ? multiple : valuesOf(ownProperty(event, 'headers'), lowerCaseName);
}

/** The wire method; `''`, which is no safe method, where the event has none. WebSocket handshakes are GET. */
export function requestMethod(event: unknown): string {
  const context = ownProperty(event, 'requestContext');
  const method =
    ownProperty(event, 'httpMethod') ??
    ownProperty(ownProperty(context, 'http'), 'method') ??
    ownProperty(context, 'httpMethod');
  return typeof method === 'string' ? method : '';
}

/** The host name under which the request reached API Gateway, if the event says so. */
export function requestDomainName(event: unknown): string | undefined {
  const name = ownProperty(ownProperty(event, 'requestContext'), 'domainName');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function valuesOf(headers: unknown, lowerCaseName: string): unknown[] {
  if (typeof headers !== 'object' || headers === null) return [];
  const values: unknown[] = [];
  for (const name of Object.keys(headers))
    if (equalsIgnoringAsciiCase(name, lowerCaseName)) {
      const value = (headers as Record<string, unknown>)[name];
      if (value !== undefined && value !== null) values.push(value);
    }
  return values;
}

/** ASCII only: Unicode case folding would let the Kelvin sign pass for a k. */
export function equalsIgnoringAsciiCase(text: string, lowerCase: string): boolean {
  return text.length === lowerCase.length && text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) === lowerCase;
}
