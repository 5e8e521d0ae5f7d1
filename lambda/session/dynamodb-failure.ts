// SPDX-License-Identifier: Apache-2.0
/** Turns a failure of the AWS SDK into a `SessionStoreError` with a stable code. */
import { SessionStoreError, type StoreErrorCode } from './errors';

interface Kind {
  readonly code: StoreErrorCode;
  readonly isRetryable: boolean;
  readonly words: string;
}

const THROTTLED: Kind = { code: 'ERR_SESSION_STORE_THROTTLED', isRetryable: true, words: 'throttled the request' };
const TIMEOUT: Kind = { code: 'ERR_SESSION_STORE_TIMEOUT', isRetryable: true, words: 'did not answer in time' };
const DENIED: Kind = {
  code: 'ERR_SESSION_STORE_ACCESS_DENIED',
  isRetryable: false,
  words: 'refused the credentials; grant the function access with table.connect(fn)',
};
const ABSENT: Kind = {
  code: 'ERR_SESSION_STORE_NOT_FOUND',
  isRetryable: false,
  words: 'does not exist; check tableName, region and endpoint',
};
const UNREACHABLE: Kind = {
  code: 'ERR_SESSION_STORE',
  isRetryable: true,
  words: 'could not be reached; check region and endpoint',
};
const FAILED: Kind = { code: 'ERR_SESSION_STORE', isRetryable: true, words: 'failed' };
const REFUSED: Kind = { code: 'ERR_SESSION_STORE', isRetryable: false, words: 'refused the request' };

const KIND_BY_NAME: Readonly<Record<string, Kind>> = {
  ProvisionedThroughputExceededException: THROTTLED,
  ThrottlingException: THROTTLED,
  RequestLimitExceeded: THROTTLED,
  TimeoutError: TIMEOUT,
  AbortError: TIMEOUT,
  AccessDeniedException: DENIED,
  UnrecognizedClientException: DENIED,
  InvalidSignatureException: DENIED,
  ExpiredTokenException: DENIED,
  CredentialsProviderError: DENIED,
  ResourceNotFoundException: ABSENT,
  InternalServerError: FAILED,
  ServiceUnavailable: FAILED,
  TransactionConflictException: FAILED,
};

export function isConditionFailure(failure: unknown): boolean {
  return failure instanceof Error && failure.name === 'ConditionalCheckFailedException';
}

/** The message names the table and what to do, never a key: keys hold token hashes. The SDK's error is the `cause`. */
export function storeErrorFrom(failure: unknown, tableName: string): SessionStoreError {
  const kind = kindOf(failure);
  return new SessionStoreError(`table ${tableName} ${kind.words}`, {
    code: kind.code,
    isRetryable: kind.isRetryable,
    cause: failure,
  });
}

function kindOf(failure: unknown): Kind {
  if (!(failure instanceof Error)) return FAILED;
  const known = Object.hasOwn(KIND_BY_NAME, failure.name) ? KIND_BY_NAME[failure.name] : undefined;
  if (known !== undefined) return known;
  if ('code' in failure && typeof failure.code === 'string' && /^E[A-Z]+$/.test(failure.code)) return UNREACHABLE;
  const status = (failure as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return status !== undefined && status < 500 ? REFUSED : FAILED;
}
