// SPDX-License-Identifier: Apache-2.0
/** Asks an older system, and holds what it throws to the library's errors. */
import { ConfigurationError } from '../../settings';
import { SessionError, SessionStoreError } from '../errors';
import { type LifecycleContext, repeat } from '../lifecycle/context';

/** Again after what may pass: a connection that was kept may be dead once the function thaws. */
export function askSource<T>(context: Pick<LifecycleContext, 'sleep'>, ask: () => Promise<T>): Promise<T> {
  return repeat(context, () => asStoreError(ask));
}

/** Whatever a source or its store throws means that it failed; its message may hold the id, so it is only the cause. */
export async function asStoreError<T>(ask: () => Promise<T> | T, what = 'the store'): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof SessionError || cause instanceof ConfigurationError) throw cause;
    throw new SessionStoreError(`${what} of the older sessions failed`, { cause, isRetryable: true });
  }
}
