// SPDX-License-Identifier: Apache-2.0
/**
 * What works behind a session library, for the parts of this package that name sessions by their hash. It is not on the library
 * itself: a hash is no credential, and nobody should read a session by one.
 */
import { ConfigurationError } from '../errors';
import type { LifecycleContext } from './context';

const contexts = new WeakMap<object, LifecycleContext>();

export function rememberContext<Library extends object>(sessions: Library, context: LifecycleContext): Library {
  contexts.set(sessions, context);
  return sessions;
}

/** @throws ConfigurationError for anything but what `createSessions` returned */
export function contextOf(sessions: unknown): LifecycleContext {
  const context = typeof sessions === 'object' && sessions !== null ? contexts.get(sessions) : undefined;
  if (context === undefined)
    throw new ConfigurationError('sessions must be what createSessions returned, and no copy of it');
  return context;
}
