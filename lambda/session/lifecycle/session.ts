// SPDX-License-Identifier: Apache-2.0
/** The session as a handler sees it, and what the library remembers about it beside. */
import { ODD } from '../attribute';
import type { Claims } from '../claims';
import { ConfigurationError } from '../errors';
import type { Item } from '../store';
import { type ValidSession, validateSessionItem } from '../validate-session-item';
import { keyOf, type LifecycleContext } from './context';
import { readData, serializeData } from './session-data';
import { type Device, readDevice } from './session-item';

/** A live session. Times are Unix seconds. `data` is yours to change; `save` writes it if it changed. */
export interface Session<Data = Record<string, unknown>> {
  /** The token hash, 64 hex digits. Names the session in lists and logs; not a credential. */
  readonly id: string;
  /** The principal; absent before login. */
  readonly user?: string;
  /** When this login began. */
  readonly createdAt: number;
  /** When this token was issued. */
  readonly issuedAt: number;
  /** When credentials were last checked; 0 if never. */
  readonly authenticatedAt: number;
  /** Last slide of the idle timeout; absent if it never slid. */
  readonly renewedAt?: number;
  readonly expiresAt: number;
  readonly version: number;
  readonly claims: Claims;
  readonly device?: Device;
  data: Data;
}

/** What the library knows of a session it returned: the item, and the data as it was then. */
interface Memory {
  valid: ValidSession;
  item: Item;
  dataText: string;
}

const memories = new WeakMap<object, Memory>();

/** The session of an item, or `undefined` if the item is not a live one. */
export function sessionFromItem<Data>(
  context: LifecycleContext,
  tokenHash: string,
  item: Item | undefined,
): Session<Data> | undefined {
  const outcome = validateSessionItem(item, {
    partitionKey: keyOf(context, tokenHash).partitionKey,
    now: context.now(),
    attributeNames: context.store.attributeNames,
    allowAnonymous: true,
  });
  if ('refused' in outcome || item === undefined) return undefined;
  const data = readData(item);
  // Data that is not JSON was not written by this library; what else of the session was not, nobody can tell.
  if (data === ODD) return undefined;
  const device = readDevice(item);
  const session = { data: data as Data } as Session<Data>;
  defineFixed(session, {
    id: tokenHash,
    ...publicPart(outcome.session),
    ...(device === undefined ? {} : { device }),
  });
  memories.set(session, { valid: outcome.session, item, dataText: JSON.stringify(data) });
  return session;
}

/** Everything but the data says what is stored: merging a request's body into a session must not change who it is. */
function defineFixed(session: object, properties: object): void {
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(session, name, { value, enumerable: true, configurable: true, writable: false });
}

function publicPart({
  generation: _,
  userRecordKey: __,
  ...rest
}: ValidSession): Omit<Session<never>, 'id' | 'data' | 'device'> {
  return rest;
}

/** @throws ConfigurationError for an object that the library did not return */
export function memoryOf(session: Session<never> | Session<unknown>): Readonly<Memory> {
  const memory = memories.get(session);
  if (memory === undefined)
    throw new ConfigurationError('session must be an object that read, create or rotate returned, not a copy of it');
  return memory;
}

/** Brings session and memory up to what was just written. */
export function rememberWrite(
  session: Session<never> | Session<unknown>,
  written: {
    readonly expiresAt?: number;
    readonly renewedAt?: number;
    readonly version?: number;
    readonly dataText?: string;
  },
): void {
  const memory = memories.get(session);
  if (memory === undefined) return;
  const { dataText, ...times } = written;
  if (dataText !== undefined) memory.dataText = dataText;
  memory.valid = { ...memory.valid, ...times };
  defineFixed(session, times);
}

/** Whether `data` differs from what was read or saved last. */
export function hasUnsavedData(session: Session<never> | Session<unknown>): boolean {
  return serializeData(session.data) !== memoryOf(session).dataText;
}

/** Whether two sessions were stored with the same data, whatever their objects hold by now. */
export function hasSameStoredData(
  one: Session<never> | Session<unknown>,
  other: Session<never> | Session<unknown>,
): boolean {
  return memoryOf(one).dataText === memoryOf(other).dataText;
}
