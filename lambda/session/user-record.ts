// SPDX-License-Identifier: Apache-2.0
/**
 * The line in the application's own user record: sessions whose token was issued before it are over. The application
 * moves it (password change, reset, ban): one write, and no session has to be found.
 */
import { ODD, readWholeNumber } from './attribute';
import type { ValidSession } from './validate-session-item';

export type UserRecordRefusal = 'recordUnknown' | 'recordAbsent' | 'recordMalformed' | 'beforeLine';

/**
 * Why the record ends the session; `undefined` if it does not. Fails closed: a line that should be checked and cannot be
 * refuses. A record without the attribute has no line: nobody was ever signed out by it.
 * @param record as read; `undefined` where there is none
 * @param attribute holds the line in Unix seconds; a session issued in the same second lives
 */
export function refusalByUserRecord(
  session: ValidSession,
  record: object | undefined,
  attribute: string,
): UserRecordRefusal | undefined {
  // The session does not say whose record to look at.
  if (session.userRecordKey === undefined) return 'recordUnknown';
  // A user that the application deleted.
  if (record === undefined) return 'recordAbsent';
  const line = readWholeNumber(record, attribute);
  if (line === ODD) return 'recordMalformed';
  // Written by others without `issued_at`: older than any line for all that is known.
  if (session.issuedAt === 0) return 'beforeLine';
  return line !== undefined && session.issuedAt < line ? 'beforeLine' : undefined;
}
