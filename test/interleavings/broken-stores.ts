// SPDX-License-Identifier: Apache-2.0
/**
 * The library with one of its rules taken out, to see that the invariants notice. Each is a store that drops a condition,
 * hides an answer or does something else than it was asked, so that the library runs as if the rule were not written.
 */
import type { Change, Condition, Item, ItemKey, SessionStore, UpdateOutcome } from '../../lambda/session/store';

export interface BrokenStore {
  readonly name: string;
  readonly wrap: (store: SessionStore) => SessionStore;
}

/** What is known by the prefix of its key. */
const isUserItem = (key: ItemKey): boolean => key.sortKey.startsWith('SU#');
const isSessionItem = (key: ItemKey): boolean => key.partitionKey.startsWith('S#');
const isKill = ({ set, setIfAbsent }: Change): boolean =>
  setIfAbsent?.revoked !== undefined && set?.replaced_by === undefined;

/** Drops conditions on an attribute, where the change is of a kind. */
function withoutCondition(
  name: string,
  attribute: string,
  where: (key: ItemKey, change: Change) => boolean = () => true,
): BrokenStore {
  return {
    name,
    wrap: (store) => ({
      ...store,
      update: (key, change, conditions, options) => {
        const kept = where(key, change) ? conditions.filter((one) => one.attribute !== attribute) : conditions;
        return store.update(key, change, atLeastOne(kept, key), options);
      },
    }),
  };
}

/** A store wants one condition at least: the item exists. */
function atLeastOne(conditions: readonly Condition[], key: ItemKey): readonly [Condition, ...Condition[]] {
  const [first, ...rest] = conditions;
  return first === undefined
    ? [{ attribute: isUserItem(key) ? 'XX' : 'PK', is: isUserItem(key) ? 'absent' : 'present' }]
    : [first, ...rest];
}

const without = (item: Item, ...names: string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

const forgetLinks = (outcome: UpdateOutcome, ...names: string[]): UpdateOutcome =>
  outcome.applied && outcome.previous ? { applied: true, previous: without(outcome.previous, ...names) } : outcome;

export const BROKEN_STORES = {
  /** Renewal, save and rotation write to a session that was ended meanwhile. */
  revokedIsIgnored: withoutCondition('revoked is ignored', 'revoked'),

  /** A rotation does not notice that a save came between. */
  versionIsIgnoredByRotate: withoutCondition(
    'version is ignored by rotate',
    'version',
    (_key, change) => change.set?.replaced_by !== undefined,
  ),

  /** Of two saves the second overwrites the first, which was acknowledged. */
  versionIsIgnoredBySave: withoutCondition(
    'version is ignored by save',
    'version',
    (_key, change) => change.set?.data !== undefined && change.set.replaced_by === undefined,
  ),

  /** Two bumps count as one. */
  generationIsIgnored: withoutCondition(
    'generation is ignored',
    'generation',
    (key, change) => isUserItem(key) && change.set !== undefined,
  ),

  /** An enable writes whatever happened since it read. */
  enableIsUnconditional: withoutCondition(
    'enable is unconditional',
    'generation',
    (_key, change) => change.remove?.includes('disabled') === true,
  ),

  /** Renewal asks for no margin. */
  noMargin: {
    name: 'no margin',
    wrap: (store) => ({
      ...store,
      update: (key, change, [first, ...rest], options) => {
        const relax = (one: Condition): Condition =>
          one.is === 'greater' && one.attribute === 'expires_at' ? { ...one, than: one.than - 5 } : one;
        return store.update(key, change, [relax(first), ...rest.map(relax)], options);
      },
    }),
  },

  /** A put overwrites what is there, a tombstone too. */
  putOverwrites: {
    name: 'put overwrites',
    wrap: (store) => ({
      ...store,
      put: async (item) => {
        const key = { partitionKey: item.PK?.S ?? '', sortKey: item.SK?.S ?? '' };
        const { PK: _partition, SK: _sort, ...set } = item;
        await store.update(key, { set, remove: ['revoked', 'replaced_by'] }, [{ attribute: 'XX', is: 'absent' }], {
          orNoItem: true,
        });
        return true;
      },
    }),
  },

  /** Ended sessions are deleted, and no tombstone stays. */
  killDeletes: {
    name: 'kill deletes',
    wrap: (store) => ({
      ...store,
      update: async (key, change, conditions, options) => {
        if (!isSessionItem(key) || !isKill(change)) return store.update(key, change, conditions, options);
        await store.delete(key);
        return { applied: true };
      },
    }),
  },

  /** Even in a sweep, no tombstone is written where no item is yet. */
  sweepDoesNotUpsert: {
    name: 'sweep does not upsert',
    wrap: (store) => ({ ...store, update: (key, change, conditions) => store.update(key, change, conditions) }),
  },

  /** An end does not see what the session was rotated to. */
  successorIsForgotten: {
    name: 'successor is forgotten',
    wrap: (store) => ({
      ...store,
      update: async (...call) => forgetLinks(await store.update(...call), 'replaced_by'),
    }),
  },

  /** An end does not see what the session was rotated from. */
  predecessorIsForgotten: {
    name: 'predecessor is forgotten',
    wrap: (store) => ({
      ...store,
      update: async (...call) => forgetLinks(await store.update(...call), 'replaces'),
    }),
  },

  /** After an answer was lost, a rotation does not recognise its own write. */
  ownRotationIsNotRecognised: {
    name: 'own rotation is not recognised',
    wrap: (store) => ({
      ...store,
      get: async (...call) => {
        const item = await store.get(...call);
        return item && without(item, 'replaced_by');
      },
    }),
  },

  /** Logins and rotations look at the user once, and take that for what they see at the fence. */
  noFence: {
    name: 'no fence',
    wrap: (store) => {
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
  },

  /** The first user item a rotation sees is what it wants to see. */
  noFenceInRotation: {
    name: 'no fence in rotation',
    wrap: (store) => {
      let copied: string | undefined;
      return {
        ...store,
        put: (item) => {
          if (item.replaces !== undefined) copied = item.generation?.N;
          return store.put(item);
        },
        get: async (key, attributes) => {
          const item = await store.get(key, attributes);
          return isUserItem(key) && copied !== undefined && item !== undefined
            ? { ...without(item, 'disabled'), generation: { N: copied } }
            : item;
        },
      };
    },
  },

  /** The collection item goes first, the session after it. */
  listedLast: {
    name: 'listed after it was written',
    wrap: (store) => {
      let held: Item | undefined;
      return {
        ...store,
        put: async (item) => {
          if (item.PK?.S?.startsWith('SU#')) {
            held = item;
            return true;
          }
          const isWritten = await store.put(item);
          if (held !== undefined) await store.put(held);
          return isWritten;
        },
      };
    },
  },

  /** Entries are taken off the list, and the sessions behind them live on. */
  unlistedFirst: {
    name: 'sessions are unlisted, not ended',
    wrap: (store) => ({
      ...store,
      update: async (key, change, conditions, options) =>
        isSessionItem(key) && isKill(change) ? { applied: true } : store.update(key, change, conditions, options),
    }),
  },

  /** Every generation counts as the acting session's own, so that anybody may end all others. */
  exceptAsksNobody: {
    name: 'except asks nobody',
    wrap: (store) => {
      let acting: string | undefined;
      return {
        ...store,
        get: async (key, attributes) => {
          const item = await store.get(key, attributes);
          if (isSessionItem(key)) acting ??= key.partitionKey.slice(2);
          return isUserItem(key) && item !== undefined && acting !== undefined
            ? { ...item, changed_by: { S: acting } }
            : item;
        },
      };
    },
  },

  /** A disable bans the user and leaves the generation alone. */
  disableDoesNotBump: {
    name: 'disable does not bump',
    wrap: (store) => ({
      ...store,
      update: (key, change, conditions, options) => {
        if (!isUserItem(key) || change.set?.disabled === undefined)
          return store.update(key, change, conditions, options);
        const generation = { N: String(Number(change.set.generation?.N) - 1) };
        return store.update(key, { ...change, set: { ...change.set, generation } }, conditions, options);
      },
    }),
  },
} as const satisfies Record<string, BrokenStore>;
