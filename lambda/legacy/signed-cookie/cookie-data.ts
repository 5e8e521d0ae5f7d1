// SPDX-License-Identifier: Apache-2.0
/** The data in a cookie as `cookie-session` writes it: JSON in UTF-8 in padded base64. */
import { parseJsonObject } from '../json-object';

/** Name and value; no browser keeps more (RFC 6265bis, section 5.7). */
const MAX_COOKIE_BYTES = 4096;

/** Four characters for three bytes, padded: RFC 4648, section 4. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Longer cookies did not come from a browser, and no signature is computed over them. */
export function isCookieSized(name: string, value: string): boolean {
  return name.length + value.length <= MAX_COOKIE_BYTES;
}

/** The object in the value; `undefined` for anything that is not exactly one, or that carries a key named `__proto__`. */
export function parseCookieData(value: string): Record<string, unknown> | undefined {
  if (!BASE64.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64');
  // Spare bits that are not zero: another spelling of the same bytes, which no encoder writes.
  if (bytes.toString('base64') !== value) return undefined;
  try {
    return parseJsonObject(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // Bytes that are no UTF-8.
    return undefined;
  }
}

export function serializeCookieData(data: object): string {
  return Buffer.from(JSON.stringify(data)).toString('base64');
}
