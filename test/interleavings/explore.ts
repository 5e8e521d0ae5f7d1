// SPDX-License-Identifier: Apache-2.0
/** Visits the states of a system: breadth first to the end, or a reproducible sample that dives to the ends of runs. */
import { type Fault, isFault } from './fault';
import { Frontier, type Path } from './frontier';
import { whenKnown } from './knowledge';
import { type Action, type Operation, type State, textOf } from './state';
import type { System } from './system';
import { traceOf } from './trace';

export interface Violation {
  readonly message: string;
  /** What happened, step by step; the shortest way there when states are visited breadth first. */
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
  /** Stops after so many states. Default none. */
  readonly maxStates?: number | undefined;
  /** Dives in an order that follows from the seed. Default: breadth first. */
  readonly seed?: number | undefined;
  /** Stops at the first violation. Default: goes on, and reports each kind of violation once. */
  readonly stopAtViolation?: boolean;
}

/** Visits every reachable state once, or as many as the options allow. */
export async function explore<Op extends Operation>(
  system: System<Op>,
  { maxStates = Number.POSITIVE_INFINITY, seed, stopAtViolation = false }: ExploreOptions = {},
): Promise<Exploration> {
  const frontier = new Frontier<Op>(seed);
  const violations = new Map<string, readonly string[]>();
  const faults: Partial<Record<Fault, number>> = {};
  const seen = new Set<string>();
  let states = 0;
  let transitions = 0;
  let ends = 0;

  const initial = system.initialState();
  seen.add(textOf(initial));
  frontier.add({ state: initial });
  for (let found = frontier.next(); found !== undefined && states < maxStates; found = frontier.next()) {
    const { state, path } = found;
    states++;
    if (isEnd(state)) ends++;
    for (const message of messagesOf(system, state))
      if (!violations.has(message)) violations.set(message, await traceOf(system, actionsOf(path)));
    if (stopAtViolation && violations.size > 0) break;

    const possible = whenKnown(() => system.actions(state));
    for (const action of possible instanceof Promise ? await possible : possible) {
      const step = whenKnown(() => system.execute(state, action).state);
      const next = step instanceof Promise ? await step : step;
      transitions++;
      if (isFault(action.kind)) faults[action.kind] = (faults[action.kind] ?? 0) + 1;
      const before = seen.size;
      if (seen.add(textOf(next)).size > before) frontier.add({ state: next, path: { action, before: path } });
    }
  }
  return {
    states,
    transitions,
    ends,
    faults,
    isComplete: states === seen.size,
    violations: [...violations].map(([message, trace]) => ({ message, trace })),
  };
}

function actionsOf(path: Path | undefined): Action[] {
  const actions: Action[] = [];
  for (let at = path; at !== undefined; at = at.before) actions.unshift(at.action);
  return actions;
}

function isEnd({ processes }: State): boolean {
  return processes.every(({ status }) => status !== 'ready' && status !== 'running');
}

function messagesOf<Op extends Operation>({ property }: System<Op>, state: State<Op>): string[] {
  const unexpected = state.processes
    .filter(({ outcome }) => outcome?.result === 'threw')
    .map(({ operation, outcome }) => `${operation.name} threw an unexpected error: ${outcome?.message}`);
  return [...unexpected, ...property.violations(state), ...(isEnd(state) ? property.violationsAtEnd(state) : [])];
}
