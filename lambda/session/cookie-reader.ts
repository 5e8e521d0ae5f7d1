// SPDX-License-Identifier: Apache-2.0
/**
 * Finds the session token in a Cookie header. Reading is total: any input gives a token or a reason, never an exception.
 *
 *     cookie-string = cookie-pair *( ";" SP cookie-pair )        RFC 6265bis, section 4.2.1
 *
 * Departures from the grammar, each on purpose:
 * - any amount of SP and HTAB around a pair is tolerated, as every server does. Nothing else is trimmed: what JavaScript
 *   calls white space includes characters that browsers store as part of a name, which is how a sibling subdomain plants a
 *   cookie that only looks like a `__Host-` one;
 * - quotes, `$Version` and percent-escapes have no meaning: they are octets of the name or value;
 * - two pairs of the wanted name refuse the header. Which of them a browser means cannot be known, and guessing is how a
 *   planted cookie wins.
 */
import { parseSessionToken } from './token';

export type CookieRefusal = 'missing' | 'malformed' | 'duplicate' | 'tooLong';

const MALFORMED = { refused: 'malformed' } as const;

/** API Gateway delivers at most 10,240 bytes of headers; anything longer did not come through it. */
const MAX_HEADER_CHARACTERS = 10_240;

/** Every control character but HTAB. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTER = /[\x00-\x08\x0a-\x1f\x7f]/;

const HTAB = 0x09;
const SPACE = 0x20;

/**
 * @param lines every Cookie header line of the request; joined with `; ` as RFC 9113, section 8.2.3, prescribes
 * @param name compared byte for byte
 */
export function readSessionCookie(
  lines: readonly unknown[],
  name: string,
): { readonly token: string } | { readonly refused: CookieRefusal } {
  const cookie = readCookieValue(lines, name);
  if ('refused' in cookie) return cookie;
  const token = parseSessionToken(cookie.value);
  // Not the one spelling of 256 bits: no such session can exist, so no read is spent on it.
  return token === null ? MALFORMED : { token };
}

/** The value of the one cookie of this name, as it stands; by the same rules, for cookies of older systems. */
export function readCookieValue(
  lines: readonly unknown[],
  name: string,
): { readonly value: string } | { readonly refused: CookieRefusal } {
  const values = everyCookieValue(lines, name);
  if ('refused' in values) return values;
  const [value] = values;
  // Which of two is the user's own cannot be known.
  if (values.length > 1) return { refused: 'duplicate' };
  return value === undefined ? { refused: 'missing' } : { value };
}

/** The values of all cookies of this name, in the order of the header. */
export function everyCookieValue(
  lines: readonly unknown[],
  name: string,
): readonly string[] | { readonly refused: CookieRefusal } {
  const header = joinLines(lines);
  if (typeof header !== 'string') return header;
  // A control character is legal nowhere in the header; one that arrives was not sent by a browser.
  if (CONTROL_CHARACTER.test(header)) return MALFORMED;

  const values: string[] = [];
  const text = `;${header};`;
  const wanted = `${name}=`;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    let before = at - 1;
    while (isBlank(text.charCodeAt(before))) before--;
    // The end of another name, or a part of a value.
    if (text[before] !== ';') continue;
    const first = at + wanted.length;
    let end = text.indexOf(';', first);
    while (end > first && isBlank(text.charCodeAt(end - 1))) end--;
    values.push(text.slice(first, end));
  }
  return values;
}

function joinLines(lines: readonly unknown[]): string | { readonly refused: CookieRefusal } {
  let length = 0;
  for (const line of lines) {
    // A hand-made event: API Gateway only ever delivers strings.
    if (typeof line !== 'string') return MALFORMED;
    length += line.length + 2;
    // Refused before any work is done on it.
    if (length > MAX_HEADER_CHARACTERS + 2) return { refused: 'tooLong' };
  }
  return lines.join('; ');
}

function isBlank(code: number): boolean {
  return code === SPACE || code === HTAB;
}
