// SPDX-License-Identifier: Apache-2.0
/** Claims: a flat map copied to the authorizer's context, so that handlers know a role or tenant without a read. */
import { isPlainRecord, ODD, type Odd } from './attribute';
import { InvalidInputError } from './errors';
import type { AttributeValue } from './store';

export type ClaimValue = string | number | boolean;
export type Claims = Readonly<Record<string, ClaimValue>>;

/** Names in the authorizer's context that are not claims. The last two are API Gateway's own. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'user',
  'sessionId',
  'createdAt',
  'authenticatedAt',
  'expiresAt',
  'principalId',
  'integrationLatency',
]);

const CLAIM_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** Visible ASCII and spaces inside: a value may be mapped to a header of the integration. */
const CLAIM_TEXT = /^(?! )[ -~]{0,1024}(?<! )$/;
/** DynamoDB returns plain decimals: up to 126 digits before the point, and behind it 38 after as many as 129 zeros. */
const DYNAMODB_NUMBER = /^-?\d{1,126}(?:\.\d{1,168})?(?:e[+-]?\d{1,3})?$/i;

/** Whether a name may be a claim; names of `Object.prototype` never are. */
function isClaimName(name: string): boolean {
  return CLAIM_NAME.test(name) && !RESERVED_NAMES.has(name) && !(name in Object.prototype);
}

/** Turns the stored map into claims; `ODD` if any entry is not one. Absent is empty. */
export function readClaims(stored: ReadonlyMap<string, unknown> | Odd | undefined): Claims | Odd {
  if (stored === ODD) return ODD;
  const claims: Record<string, ClaimValue> = Object.create(null);
  for (const [name, value] of stored ?? []) {
    const claim = isClaimName(name) ? readClaim(value) : ODD;
    if (claim === ODD) return ODD;
    claims[name] = claim;
  }
  return claims;
}

function readClaim(value: unknown): ClaimValue | Odd {
  if (!isPlainRecord(value)) return ODD;
  const [entry, another] = Object.entries(value);
  if (entry === undefined || another !== undefined) return ODD;
  const [type, content] = entry;
  if (type === 'S' && typeof content === 'string' && CLAIM_TEXT.test(content)) return content;
  if (type === 'BOOL' && typeof content === 'boolean') return content;
  if (type === 'N' && typeof content === 'string' && DYNAMODB_NUMBER.test(content)) {
    const parsed = Number(content);
    return Number.isFinite(parsed) ? parsed : ODD;
  }
  return ODD;
}

/**
 * Turns claims into an attribute value; `undefined` for none.
 * @throws InvalidInputError naming the claim
 */
export function writeClaims(claims: unknown): AttributeValue | undefined {
  if (claims === undefined) return undefined;
  if (!isPlainRecord(claims))
    throw new InvalidInputError('claims must be a flat object of strings, numbers and booleans');
  const stored: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(claims)) {
    if (RESERVED_NAMES.has(name)) throw new InvalidInputError(`claims.${name} is a reserved name; choose another`);
    if (!isClaimName(name))
      throw new InvalidInputError(
        'names of claims must be 1 to 64 characters of A-Z, a-z, 0-9, _ and begin with a letter',
      );
    stored[name] = writeClaim(name, value);
  }
  return Object.keys(stored).length === 0 ? undefined : { M: stored };
}

function writeClaim(name: string, value: unknown): AttributeValue {
  if (typeof value === 'boolean') return { BOOL: value };
  // DynamoDB keeps magnitudes from 1E-130 to 9.9E+125.
  if (
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (value === 0 || (Math.abs(value) > 1e-130 && Math.abs(value) < 1e125))
  )
    return { N: String(value) };
  if (typeof value === 'string' && CLAIM_TEXT.test(value)) return { S: value };
  throw new InvalidInputError(
    `claims.${name} must be a boolean, a finite number, or a string of up to 1,024 visible ASCII characters`,
  );
}
