// SPDX-License-Identifier: Apache-2.0
/**
 * What has been found out about programs and items, shared by all systems, so that nothing is run or computed twice.
 * Finding out takes asynchronous code; what is known is there at once. So a function that needs something unknown is left by
 * `NotYetKnown` and called again when it is known, which keeps the exploration itself synchronous and fast.
 */
import { SessionStoreError } from '../../lambda/session/errors';
import type { Item } from '../../lambda/session/store';
import { Interner } from './interner';
import { applyToItem } from './item-semantics';
import { type Place, ProcessTree } from './process-tree';
import type { Answer, Outcome, Program } from './run';
import type { ItemRequest, StoreRequest } from './store-request';

export const requests = new Interner<StoreRequest>();
export const answers = new Interner<Answer>();
export const outcomes = new Interner<Outcome>();
/** Id 0 is no item. */
export const items = new Interner<Item | null>();
items.idOf(null);

export const itemById = (id: number): Item | undefined => items.valueOf(id) ?? undefined;

/** Thrown where something must be found out first. */
class NotYetKnown {
  constructor(readonly finding: Promise<unknown>) {}
}

/** The function's result, at once if everything it needs is known. It must do nothing but compute. */
export function whenKnown<T>(compute: () => T): T | Promise<T> {
  try {
    return compute();
  } catch (thrown) {
    if (!(thrown instanceof NotYetKnown)) throw thrown;
    return thrown.finding.then(() => whenKnown(compute));
  }
}

function known<T>(value: T | Promise<T>): T {
  if (value instanceof Promise) throw new NotYetKnown(value);
  return value;
}

const trees = new Map<Program, ProcessTree>();
const treesByName = new Map<string, ProcessTree>();

function treeOf(program: Program): ProcessTree {
  let tree = trees.get(program);
  if (tree === undefined) {
    tree = treesByName.get(program.name) ?? new ProcessTree(program, { requests, answers });
    treesByName.set(program.name, tree);
    trees.set(program, tree);
  }
  return tree;
}

/** Where the program waits after it was called at this time. */
export function startOf(program: Program, now: number): Place {
  return known(treeOf(program).start(now));
}

/** Where an answer to one of its calls takes the program. */
export function follow(program: Program, place: Place, call: number, answerId: number, now: number): Place {
  return known(treeOf(program).follow(place, call, answerId, now));
}

/** What a request does to an item, as ids. `isDone`: a write that wrote, or any read. */
export interface KnownEffect {
  readonly answerId: number;
  readonly itemId: number;
  readonly isDone: boolean;
}

const effects = new Map<number, KnownEffect>();

export function effectOf(requestId: number, itemId: number): KnownEffect {
  return effects.get(requestId * 2 ** 24 + itemId) ?? known(findEffect(requestId, itemId));
}

async function findEffect(requestId: number, itemId: number): Promise<KnownEffect> {
  const { answer, item } = await applyToItem(requests.valueOf(requestId) as ItemRequest, itemById(itemId));
  const effect: KnownEffect = {
    answerId: answers.idOf({ value: answer }),
    itemId: item === undefined ? 0 : items.idOf(item),
    isDone: answer !== false && (answer as { readonly applied?: boolean } | undefined)?.applied !== false,
  };
  effects.set(requestId * 2 ** 24 + itemId, effect);
  return effect;
}

const errorOf = (code: 'ERR_SESSION_STORE' | 'ERR_SESSION_STORE_THROTTLED', isRetryable: boolean): number =>
  answers.idOf({ error: new SessionStoreError('injected fault', { code, isRetryable }) }, `${code} ${isRetryable}`);

/** Ids of the answers that are errors. */
export const ERRORS = {
  retryable: errorOf('ERR_SESSION_STORE', true),
  throttled: errorOf('ERR_SESSION_STORE_THROTTLED', true),
  final: errorOf('ERR_SESSION_STORE', false),
} as const;
