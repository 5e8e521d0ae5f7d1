// SPDX-License-Identifier: Apache-2.0
/** What a table of an older system refused, with what to check there: the advice for the session table would mislead. */
import { storeErrorFrom } from '../session/dynamodb-failure';
import { SessionStoreError } from '../session/errors';

/** What the table was asked with: the options that may be wrong, and the actions that the function needs. */
export interface LegacyTableAccess {
  readonly tableName: string;
  readonly hashKey: string;
  /** The options that decide on the key, in words. */
  readonly keyOptions: string;
  readonly actions: readonly string[];
}

/** As `storeErrorFrom`: names the table and no key, because keys hold session ids. */
export function legacyTableError(failure: unknown, access: LegacyTableAccess): SessionStoreError {
  const error = storeErrorFrom(failure, access.tableName);
  const { code, isRetryable } = error;
  // Throttled, late or unreachable: nothing is wrong with the options.
  if (isRetryable || code === 'ERR_SESSION_STORE_NOT_FOUND') return error;
  const { tableName, hashKey, keyOptions, actions } = access;
  const permissions = actions.map((action) => `dynamodb:${action}`).join(', ');
  const words =
    code === 'ERR_SESSION_STORE_ACCESS_DENIED'
      ? `refused access; grant the function ${permissions} on it`
      : `refused the request; likely it is not the table of the older sessions (tableName), its key is not one string called ${hashKey} (${keyOptions}), or the function lacks one of ${permissions}`;
  return new SessionStoreError(`table ${tableName} ${words}`, { code, cause: failure });
}
