// SPDX-License-Identifier: Apache-2.0
/**
 * The library with one of its rules for writing taken out, to see that the invariants notice: a store that drops a
 * condition or does something else than it was asked, so that the library runs as if the rule were not written.
 */
import type { Change, Condition, Item, ItemKey, SessionStore } from '../../lambda/session/store';

export type Breakage = (store: SessionStore) => SessionStore;

export const isUserItem = (key: ItemKey): boolean => key.sortKey.startsWith('SU#');
export const isSessionItem = (key: ItemKey): boolean => key.partitionKey.startsWith('S#');
const isKill = ({ set, setIfAbsent }: Change): boolean =>
  setIfAbsent?.revoked !== undefined && set?.replaced_by === undefined;

/** Holds for every item that exists, and for none that does not; a store wants one condition at least. */
const EXISTS: Condition = { attribute: 'PK', is: 'present' };
/** Holds always: no item has such an attribute. */
const ALWAYS: Condition = { attribute: 'no such attribute', is: 'absent' };

/** Drops the conditions on an attribute from changes of a kind. */
function withoutCondition(
  attribute: string,
  isMeant: (key: ItemKey, change: Change) => boolean = () => true,
): Breakage {
  return (store) => ({
    ...store,
    update: (key, change, conditions, options) => {
      const kept = isMeant(key, change) ? conditions.filter((one) => one.attribute !== attribute) : conditions;
      const [first = isUserItem(key) ? ALWAYS : EXISTS, ...rest] = kept;
      return store.update(key, change, [first, ...rest], options);
    },
  });
}

export const BROKEN_WRITES = {
  /** Renewal, save and rotation write to a session that was ended meanwhile. */
  revokedIsIgnored: withoutCondition('revoked'),

  /** A rotation does not notice that a save came between. */
  versionIsIgnoredByRotate: withoutCondition('version', (_key, { set }) => set?.replaced_by !== undefined),

  /** Of two saves the second overwrites the first, which was acknowledged. */
  versionIsIgnoredBySave: withoutCondition('version', (_key, { set }) => set?.data !== undefined),

  /** Two bumps count as one. */
  generationIsIgnored: withoutCondition('generation', (key, { set }) => isUserItem(key) && set !== undefined),

  /** An enable writes whatever happened since it read. */
  enableIsUnconditional: withoutCondition('generation', (_key, { remove }) => remove?.includes('disabled') === true),

  /** A renewal may land after the session expired. */
  noMargin: (store) => ({
    ...store,
    update: (key, change, [first, ...rest], options) => {
      const relaxed = (one: Condition): Condition =>
        one.is === 'greater' && one.attribute === 'expires_at' ? { ...one, than: one.than - 5 } : one;
      return store.update(key, change, [relaxed(first), ...rest.map(relaxed)], options);
    },
  }),

  /** A put overwrites what is there, a tombstone too. */
  putOverwrites: (store) => ({
    ...store,
    put: async (item) => {
      const { PK, SK, ...set } = item;
      const key = { partitionKey: PK?.S ?? '', sortKey: SK?.S ?? '' };
      await store.update(key, { set, remove: ['revoked', 'replaced_by'] }, [ALWAYS], { orNoItem: true });
      return true;
    },
  }),

  /** The session is written before it is listed. */
  listedLast: (store) => {
    let entry: Item | undefined;
    return {
      ...store,
      put: async (item) => {
        if (item.PK?.S?.startsWith('SU#')) {
          entry = item;
          return true;
        }
        const isWritten = await store.put(item);
        if (entry !== undefined) await store.put(entry);
        return isWritten;
      },
    };
  },

  /** Ended sessions are deleted, and no tombstone stays. */
  killDeletes: (store) => ({
    ...store,
    update: async (key, change, conditions, options) => {
      if (!isSessionItem(key) || !isKill(change)) return store.update(key, change, conditions, options);
      await store.delete(key);
      return { applied: true };
    },
  }),

  /** Even in a sweep, no tombstone is written where no item is yet. */
  sweepDoesNotUpsert: (store) => ({
    ...store,
    update: (key, change, conditions) => store.update(key, change, conditions),
  }),

  /** Entries are taken off the list, and the sessions behind them live on. */
  unlistedNotEnded: (store) => ({
    ...store,
    update: async (key, change, conditions, options) =>
      isSessionItem(key) && isKill(change) ? { applied: true } : store.update(key, change, conditions, options),
  }),

  /** A disable bans the user and leaves the generation alone. */
  disableDoesNotBump: (store) => ({
    ...store,
    update: (key, change, conditions, options) => {
      if (!isUserItem(key) || change.set?.disabled === undefined) return store.update(key, change, conditions, options);
      const generation = { N: String(Number(change.set.generation?.N) - 1) };
      return store.update(key, { ...change, set: { ...change.set, generation } }, conditions, options);
    },
  }),
} as const satisfies Record<string, Breakage>;
