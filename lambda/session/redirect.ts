// SPDX-License-Identifier: Apache-2.0
/** Where to send a browser after login: a path of this site, or nowhere. */

const MAX_CHARACTERS = 2048;
const ANY_ORIGIN = 'https://host.invalid';

/**
 * Returns the target if it is a path on the same origin, else `null`. Refuses what browsers read as another site
 * (`//host`, `/\host`, a tab after the slash), control characters plain or percent-encoded, and over 2,048 characters.
 * OWASP: Unvalidated Redirects and Forwards.
 */
export function safeRedirectPath(to: unknown): string | null {
  if (typeof to !== 'string' || to.length > MAX_CHARACTERS) return null;
  // Only visible ASCII: browsers drop tabs and newlines before they parse, and read a backslash as a slash.
  if (!/^\/[\x21-\x5b\x5d-\x7e]*$/.test(to)) return null;
  // Two slashes begin a host name.
  if (to.startsWith('//')) return null;
  // Some software behind decodes once more and would see the control character then.
  if (/%(?:[01][0-9a-f]|7f)/i.test(to)) return null;
  try {
    const url = new URL(to, ANY_ORIGIN);
    // What remains after dot segments are resolved must be a path of the same origin too.
    return url.origin === ANY_ORIGIN && !url.pathname.startsWith('//') ? to : null;
  } catch {
    return null;
  }
}
