// SPDX-License-Identifier: Apache-2.0
/** Finds the session of a token: one consistent read, a second one only for the application's own "valid after" line. */

import { hashSessionToken } from '../token';
import { refusalByUserRecord } from '../user-record';
import { keyOf, type LifecycleContext, repeat } from './context';
import { memoryOf, type Session, sessionFromItem } from './session';

export function readSession<Data>(context: LifecycleContext, token: string): Promise<Session<Data> | null> {
  return readSessionOf(context, hashSessionToken(token));
}

export async function readSessionOf<Data>(context: LifecycleContext, tokenHash: string): Promise<Session<Data> | null> {
  const item = await repeat(context, () => context.store.get(keyOf(context, tokenHash)));
  const session = sessionFromItem<Data>(context, tokenHash, item);
  if (session === undefined) return null;
  const { userRecordAttribute } = context.settings;
  if (userRecordAttribute !== undefined && session.user !== undefined) {
    const { valid } = memoryOf(session);
    const key = valid.userRecordKey;
    // With the key: a record that has no line yet must not look like one that is not there.
    const attributes = [context.store.attributeNames.partitionKey, userRecordAttribute];
    const record = key && (await repeat(context, () => context.store.get(key, attributes)));
    if (refusalByUserRecord(valid, record, userRecordAttribute) !== undefined) return null;
  }
  return session;
}
