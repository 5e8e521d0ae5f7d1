// SPDX-License-Identifier: Apache-2.0
/** Writes the context that API Gateway hands to the integration: flat strings, because REST APIs refuse anything else. */
import type { Claims } from '../session/claims';

export interface AdmittedSession {
  readonly user: string;
  /** Hash of the token; only its beginning leaves the authorizer. */
  readonly tokenHash: string;
  readonly createdAt: number;
  readonly authenticatedAt: number;
  readonly expiresAt: number;
  readonly claims: Claims;
}

/** Enough to find a session in logs, too little to be one: the table is asked for all 64 digits. */
const SESSION_ID_DIGITS = 16;

/** Times are Unix seconds. Claims cannot take the names of the fixed entries: `readClaims` refuses such an item. */
export function authorizerContext(session: AdmittedSession): Record<string, string> {
  const context: Record<string, string> = {
    user: session.user,
    sessionId: session.tokenHash.slice(0, SESSION_ID_DIGITS),
    createdAt: String(session.createdAt),
    authenticatedAt: String(session.authenticatedAt),
    expiresAt: String(session.expiresAt),
  };
  for (const [name, value] of Object.entries(session.claims)) context[name] = String(value);
  return context;
}
