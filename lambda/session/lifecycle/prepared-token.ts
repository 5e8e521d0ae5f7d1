// SPDX-License-Identifier: Apache-2.0
/** Session tokens drawn before their session exists, for frameworks that name a session first and store it later. */
import { ConfigurationError } from '../errors';
import { generateSessionToken } from '../token';
import type { LifecycleContext } from './context';

/** A token for one `create`. The object is the proof that the token is ours: a copy of it is refused. */
export interface PreparedToken {
  readonly token: string;
}

const prepared = new WeakSet<object>();

export function prepareToken(context: Pick<LifecycleContext, 'randomBytes'>): PreparedToken {
  const preparedToken = Object.freeze({ token: generateSessionToken(context.randomBytes) });
  prepared.add(preparedToken);
  return preparedToken;
}

/**
 * The token, once: a second session under it would be one that its holder did not start.
 * @throws ConfigurationError for anything but an unused object of `prepareToken`
 */
export function useToken(preparedToken: PreparedToken): string {
  if (!prepared.delete(preparedToken))
    throw new ConfigurationError('token must be an object that prepareToken returned, and serves one create');
  return preparedToken.token;
}
