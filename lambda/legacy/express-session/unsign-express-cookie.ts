// SPDX-License-Identifier: Apache-2.0
/**
 * Verifies the cookie of `express-session`: `s:<session id>.<signature>`, percent-encoded as a rule, with the signature of
 * `cookie-signature`, HMAC-SHA256 in base64 without padding.
 */
import { createHmac } from 'node:crypto';
import { isSameSignature, requireSecrets } from '../secrets';

/** Longest id and signature, every character percent-encoded; anything longer is no such cookie. */
const MAX_VALUE_CHARACTERS = 1_024;

/** 24 random bytes in base64url by default, a UUID by many a `genid`. Nothing else may become part of a key. */
const SESSION_ID = /^[A-Za-z0-9_-]{16,128}$/;

/**
 * The session id in a cookie's value if one of the secrets signed it and it is 16 to 128 characters of `A-Z a-z 0-9 _ -`, else
 * `null`; never throws for what a client sends.
 * @param value as it was sent, percent-encoded or not
 * @param secrets all verify
 * @throws ConfigurationError for no secret or an empty one
 */
export function unsignExpressCookie(value: unknown, secrets: readonly string[]): string | null {
  requireSecrets('secrets', secrets);
  if (typeof value !== 'string' || value.length > MAX_VALUE_CHARACTERS) return null;
  const text = decodePercent(value);
  // `j:` is cookie-parser's JSON; without a prefix nothing is signed.
  if (text === undefined || !text.startsWith('s:')) return null;
  const dot = text.lastIndexOf('.');
  const id = text.slice('s:'.length, dot);
  // A valid signature proves who made the id, not that it may stand in a key.
  if (dot === -1 || !isExpressSessionId(id)) return null;
  const signature = text.slice(dot + 1);
  return secrets.some((secret) => isSameSignature(signature, signSessionId(id, secret))) ? id : null;
}

export function isExpressSessionId(value: unknown): value is string {
  return typeof value === 'string' && SESSION_ID.test(value);
}

export function signSessionId(id: string, secret: string): string {
  return createHmac('sha256', secret).update(id).digest('base64').replace(/=+$/, '');
}

function decodePercent(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    // Half an escape, or bytes that are no UTF-8.
    return undefined;
  }
}
