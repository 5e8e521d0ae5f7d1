// SPDX-License-Identifier: Apache-2.0
/** Holds everything a legacy source is given to the library's errors. */
import { SessionError, SessionStoreError } from '../session/errors';

/** Whatever a store throws means that it failed; its message may hold the id, so it is only the cause. */
export async function asStoreError<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof SessionError) throw cause;
    throw new SessionStoreError('the store of the older sessions failed', { cause, isRetryable: true });
  }
}
