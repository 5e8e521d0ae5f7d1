// SPDX-License-Identifier: Apache-2.0
/** What has been found out about programs and items, shared by all systems: nothing is run or computed twice. */
import { SessionStoreError } from '../../lambda/session/errors';
import type { Item } from '../../lambda/session/store';
import { Interner } from './interner';
import { applyToItem } from './item-semantics';
import { type Answer, ProcessTree, type Program } from './process-tree';
import type { ItemRequest, StoreRequest } from './store-request';

export const requests = new Interner<StoreRequest>();
export const answers = new Interner<Answer>();
/** Id 0 is no item. */
export const items = new Interner<Item | null>();
items.idOf(null);

export const itemById = (id: number): Item | undefined => items.valueOf(id) ?? undefined;

const trees = new Map<string, ProcessTree>();

export function treeOf(program: Program): ProcessTree {
  let tree = trees.get(program.name);
  if (tree === undefined) {
    tree = new ProcessTree(program, { requests, answers });
    trees.set(program.name, tree);
  }
  return tree;
}

/** What a request does to an item, as ids. `isDone`: a write that wrote, or any read. */
export interface KnownEffect {
  readonly answerId: number;
  readonly itemId: number;
  readonly isDone: boolean;
}

const effects = new Map<number, KnownEffect>();

export function effectOf(requestId: number, itemId: number): KnownEffect | Promise<KnownEffect> {
  return effects.get(requestId * 2 ** 24 + itemId) ?? learnEffect(requestId, itemId);
}

async function learnEffect(requestId: number, itemId: number): Promise<KnownEffect> {
  const { answer, item } = await applyToItem(requests.valueOf(requestId) as ItemRequest, itemById(itemId));
  const effect: KnownEffect = {
    answerId: answers.idOf({ value: answer }),
    itemId: item === undefined ? 0 : items.idOf(item),
    isDone: answer !== false && (answer as { readonly applied?: boolean } | undefined)?.applied !== false,
  };
  effects.set(requestId * 2 ** 24 + itemId, effect);
  return effect;
}

/** The error of a call that may be retried. */
export function errorAnswer(isThrottled: boolean): number {
  const code = isThrottled ? 'ERR_SESSION_STORE_THROTTLED' : 'ERR_SESSION_STORE';
  return answers.idOf({ error: new SessionStoreError('injected fault', { code, isRetryable: true }) }, code);
}
