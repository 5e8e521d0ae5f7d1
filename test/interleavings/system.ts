// SPDX-License-Identifier: Apache-2.0
/**
 * A store and the processes that use it, as states and steps: what can happen next in a state, and what it leads to.
 * Every store call is one atomic step; the scheduler may take the steps of different processes in any order.
 */
import type { Item, ItemKey } from '../../lambda/session/store';
import { type Fault, isFault } from './fault';
import { answers, effectOf, errorAnswer, itemById, items, requests, treeOf } from './knowledge';
import type { Place } from './process-tree';
import { answerGetMany, answerQuery, type QueryReading, queryChoices } from './read-many';
import type { Action, Delayed, Operation, Process, Property, State, StepEvent } from './state';
import { type ItemRequest, isWrite, keyOf, keyOfItem, type StoreRequest } from './store-request';

export interface SystemOptions<Op extends Operation> {
  readonly operations: readonly Op[];
  readonly items: readonly Item[];
  readonly now: number;
  readonly reading?: QueryReading;
  readonly faults?: readonly Fault[];
  /** Faults in one run. Default 1. */
  readonly maxFaults?: number;
  /** How often and how far the clock may move in one run. Default never. */
  readonly clock?: { readonly steps: number; readonly stepSeconds: number };
}

export class System<Op extends Operation> {
  readonly #options: SystemOptions<Op>;
  readonly #property: Property<Op>;
  readonly #faults: ReadonlySet<Fault>;
  readonly #slots = new Map<string, number>();
  readonly #slotsBySortKey = new Map<string, readonly number[]>();
  readonly #slotOfRequest = new Map<number, number>();

  constructor(options: SystemOptions<Op>, propertyOf: (system: System<Op>) => Property<Op>) {
    this.#options = options;
    this.#faults = new Set(options.faults ?? []);
    this.#property = propertyOf(this);
  }

  get property(): Property<Op> {
    return this.#property;
  }

  initialState(): State<Op> {
    const stored: number[] = [];
    for (const item of this.#options.items) stored[this.slotOf(keyOfItem(item))] = items.idOf(item);
    const state: State<Op> = {
      items: stored,
      now: this.#options.now,
      processes: this.#options.operations.map((operation) => ({ operation, status: 'ready' })),
      delayed: [],
      faults: 0,
      clockSteps: 0,
      history: [],
    };
    return { ...state, history: this.#property.begin(state) };
  }

  /** Where the state keeps the item with this key. */
  slotOf(key: ItemKey): number {
    const text = `${key.partitionKey} ${key.sortKey}`;
    let slot = this.#slots.get(text);
    if (slot === undefined) {
      slot = this.#slots.size;
      this.#slots.set(text, slot);
      this.#slotsBySortKey.set(key.sortKey, [...this.slotsOf(key.sortKey), slot]);
    }
    return slot;
  }

  itemAt(state: State<Op>, key: ItemKey): Item | undefined {
    return itemById(state.items[this.slotOf(key)] ?? 0);
  }

  /** Slots of all items with this sort key. */
  slotsOf(sortKey: string): readonly number[] {
    return this.#slotsBySortKey.get(sortKey) ?? [];
  }

  /** Everything that can happen in the state. Processes that have not begun are begun here. */
  async actions(state: State<Op>): Promise<Action[]> {
    const actions: Action[] = [];
    const faultsLeft = state.faults < (this.#options.maxFaults ?? 1);
    for (const [process, { status, place, operation }] of state.processes.entries()) {
      if (status === 'crashed' && operation.again !== undefined)
        actions.push({ kind: 'callAgain', process, call: 0, choice: 0 });
      if (status !== 'ready' && status !== 'running') continue;
      const at = place ?? (await treeOf(operation.program).start(state.now));
      for (const { call, requestId } of at.pending) {
        actions.push({ kind: 'step', process, call, choice: 0 });
        if (faultsLeft && this.#faults.size > 0) this.#faultsAt(state, process, call, requestId, actions);
      }
    }
    for (const choice of state.delayed.keys()) actions.push({ kind: 'arrive', process: 0, call: 0, choice });
    if (state.clockSteps < (this.#options.clock?.steps ?? 0))
      actions.push({ kind: 'clock', process: 0, call: 0, choice: 0 });
    return actions;
  }

  #faultsAt(state: State<Op>, process: number, call: number, requestId: number, actions: Action[]): void {
    const request = requests.valueOf(requestId);
    for (const kind of this.#faults) {
      if ((kind === 'lost' || kind === 'delayed') && !isWrite(request)) continue;
      const choices = kind === 'partial' ? this.#partialChoices(state, request) : 1;
      for (let choice = 0; choice < choices; choice++) actions.push({ kind, process, call, choice });
    }
  }

  #partialChoices(state: State<Op>, request: StoreRequest): number {
    if (request.call === 'getMany') return request.keys.length;
    return request.call === 'query' ? queryChoices(request, this.#stored(state)) : 0;
  }

  async execute(state: State<Op>, action: Action): Promise<{ readonly state: State<Op>; readonly event: StepEvent }> {
    const after = isFault(action.kind) ? { ...state, faults: state.faults + 1 } : state;
    const { state: next, event } = await this.#perform(after, action);
    return { state: { ...next, history: this.#property.remember(event, state, next) }, event };
  }

  async #perform(state: State<Op>, action: Action): Promise<{ readonly state: State<Op>; readonly event: StepEvent }> {
    const { kind, process } = action;
    if (kind === 'clock') {
      const now = state.now + (this.#options.clock?.stepSeconds ?? 0);
      return {
        state: { ...state, now, clockSteps: state.clockSteps + 1 },
        event: { action, process: -1, applied: false },
      };
    }
    if (kind === 'arrive') return this.#arrive(state, action);
    const { operation, place } = state.processes[process] as Process<Op>;
    if (kind === 'callAgain') {
      if (operation.again === undefined) throw new Error(`${operation.name} is never called again`);
      const processes = state.processes.with(process, { operation, status: 'calledAgain' });
      processes.push({ operation: operation.again() as Op, status: 'ready' });
      return { state: { ...state, processes }, event: { action, process, applied: false } };
    }

    const at = place ?? (await treeOf(operation.program).start(state.now));
    const requestId = at.pending.find(({ call }) => call === action.call)?.requestId;
    if (requestId === undefined) throw new RangeError('the action does not belong to the state');
    const request = requests.valueOf(requestId);
    const reaches = kind !== 'refused' && kind !== 'throttled' && kind !== 'delayed';
    const {
      answerId,
      items: stored,
      applied,
    } = reaches
      ? await this.#apply(state, requestId, kind === 'partial' ? action.choice : undefined)
      : { answerId: -1, items: state.items, applied: false };
    const delayed = kind === 'delayed' ? [...state.delayed, { process, requestId }] : state.delayed;
    if (kind === 'crash') {
      const processes = state.processes.with(process, { operation, status: 'crashed' });
      return { state: { ...state, items: stored, processes, delayed }, event: { action, process, request, applied } };
    }
    const told = kind === 'step' || kind === 'partial' ? answerId : errorAnswer(kind === 'throttled');
    const next = await treeOf(operation.program).follow(at, action.call, told, state.now);
    const processes = state.processes.with(process, standing(operation, next));
    return {
      state: { ...state, items: stored, processes, delayed },
      event: {
        action,
        process,
        request,
        applied,
        answer: answers.valueOf(told),
        ...(next.outcome && { outcome: next.outcome }),
      },
    };
  }

  async #arrive(state: State<Op>, action: Action): Promise<{ readonly state: State<Op>; readonly event: StepEvent }> {
    const { process, requestId } = state.delayed[action.choice] as Delayed;
    const { items: stored, applied } = await this.#apply(state, requestId);
    return {
      state: { ...state, items: stored, delayed: state.delayed.toSpliced(action.choice, 1) },
      event: { action, process, request: requests.valueOf(requestId), applied },
    };
  }

  async #apply(
    state: State<Op>,
    requestId: number,
    endAfter?: number,
  ): Promise<{ answerId: number; items: readonly number[]; applied: boolean }> {
    const request = requests.valueOf(requestId);
    if (request.call === 'query') {
      const page = answerQuery(request, this.#stored(state), this.#options.reading ?? 'twoRanges', endAfter);
      return { answerId: answers.idOf({ value: page }), items: state.items, applied: true };
    }
    if (request.call === 'getMany') {
      const found = answerGetMany(request, (key) => this.itemAt(state, key), endAfter);
      return { answerId: answers.idOf({ value: found }), items: state.items, applied: true };
    }
    const slot = this.#slotOf(requestId, request);
    const before = state.items[slot] ?? 0;
    const { answerId, itemId, isDone } = await effectOf(requestId, before);
    const stored = itemId === before ? state.items : withItem(state.items, slot, itemId);
    return { answerId, items: stored, applied: isDone };
  }

  #slotOf(requestId: number, request: ItemRequest): number {
    let slot = this.#slotOfRequest.get(requestId);
    if (slot === undefined) {
      slot = this.slotOf(keyOf(request));
      this.#slotOfRequest.set(requestId, slot);
    }
    return slot;
  }

  #stored(state: State<Op>): Item[] {
    return state.items.map(itemById).filter((item) => item !== undefined);
  }

  /** Equal exactly for equal states: the same items, the same future of every process, the same remembered past. */
  textOf(state: State<Op>): string {
    const processes = state.processes.map(
      (one) => `${one.operation.name}:${one.status[0]}${one.place?.id ?? outcomeText(one)}`,
    );
    const delayed = state.delayed.map(({ process, requestId }) => `${process}:${requestId}`);
    return `${state.items.join()}|${processes.join()}|${delayed.join()}|${state.faults},${state.clockSteps},${state.now}|${state.history.join()}`;
  }
}

/** No trailing empty slots: slots are added as keys come up, and equal stores must look equal. */
function withItem(stored: readonly number[], slot: number, itemId: number): readonly number[] {
  const next = stored.slice();
  while (next.length <= slot) next.push(0);
  next[slot] = itemId;
  while (next.at(-1) === 0) next.pop();
  return next;
}

/** Of a process that returned only the outcome matters to the rest of the run. */
function standing<Op extends Operation>(operation: Op, place: Place): Process<Op> {
  const { outcome } = place;
  if (outcome === undefined) return { operation, place, status: 'running' };
  return { operation, outcome, status: outcome.result === 'failed' ? 'crashed' : 'returned' };
}

function outcomeText({ outcome }: Process): string {
  return outcome === undefined ? '' : JSON.stringify(outcome);
}
