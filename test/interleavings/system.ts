// SPDX-License-Identifier: Apache-2.0
/**
 * A store and the processes that use it: what can happen next in a state, and what it leads to. Every store call is one
 * atomic step; the scheduler may take the steps of different processes in any order.
 */
import type { Item, ItemKey } from '../../lambda/session/store';
import { type Fault, isFault } from './fault';
import { answers, ERRORS, effectOf, follow, itemById, items, outcomes, requests, startOf } from './knowledge';
import type { Place } from './process-tree';
import { answerGetMany, answerQuery, type QueryReading, queryChoices } from './read-many';
import { Slots, withItem } from './slots';
import type { Action, Delayed, Operation, Process, ProcessStatus, Property, State, StepEvent } from './state';
import { isWrite, keyOfItem, type StoreRequest } from './store-request';

export interface SystemOptions<Op extends Operation> {
  readonly operations: readonly Op[];
  readonly items: readonly Item[];
  readonly now: number;
  /** Default `twoRanges`. */
  readonly reading?: QueryReading;
  readonly faults?: readonly Fault[];
  /** Faults in one run. Default 1. */
  readonly maxFaults?: number;
  /** How often and how far the clock may move in one run. Default never. */
  readonly clock?: { readonly steps: number; readonly stepSeconds: number };
}

interface Step<Op extends Operation> {
  readonly state: State<Op>;
  readonly event: StepEvent;
}

/** Answers of queries and batch reads, which depend on several items. */
const manyAnswers = new Map<string, number>();

export class System<Op extends Operation> {
  readonly property: Property<Op>;
  readonly #options: SystemOptions<Op>;
  readonly #faults: readonly Fault[];
  readonly #slots = new Slots();

  constructor(options: SystemOptions<Op>, propertyOf: (system: System<Op>) => Property<Op>) {
    this.#options = options;
    this.#faults = options.faults ?? [];
    this.property = propertyOf(this);
  }

  initialState(): State<Op> {
    let stored: readonly number[] = [];
    for (const item of this.#options.items)
      stored = withItem(stored, this.#slots.of(keyOfItem(item)), items.idOf(item));
    const state: State<Op> = {
      items: stored,
      now: this.#options.now,
      processes: this.#options.operations.map((operation) => processOf(operation, 'ready')),
      delayed: [],
      faults: 0,
      clockSteps: 0,
      history: [],
    };
    return { ...state, history: this.property.begin(state) };
  }

  itemAt(state: State<Op>, key: ItemKey): Item | undefined {
    return itemById(state.items[this.#slots.of(key)] ?? 0);
  }

  /** Ids of the items with this sort key. */
  itemIdsWith(state: State<Op>, sortKey: string): number[] {
    return idsIn(state, this.#slots.withSortKey(sortKey));
  }

  /** Everything that can happen in the state. */
  actions(state: State<Op>): Action[] {
    const actions: Action[] = [];
    const faults = state.faults < (this.#options.maxFaults ?? 1) ? this.#faults : [];
    for (const [process, { status, operation, place }] of state.processes.entries()) {
      if (status === 'crashed' && operation.again !== undefined) actions.push(actionOf('callAgain', process));
      if (status !== 'ready' && status !== 'running') continue;
      for (const { call, requestId } of (place ?? startOf(operation.program, state.now)).pending) {
        actions.push({ kind: 'step', process, call, choice: 0 });
        for (const kind of faults) {
          const choices = this.#choicesOf(kind, state, requests.valueOf(requestId));
          for (let choice = 0; choice < choices; choice++) actions.push({ kind, process, call, choice });
        }
      }
    }
    for (const choice of state.delayed.keys()) actions.push({ ...actionOf('arrive', -1), choice });
    if (state.clockSteps < (this.#options.clock?.steps ?? 0)) actions.push(actionOf('clock', -1));
    return actions;
  }

  /** In how many ways a fault can hit a request. */
  #choicesOf(fault: Fault, state: State<Op>, request: StoreRequest): number {
    switch (fault) {
      case 'lost':
      case 'delayed':
        return isWrite(request) ? 1 : 0;
      case 'broken':
        return isWrite(request) ? 2 : 1;
      case 'partial':
        if (request.call === 'getMany') return request.keys.length;
        return request.call === 'query' ? queryChoices(request, this.#partition(state, request.partitionKey)) : 0;
      default:
        return 1;
    }
  }

  execute(state: State<Op>, action: Action): Step<Op> {
    const { state: next, event } = this.#perform(state, action);
    const faults = isFault(action.kind) ? state.faults + 1 : state.faults;
    return { state: { ...next, faults, history: this.property.remember(event, state, next) }, event };
  }

  #perform(state: State<Op>, action: Action): Step<Op> {
    const { kind, process } = action;
    switch (kind) {
      case 'clock': {
        const now = state.now + (this.#options.clock?.stepSeconds ?? 0);
        const next = { ...state, now, clockSteps: state.clockSteps + 1 };
        return { state: next, event: { action, process, applied: false } };
      }
      case 'arrive': {
        const { process: sender, requestId } = state.delayed[action.choice] as Delayed;
        const { items: stored, applied } = this.#apply(state, requestId);
        const next = { ...state, items: stored, delayed: state.delayed.toSpliced(action.choice, 1) };
        return { state: next, event: { action, process: sender, request: requests.valueOf(requestId), applied } };
      }
      case 'callAgain': {
        const { operation } = state.processes[process] as Process<Op>;
        if (operation.again === undefined) throw new Error(`${operation.name} is never called again`);
        const processes = state.processes.with(process, processOf(operation, 'calledAgain'));
        processes.push(processOf(operation.again() as Op, 'ready'));
        return { state: { ...state, processes }, event: { action, process, applied: false } };
      }
      default:
        return this.#call(state, action);
    }
  }

  /** One store call of one process, as it should be or with a fault. */
  #call(state: State<Op>, action: Action): Step<Op> {
    const { kind, process, call } = action;
    const { operation, place = startOf(operation.program, state.now) } = state.processes[process] as Process<Op>;
    const requestId = place.pending.find((one) => one.call === call)?.requestId;
    if (requestId === undefined) throw new RangeError('the action does not belong to the state');
    const request = requests.valueOf(requestId);

    const done = reachesStore(action)
      ? this.#apply(state, requestId, kind === 'partial' ? action.choice : undefined)
      : { answerId: -1, items: state.items, applied: false };
    const delayed = kind === 'delayed' ? [...state.delayed, { process, requestId }] : state.delayed;
    const event = { action, process, request, applied: done.applied };
    const processes = state.processes.slice();
    if (kind === 'crash') {
      processes[process] = processOf(operation, 'crashed');
      return { state: { ...state, items: done.items, delayed, processes }, event };
    }
    const answerId = errorFor(kind) ?? done.answerId;
    const next = follow(operation.program, place, call, answerId, state.now);
    processes[process] = standing(operation, next);
    return {
      state: { ...state, items: done.items, delayed, processes },
      event: { ...event, answer: answers.valueOf(answerId), ...(next.outcome && { outcome: next.outcome }) },
    };
  }

  #apply(
    state: State<Op>,
    requestId: number,
    endAfter?: number,
  ): { readonly answerId: number; readonly items: readonly number[]; readonly applied: boolean } {
    const request = requests.valueOf(requestId);
    if (request.call === 'query' || request.call === 'getMany')
      return { answerId: this.#answerMany(state, requestId, request, endAfter), items: state.items, applied: true };
    const slot = this.#slots.ofRequest(requestId);
    const { answerId, itemId, isDone } = effectOf(requestId, state.items[slot] ?? 0);
    return { answerId, items: withItem(state.items, slot, itemId), applied: isDone };
  }

  #answerMany(
    state: State<Op>,
    requestId: number,
    request: Extract<StoreRequest, { call: 'query' | 'getMany' }>,
    endAfter: number | undefined,
  ): number {
    const { reading = 'twoRanges' } = this.#options;
    const slots =
      request.call === 'query'
        ? this.#slots.inPartition(request.partitionKey)
        : request.keys.map((key) => this.#slots.of(key));
    const text = `${requestId} ${reading} ${endAfter} ${idsIn(state, slots)}`;
    let answerId = manyAnswers.get(text);
    if (answerId === undefined) {
      const value =
        request.call === 'query'
          ? answerQuery(request, this.#partition(state, request.partitionKey), reading, endAfter)
          : answerGetMany(request, (key) => this.itemAt(state, key), endAfter);
      answerId = answers.idOf({ value });
      manyAnswers.set(text, answerId);
    }
    return answerId;
  }

  #partition(state: State<Op>, partitionKey: string): Item[] {
    return idsIn(state, this.#slots.inPartition(partitionKey)).map((id) => itemById(id) as Item);
  }
}

function idsIn(state: State, slots: readonly number[]): number[] {
  const ids: number[] = [];
  for (const slot of slots) {
    const id = state.items[slot] ?? 0;
    if (id !== 0) ids.push(id);
  }
  return ids;
}

const actionOf = (kind: Action['kind'], process: number): Action => ({ kind, process, call: 0, choice: 0 });

function processOf<Op extends Operation>(operation: Op, status: ProcessStatus): Process<Op> {
  return { operation, status, text: `${operation.name} ${status}` };
}

/** Of a process that returned only the outcome matters to the rest of the run. */
function standing<Op extends Operation>(operation: Op, place: Place): Process<Op> {
  const { outcome } = place;
  if (outcome === undefined) return { operation, place, status: 'running', text: String(place.id) };
  const status = outcome.result === 'failed' ? 'crashed' : 'returned';
  return { operation, outcome, status, text: `${operation.name} ${status} ${outcomes.idOf(outcome)}` };
}

/** Whether the call is done, whatever its caller is told. */
function reachesStore({ kind, choice }: Action): boolean {
  if (kind === 'broken') return choice > 0;
  return kind !== 'refused' && kind !== 'throttled' && kind !== 'delayed';
}

function errorFor(kind: Action['kind']): number | undefined {
  if (kind === 'throttled') return ERRORS.throttled;
  if (kind === 'broken') return ERRORS.final;
  return kind === 'refused' || kind === 'lost' || kind === 'delayed' ? ERRORS.retryable : undefined;
}
