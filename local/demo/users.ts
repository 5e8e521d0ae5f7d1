// SPDX-License-Identifier: Apache-2.0
/** The users of the local stack. They exist only here: a deployed stack has no login handler but your own. */
import { createHash, timingSafeEqual } from 'node:crypto';

const PASSWORDS = new Map([
  ['demo', 'demo'],
  ['alice', 'alice'],
]);

/** Takes as long for a wrong password as for a right one, and for a user who does not exist. */
export function isPasswordRight(user: string, password: string): boolean {
  const expected = PASSWORDS.get(user);
  const isSame = timingSafeEqual(digest(password), digest(expected ?? ''));
  return isSame && expected !== undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
