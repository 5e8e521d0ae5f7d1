// SPDX-License-Identifier: Apache-2.0
/** Turns a failure of DynamoDB, or of reaching it, into a `SessionStoreError` with a stable code. */
import { SessionStoreError, type StoreErrorCode } from './errors';

type Kind = readonly [code: StoreErrorCode, isRetryable: boolean, words: string];

const STORE = 'ERR_SESSION_STORE';
const FAILED: Kind = [STORE, true, 'failed'];
const REFUSED: Kind = [STORE, false, 'refused the request; check its keys'];
const UNREACHABLE: Kind = [STORE, true, 'could not be reached; check region and endpoint'];

/** By what the error's name says; whatever is not listed is told by its code or status. */
const KINDS: readonly (readonly [name: RegExp, kind: Kind])[] = [
  [/Throughput|Throttling|^RequestLimit/, ['ERR_SESSION_STORE_THROTTLED', true, 'throttled the request']],
  [/^(Timeout|Abort)Error$/, ['ERR_SESSION_STORE_TIMEOUT', true, 'did not answer in time']],
  [
    /AccessDenied|^UnrecognizedClient|^InvalidSignature|^ExpiredToken|^CredentialsProvider/,
    ['ERR_SESSION_STORE_ACCESS_DENIED', false, 'refused access; check credentials and sessionTable.connect(fn)'],
  ],
  [/^ResourceNotFound/, ['ERR_SESSION_STORE_NOT_FOUND', false, 'does not exist; check tableName, region and endpoint']],
  [/^InternalServer|^ServiceUnavailable|^TransactionConflict/, FAILED],
];

export function isConditionFailure(failure: unknown): boolean {
  return failure instanceof Error && failure.name === 'ConditionalCheckFailedException';
}

/** The message names the table and what to do, never a key: keys hold token hashes. What failed is the `cause`. */
export function storeErrorFrom(failure: unknown, tableName: string): SessionStoreError {
  const [code, isRetryable, words] = kindOf(failure);
  return new SessionStoreError(`table ${tableName} ${words}`, { code, isRetryable, cause: failure });
}

function kindOf(failure: unknown): Kind {
  if (!(failure instanceof Error)) return FAILED;
  const known = KINDS.find(([name]) => name.test(failure.name));
  if (known !== undefined) return known[1];
  if ('code' in failure && /^E[A-Z]+$/.test(String(failure.code))) return UNREACHABLE;
  const status = (failure as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return status !== undefined && status < 500 ? REFUSED : FAILED;
}
