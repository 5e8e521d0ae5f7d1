// SPDX-License-Identifier: Apache-2.0
/** Visits the states of a system: all of them, breadth first, or a reproducible sample by random walks. */
import { type Fault, isFault } from './fault';
import type { Action, Operation, State } from './state';
import type { System } from './system';
import { traceOf } from './trace';

export interface Violation {
  readonly message: string;
  /** What happened, step by step; the shortest way there when all states were visited. */
  readonly trace: readonly string[];
}

export interface Exploration {
  /** Different states visited. */
  readonly states: number;
  readonly transitions: number;
  /** States in which no operation was under way. */
  readonly ends: number;
  /** Steps in which a fault was injected, by kind. */
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** Whether every reachable state was visited. */
  readonly isComplete: boolean;
  readonly violations: readonly Violation[];
}

export interface ExploreOptions {
  /** Stops there; the exploration is then not complete. Default none. */
  readonly maxStates?: number;
  /** Stops at the first violation. Default: goes on, and reports each kind of violation once. */
  readonly stopAtViolation?: boolean;
}

/** Visits every reachable state once. */
export async function exploreAll<Op extends Operation>(
  system: System<Op>,
  options: ExploreOptions = {},
): Promise<Exploration> {
  const { maxStates = Number.POSITIVE_INFINITY } = options;
  const visit = new Visit(system);
  const parents: number[] = [];
  const actions: Action[] = [];
  const pathTo = (index: number): Action[] => {
    const path: Action[] = [];
    for (let at = index; at > 0; at = parents[at] as number) path.unshift(actions[at] as Action);
    return path;
  };
  let level: { index: number; state: State<Op> }[] = [{ index: 0, state: system.initialState() }];
  let isComplete = true;
  visit.see(level[0]?.state as State<Op>);
  while (level.length > 0) {
    const nextLevel: typeof level = [];
    for (const { index, state } of level) {
      await visit.check(state, () => pathTo(index));
      if (options.stopAtViolation && visit.violations.size > 0) return visit.result(false);
      for (const action of await system.actions(state)) {
        const next = await visit.take(state, action);
        if (visit.hasSeen(next)) continue;
        if (visit.states >= maxStates) {
          isComplete = false;
          continue;
        }
        visit.see(next);
        const nextIndex = visit.states - 1;
        parents[nextIndex] = index;
        actions[nextIndex] = action;
        nextLevel.push({ index: nextIndex, state: next });
      }
    }
    level = nextLevel;
  }
  return visit.result(isComplete);
}

/** Walks to the end again and again, choosing by a seeded generator, until so many different states were visited. */
export async function exploreSample<Op extends Operation>(
  system: System<Op>,
  options: { readonly maxStates: number; readonly seed: number },
): Promise<Exploration> {
  const visit = new Visit(system);
  const random = randomNumbers(options.seed);
  /** Walks without a new state before the system counts as explored as far as walking goes. */
  let patience = 200;
  while (visit.states < options.maxStates && patience > 0) {
    const before = visit.states;
    let state = system.initialState();
    const path: Action[] = [];
    let stepsToFault = Math.floor(random() * 30);
    for (;;) {
      if (!visit.hasSeen(state)) visit.see(state);
      await visit.check(state, () => [...path]);
      const possible = await system.actions(state);
      if (possible.length === 0) break;
      const faults = possible.filter(({ kind }) => isFault(kind));
      const wanted = faults.length > 0 && stepsToFault-- <= 0 ? faults : possible.filter(({ kind }) => !isFault(kind));
      const action = wanted[Math.floor(random() * wanted.length)] as Action;
      state = await visit.take(state, action);
      path.push(action);
    }
    patience = visit.states === before ? patience - 1 : 200;
  }
  return visit.result(false);
}

/** Counts, and checks each state once. */
class Visit<Op extends Operation> {
  readonly violations = new Map<string, readonly string[]>();
  readonly #system: System<Op>;
  readonly #seen = new Set<string>();
  readonly #faults: Partial<Record<Fault, number>> = {};
  #transitions = 0;
  #ends = 0;

  constructor(system: System<Op>) {
    this.#system = system;
  }

  get states(): number {
    return this.#seen.size;
  }

  hasSeen(state: State<Op>): boolean {
    return this.#seen.has(this.#system.textOf(state));
  }

  see(state: State<Op>): void {
    this.#seen.add(this.#system.textOf(state));
  }

  async take(state: State<Op>, action: Action): Promise<State<Op>> {
    this.#transitions++;
    if (isFault(action.kind)) this.#faults[action.kind] = (this.#faults[action.kind] ?? 0) + 1;
    return (await this.#system.execute(state, action)).state;
  }

  async check(state: State<Op>, path: () => readonly Action[]): Promise<void> {
    const { property } = this.#system;
    const messages = [...unexpectedErrors(state), ...property.violations(state)];
    if (state.processes.every(({ status }) => status !== 'ready' && status !== 'running')) {
      this.#ends++;
      messages.push(...property.violationsAtEnd(state));
    }
    for (const message of messages)
      if (!this.violations.has(message)) this.violations.set(message, await traceOf(this.#system, path()));
  }

  result(isComplete: boolean): Exploration {
    return {
      states: this.states,
      transitions: this.#transitions,
      ends: this.#ends,
      faults: this.#faults,
      isComplete,
      violations: [...this.violations].map(([message, trace]) => ({ message, trace })),
    };
  }
}

function unexpectedErrors<Op extends Operation>(state: State<Op>): string[] {
  return state.processes
    .filter(({ outcome }) => outcome?.result === 'threw')
    .map(({ operation, outcome }) => `${operation.name} threw an unexpected error: ${outcome?.message}`);
}

/** Numbers in [0, 1) that follow from the seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
