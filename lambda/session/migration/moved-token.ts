// SPDX-License-Identifier: Apache-2.0
/**
 * The token of a session that moves in. It is derived, so that every request of a browser that has only the old cookie gets
 * the same one, and a lost answer costs nothing; and from two halves, so that nobody else can derive it: a secret that only
 * the old cookie shows, and a random number that only the claim holds, and only until the new cookie has come back.
 */
import { createHmac } from 'node:crypto';
import { hashSessionToken, type RandomBytes } from '../token';

const LABEL = 'sessiongate moved session 1';
const NONCE_BYTES = 32;

export function generateNonce(randomBytes: RandomBytes): string {
  const bytes = randomBytes(NONCE_BYTES);
  if (bytes.length !== NONCE_BYTES) throw new TypeError(`randomBytes must return ${NONCE_BYTES} bytes`);
  return Buffer.from(bytes).toString('base64url');
}

/** HMAC-SHA256: 32 bytes, which as base64url are a session token like any other. */
export function deriveToken(secret: string, nonce: string): string {
  return createHmac('sha256', secret).update(`${LABEL}\0${nonce}`).digest('base64url');
}

/** The token with this hash, if one of the secrets leads to it. */
export function findToken(secrets: readonly string[], nonce: string, tokenHash: string): string | undefined {
  return secrets.map((secret) => deriveToken(secret, nonce)).find((token) => hashSessionToken(token) === tokenHash);
}
