// SPDX-License-Identifier: Apache-2.0
/** Builds the items of a session and holds them to their size. */
import type { SessionSettings } from '../../settings';
import { number, text } from '../attribute';
import { InvalidInputError } from '../errors';
import { collectionKey } from '../session-keys';
import type { AttributeValue, Item, ItemKey, SessionStore } from '../store';
import { keyOf, type LifecycleContext } from './context';

/** Where a session was started, for the list of "your devices". */
export interface Device {
  readonly label?: string;
  readonly ip?: string;
  readonly userAgent?: string;
}

/** Longest part of a device description that is kept; what clients send may be longer and is cut. */
const MAX_DEVICE_CHARACTERS = 256;

/** When a session that was used now ends: idle timeout from now, absolute timeout from the login, whichever is first. */
export function effectiveEnd(settings: SessionSettings, createdAt: number, now: number): number {
  const absoluteEnd = createdAt + settings.absoluteTimeoutSeconds;
  return settings.idleTimeoutSeconds === undefined
    ? absoluteEnd
    : Math.min(now + settings.idleTimeoutSeconds, absoluteEnd);
}

export function keyAttributes(store: SessionStore, key: ItemKey): Item {
  return {
    [store.attributeNames.partitionKey]: text(key.partitionKey),
    [store.attributeNames.sortKey]: text(key.sortKey),
  };
}

/** The collection item by which a session is found to be ended or listed; it outlives every slide of the session. */
export function collectionItem(
  { store, settings: { epoch } }: LifecycleContext,
  session: {
    readonly user: string;
    readonly tokenHash: string;
    readonly generation: number;
    readonly createdAt: number;
    readonly absoluteEnd: number;
    readonly device?: AttributeValue | undefined;
  },
): Item {
  return {
    ...(epoch === undefined ? {} : { epoch: text(epoch) }),
    generation: number(session.generation),
    created_at: number(session.createdAt),
    [store.attributeNames.expiresAt]: number(session.absoluteEnd),
    ...(session.device === undefined ? {} : { device: session.device }),
    ...keyAttributes(store, collectionKey(session.user, session.tokenHash)),
  };
}

export function writeDevice(device: Device | undefined): AttributeValue | undefined {
  if (device === undefined) return undefined;
  const parts: Record<string, AttributeValue> = {};
  for (const [name, attribute] of [
    ['label', 'label'],
    ['ip', 'ip'],
    ['userAgent', 'user_agent'],
  ] as const) {
    const part: unknown = device[name];
    if (part === undefined || part === '') continue;
    if (typeof part !== 'string') throw new InvalidInputError(`device.${name} must be a string`);
    parts[attribute] = text(part.slice(0, MAX_DEVICE_CHARACTERS).toWellFormed());
  }
  return Object.keys(parts).length === 0 ? undefined : { M: parts };
}

export function readDevice(item: Item): Device | undefined {
  const parts = item.device?.M;
  if (parts === undefined) return undefined;
  const label = parts.label?.S;
  const ip = parts.ip?.S;
  const userAgent = parts.user_agent?.S;
  return {
    ...(label === undefined ? {} : { label }),
    ...(ip === undefined ? {} : { ip }),
    ...(userAgent === undefined ? {} : { userAgent }),
  };
}

const ANY_HASH = '0'.repeat(64);

/**
 * Holds a session item to the cap, with everything that the lifecycle may add to it later, so that a session which fits
 * once can always be slid, rotated and ended.
 * @throws InvalidInputError
 */
export function requireFittingItem(context: LifecycleContext, item: Item): void {
  const { maxItemBytes } = context.settings;
  const bytes = itemBytes({
    ...item,
    ...keyAttributes(context.store, keyOf(context, ANY_HASH)),
    generation: number(1e9),
    version: number(1e9),
    renewed_at: number(1e9),
    revoked: number(1e9),
    replaces: text(ANY_HASH),
    replaced_by: text(ANY_HASH),
  });
  if (bytes > maxItemBytes)
    throw new InvalidInputError(
      `data, claims and device make the session item ${bytes} bytes; maxItemBytes allows ${maxItemBytes}`,
    );
}

/** Size as DynamoDB counts it ("Item sizes and formats" in its developer guide), numbers at their longest. */
export function itemBytes(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1;
  if (value.M !== undefined)
    return Object.entries(value.M).reduce(
      (sum, [name, part]) => sum + Buffer.byteLength(name) + valueBytes(part) + 1,
      3,
    );
  return 1;
}
