// SPDX-License-Identifier: Apache-2.0
/**
 * The library with one of its looks taken out, to see that the invariants notice: a store that hides or makes up what the
 * library would have seen, so that it runs as if it had not looked.
 */
import { collectionKey } from '../../lambda/session/session-keys';
import type { Item, UpdateOutcome } from '../../lambda/session/store';
import { type Breakage, isSessionItem, isUserItem } from './broken-writes';
import { USER } from './operations';

const without = (item: Item, ...names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

const forget = (outcome: UpdateOutcome, name: string): UpdateOutcome =>
  outcome.applied && outcome.previous ? { applied: true, previous: without(outcome.previous, name) } : outcome;

export const BROKEN_READS = {
  /** An end does not see what the session was rotated to. */
  successorIsForgotten: (store) => ({
    ...store,
    update: async (...call) => forget(await store.update(...call), 'replaced_by'),
  }),

  /** An end does not see what the session was rotated from. */
  predecessorIsForgotten: (store) => ({
    ...store,
    update: async (...call) => forget(await store.update(...call), 'replaces'),
  }),

  /** After an answer was lost, a rotation does not recognise its own write. */
  ownRotationIsNotRecognised: (store) => ({
    ...store,
    get: async (...call) => {
      const item = await store.get(...call);
      return item && without(item, 'replaced_by');
    },
  }),

  /** Logins look at the user once, and take that for what they see at the fence. */
  noFence: (store) => {
    let first: { readonly item: Item | undefined } | undefined;
    let isBumping = false;
    return {
      ...store,
      get: async (key, attributes) => {
        if (!isUserItem(key) || isBumping) return store.get(key, attributes);
        first ??= { item: await store.get(key, attributes) };
        return first.item;
      },
      update: (key, change, conditions, options) => {
        // What moves the generation itself must see it as it is.
        isBumping ||= isUserItem(key);
        return store.update(key, change, conditions, options);
      },
    };
  },

  /** A rotation always finds its own generation at the fence. */
  noFenceInRotation: (store) => {
    let generation: string | undefined;
    return {
      ...store,
      put: (item) => {
        if (item.replaces !== undefined) generation = item.generation?.N;
        return store.put(item);
      },
      get: async (key, attributes) => {
        const item = await store.get(key, attributes);
        if (!isUserItem(key) || item === undefined || generation === undefined) return item;
        return { ...without(item, 'disabled'), generation: { N: generation } };
      },
    };
  },

  /** A session that is listed and not there is taken off the list, although its login may be under way. */
  absentIsUnlisted: (store) => ({
    ...store,
    get: async (key, attributes) => {
      const item = await store.get(key, attributes);
      if (isSessionItem(key) && item === undefined) await store.delete(collectionKey(USER, key.partitionKey.slice(2)));
      return item;
    },
  }),

  /** Only the first page of a collection is read. */
  onePageOnly: (store) => ({
    ...store,
    query: async (...call) => ({ items: (await store.query(...call)).items }),
  }),

  /** A device that was too slow to end all others does not see who was faster, and ends that one too. */
  fasterDeviceIsForgotten: (store) => ({
    ...store,
    get: async (key, attributes) => {
      const item = await store.get(key, attributes);
      return item && isUserItem(key) ? without(item, 'changed_by') : item;
    },
  }),

  /** Every generation counts as the acting session's own, so that anybody may end all others. */
  exceptAsksNobody: (store) => {
    let acting: string | undefined;
    return {
      ...store,
      get: async (key, attributes) => {
        const item = await store.get(key, attributes);
        if (isSessionItem(key)) acting ??= key.partitionKey.slice(2);
        if (!isUserItem(key) || item === undefined || acting === undefined) return item;
        return { ...item, changed_by: { S: acting } };
      },
    };
  },
} as const satisfies Record<string, Breakage>;
