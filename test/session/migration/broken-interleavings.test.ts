// SPDX-License-Identifier: Apache-2.0
/** An explorer that finds nothing anywhere proves nothing: rules of the move, taken out one by one, must show. */
import type { Change, ItemKey, SessionStore } from '../../../lambda/session/store';
import { explore } from '../../interleavings/explore';
import { System } from '../../interleavings/system';
import { BROWSER_ITEM, type BrowserOperation, browserOperation, type Kind, NOW, OLD_ITEM } from './browser-operations';
import { migrationInvariants } from './migration-invariants';

const MAX_STATES = 4_000;

const isSession = ({ partitionKey }: ItemKey): boolean => partitionKey.startsWith('S#');
const isClaim = ({ partitionKey }: ItemKey): boolean => partitionKey.startsWith('SL#');
const isKill = ({ setIfAbsent }: Change): boolean => setIfAbsent?.revoked !== undefined;

const BREAKAGES = {
  /** A logout leaves no tombstone where the session is about to be written. */
  noTombstone: (store) => ({
    ...store,
    update: (key, change, conditions, options) =>
      store.update(key, change, conditions, isSession(key) && isKill(change) ? {} : options),
  }),

  /** A claim is put in the place of one that another request put there meanwhile. */
  claimOverwrites: (store) => ({
    ...store,
    put: async (item) => {
      const key = { partitionKey: item.PK?.S ?? '', sortKey: item.SK?.S ?? '' };
      if (isClaim(key)) await store.delete(key);
      return store.put(item);
    },
  }),

  /** A logout settles no claim where there is none, so that what never moved in still can. */
  nothingIsSettledAhead: (store) => ({
    ...store,
    update: async (key, change, conditions, options) => {
      const isAhead = isClaim(key) && change.set?.type !== undefined && change.set.settled_at !== undefined;
      return isAhead && (await store.get(key)) === undefined
        ? { applied: true }
        : store.update(key, change, conditions, options);
    },
  }),
} as const satisfies Record<string, (store: SessionStore) => SessionStore>;

/** Programs of one name must behave the same, so that a broken one has a name of its own. */
function withBroken(operation: BrowserOperation, name: keyof typeof BREAKAGES): BrowserOperation {
  const { program } = operation;
  return {
    ...operation,
    program: {
      name: `${program.name} with ${name}`,
      run: (environment) => program.run({ ...environment, store: BREAKAGES[name](environment.store) }),
    },
  };
}

function explored(kinds: readonly Kind[], broken?: keyof typeof BREAKAGES) {
  const intact = kinds.map((kind, index) => browserOperation(kind, 'AB'.charAt(index)));
  const operations = broken === undefined ? intact : intact.map((operation) => withBroken(operation, broken));
  const system = new System<BrowserOperation>(
    { operations, items: [OLD_ITEM, BROWSER_ITEM], now: NOW, reading: 'atOnce', faults: [] },
    migrationInvariants,
  );
  return explore(system, { maxStates: MAX_STATES, stopAtViolation: broken !== undefined });
}

it.each<[keyof typeof BREAKAGES, readonly Kind[], string]>([
  ['noTombstone', ['request', 'apiLogout'], 'a session is accepted'],
  ['claimOverwrites', ['request', 'request'], 'two sessions that were handed out are accepted'],
  ['nothingIsSettledAhead', ['apiLogout', 'oldSave'], 'the old cookie can move in again'],
])('the explorer catches the library with %s in %j', async (name, kinds, breaks) => {
  const intact = await explored(kinds);
  const broken = await explored(kinds, name);

  expect(intact.violations).toEqual([]);
  expect(broken.violations.map(({ message }) => message).join('\n')).toContain(breaks);
});
