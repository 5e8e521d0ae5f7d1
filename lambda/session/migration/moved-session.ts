// SPDX-License-Identifier: Apache-2.0
/** The items of a session that moves in: fresh token, original age, no longer than either system allows. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { number, readString, text } from '../attribute';
import { writeClaims } from '../claims';
import { ConfigurationError } from '../errors';
import type { LegacySession } from '../legacy-source';
import { IN_FLIGHT_MARGIN_SECONDS, keyOf, type LifecycleContext } from '../lifecycle/context';
import { memoryOf, type Session } from '../lifecycle/session';
import { serializeData } from '../lifecycle/session-data';
import {
  collectionItem,
  effectiveEnd,
  keyAttributes,
  requireFittingItem,
  writeDevice,
} from '../lifecycle/session-item';
import type { Item } from '../store';
import type { PendingClaim } from './claim-item';
import type { LegacyOptions, MovedSession } from './legacy-options';

export type MovedTimes = Pick<PendingClaim, 'createdAt' | 'issuedAt' | 'expiresAt'>;

/**
 * When a session that moves in now began and ends; `undefined` if it is over, or as good as.
 * @param knownSince what counts where the older system does not say when it began
 */
export function timesOf(
  context: LifecycleContext,
  legacy: LegacySession,
  knownSince: number,
  { lifetime = 'carried' }: Pick<LegacyOptions, 'lifetime'>,
): MovedTimes | undefined {
  const now = context.now();
  // An unknown beginning is the day it moves in for the absolute timeout, whatever it is for "valid after" lines: the login may be young.
  const createdAt = legacy.createdAt === 0 ? knownSince : Math.min(legacy.createdAt, now);
  const end = effectiveEnd(context.settings, createdAt, now);
  const isCarried = lifetime === 'carried' || legacy.isEndFinal === true;
  const expiresAt = isCarried ? Math.min(end, legacy.expiresAt) : end;
  return expiresAt > now + IN_FLIGHT_MARGIN_SECONDS ? { createdAt, issuedAt: now, expiresAt } : undefined;
}

/** What goes into the session item beside key, times and generation. */
export type MovedAttributes = Item;

/**
 * @throws InvalidInputError for what cannot be stored
 * @throws ConfigurationError without the key of a user record that the settings want to be read
 */
export function movedAttributes(
  context: LifecycleContext,
  legacy: LegacySession,
  carried: MovedSession<unknown>,
  claimId: string,
): MovedAttributes {
  const { userRecordKey } = carried;
  if (context.settings.userRecordAttribute !== undefined && userRecordKey === undefined)
    throw new ConfigurationError(
      'legacy.asSession must return the userRecordKey, because the settings have a userRecordAttribute',
    );
  const claims = writeClaims(carried.claims);
  const device = writeDevice(carried.device);
  const attributes: Item = {
    type: text('session'),
    user: text(legacy.user),
    ...(userRecordKey === undefined
      ? {}
      : { user_pk: text(userRecordKey.partitionKey), user_sk: text(userRecordKey.sortKey) }),
    // Nobody has checked credentials here: the login of the older system is the last that is known of.
    authenticated_at: number(legacy.createdAt),
    version: number(0),
    data: text(serializeData(carried.data ?? {})),
    ...(claims === undefined ? {} : { claims }),
    ...(device === undefined ? {} : { device }),
    ...(legacy.isEndFinal === true ? { max_end: number(legacy.expiresAt) } : {}),
    legacy_claim: text(claimId),
    ...(legacy.csrfToken === undefined ? {} : { legacy_csrf: text(hashOfCsrfToken(legacy.csrfToken)) }),
  };
  requireFittingItem(context, attributes);
  return attributes;
}

/** The session item and its collection item, the same whoever writes them: all that differs is in the claim. */
export function movedItems(
  context: LifecycleContext,
  claim: PendingClaim,
  attributes: MovedAttributes,
  generation: number,
): { readonly session: Item; readonly listed: Item } {
  const { store, settings } = context;
  const { user, tokenHash, createdAt, issuedAt, expiresAt } = claim;
  return {
    session: {
      ...attributes,
      created_at: number(createdAt),
      issued_at: number(issuedAt),
      [store.attributeNames.expiresAt]: number(expiresAt),
      generation: number(generation),
      ...keyAttributes(store, keyOf(context, tokenHash)),
    },
    listed: collectionItem(context, {
      user,
      tokenHash,
      generation,
      createdAt,
      absoluteEnd: Math.max(expiresAt, createdAt + settings.absoluteTimeoutSeconds),
      device: attributes.device,
    }),
  };
}

/** Whether the value is the anti-CSRF token that the session brought along, which pages from before still send. */
export function matchesCarriedCsrfToken(session: Session<never> | Session<unknown>, presented: unknown): boolean {
  const expected = readString(memoryOf(session).item, 'legacy_csrf');
  if (typeof expected !== 'string' || typeof presented !== 'string') return false;
  // Hashes, of equal length: how much of them agrees says nothing about the token.
  const actual = Buffer.from(hashOfCsrfToken(presented));
  return actual.length === expected.length && timingSafeEqual(actual, Buffer.from(expected));
}

/** Only a hash of the token is kept: it is a secret of the user's. */
function hashOfCsrfToken(csrfToken: string): string {
  return createHash('sha256').update(csrfToken).digest('hex');
}
