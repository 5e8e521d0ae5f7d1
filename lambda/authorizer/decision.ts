// SPDX-License-Identifier: Apache-2.0
/** Decides on one request: the session to admit, or the reason to refuse. Knows nothing of policies and responses. */
import { isPlainRecord } from '../session/attribute';
import { type CookieRefusal, readSessionCookie } from '../session/cookie-reader';
import { SessionStoreError } from '../session/errors';
import { renewalDue } from '../session/renewal';
import { cookieLines } from '../session/request';
import { sessionPartitionKey } from '../session/session-keys';
import type { Item } from '../session/store';
import { hashSessionToken } from '../session/token';
import { refusalByUserRecord, type UserRecordRefusal } from '../session/user-record';
import { type ItemRefusal, type ValidSession, validateSessionItem } from '../session/validate-session-item';
import { IN_FLIGHT_MARGIN_SECONDS } from '../settings';
import type { AuthorizerSettings } from './authorizer-settings';
import type { AdmittedSession } from './context';
import type { EventKind } from './event-kind';
import type { AdmissionRefusal } from './legacy-admission';
import { type EventOriginRefusal, refusalByOrigin } from './origin-check';
import type { SessionReader } from './reader';

/** Why a request was refused: for metrics only, the client sees one and the same answer. */
export type DenialReason =
  | `cookie${Capitalize<CookieRefusal>}`
  | `origin${Capitalize<EventOriginRefusal>}`
  | `session${Capitalize<ItemRefusal>}`
  | `user${Capitalize<UserRecordRefusal>}`
  | `legacy${Capitalize<AdmissionRefusal>}`;

export type Decision = { readonly admitted: AdmittedSession } | { readonly denied: DenialReason };

export interface DecisionDeps {
  readonly reader: SessionReader;
  /** Called when a slide of the idle timeout failed; the request is let in. */
  readonly onRenewalFault: (error: unknown) => void;
  /** Asked where no session of our own lives: whether an older system has one. Absent: there is none. */
  readonly admitLegacy?: ((cookieLines: readonly unknown[], now: number) => Promise<Decision | undefined>) | undefined;
}

/** @throws SessionStoreError, or whatever the reader rejects with: a store that cannot be asked never admits */
export async function decide(
  event: unknown,
  kind: EventKind,
  now: number,
  deps: DecisionDeps,
  settings: AuthorizerSettings,
): Promise<Decision> {
  const lines = cookieLines(event);
  const cookie = readSessionCookie(lines, settings.cookieName);
  // A header that cannot be read with certainty, or no session of any system: no read is spent on it.
  if ('refused' in cookie && (cookie.refused !== 'missing' || deps.admitLegacy === undefined))
    return { denied: reason('cookie', cookie.refused) };
  const foreign = refusalByOrigin(event, kind, settings);
  // The browser was sent here by another site's page: no read is spent on it either.
  if (foreign !== undefined) return { denied: reason('origin', foreign) };
  const decision: Decision =
    'refused' in cookie
      ? { denied: reason('cookie', cookie.refused) }
      : await decideOnTokenHash(hashSessionToken(cookie.token), now, deps, settings);
  return 'admitted' in decision ? decision : ((await deps.admitLegacy?.(lines, now)) ?? decision);
}

/** Whether the session of this hash lives, and its user may use it. */
export async function decideOnTokenHash(
  tokenHash: string,
  now: number,
  deps: DecisionDeps,
  settings: AuthorizerSettings,
): Promise<Decision> {
  const partitionKey = sessionPartitionKey(tokenHash, settings.epoch);
  const verdict = validateSessionItem(checkRead(await deps.reader.readSession(partitionKey)), {
    partitionKey,
    now,
    maxLifetimeSeconds: settings.maxLifetimeSeconds,
    attributeNames: settings.attributeNames,
  });
  if ('refused' in verdict) return { denied: reason('session', verdict.refused) };
  const { session } = verdict;
  // validateSessionItem refuses it already; this line makes the compiler agree.
  if (session.user === undefined) return { denied: 'sessionAnonymous' };
  const ended = await userRecordRefusal(session, deps.reader, settings);
  if (ended !== undefined) return { denied: reason('user', ended) };
  const expiresAt = await renew(partitionKey, session, now, deps, settings);
  return { admitted: { ...session, user: session.user, tokenHash, expiresAt } };
}

async function userRecordRefusal(
  session: ValidSession,
  reader: SessionReader,
  { userRecordAttribute }: AuthorizerSettings,
): Promise<UserRecordRefusal | undefined> {
  if (userRecordAttribute === undefined || reader.readUserRecord === undefined) return undefined;
  // Without a key, a session from before the setting, there is nothing to read.
  const key = session.userRecordKey;
  const record = key && checkRead(await reader.readUserRecord(key));
  return refusalByUserRecord(session, record, userRecordAttribute);
}

/** Slides the idle timeout where that is due; returns when the session ends. */
async function renew(
  partitionKey: string,
  session: ValidSession,
  now: number,
  { reader, onRenewalFault }: DecisionDeps,
  { idleTimeout }: AuthorizerSettings,
): Promise<number> {
  // Too near its end the write would not be done, and still be billed.
  const isTooLate = session.expiresAt <= now + IN_FLIGHT_MARGIN_SECONDS;
  const renewal = isTooLate ? undefined : idleTimeout && renewalDue(session, idleTimeout, now);
  if (renewal === undefined || reader.renewSession === undefined) return session.expiresAt;
  try {
    return (await reader.renewSession(partitionKey, renewal)) ? renewal.expiresAt : session.expiresAt;
  } catch (error) {
    // The session was read as alive; that it could not be prolonged is no reason to refuse the request.
    onRenewalFault(error);
    return session.expiresAt;
  }
}

/** Anything but an object or `undefined` is not an answer of DynamoDB: the store failed, the session did not. */
export function checkRead(item: unknown): Item | undefined {
  if (item === undefined || isPlainRecord(item)) return item as Item | undefined;
  throw new SessionStoreError('the reader answered with what is no item');
}

export function reason<Kind extends string, Detail extends string>(
  kind: Kind,
  detail: Detail,
): `${Kind}${Capitalize<Detail>}` {
  return `${kind}${detail.replace(/^./, (letter) => letter.toUpperCase())}` as `${Kind}${Capitalize<Detail>}`;
}
