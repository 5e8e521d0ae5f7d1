// SPDX-License-Identifier: Apache-2.0
/** From names of operations to a system that can be explored: initial items, faults, invariants. */
import type { Item } from '../../lambda/session/store';
import type { Fault } from './fault';
import { invariantsOf } from './invariants';
import { itemById, whenKnown } from './knowledge';
import {
  IDLE_TIMEOUT_SECONDS,
  type InitialSession,
  initialLogin,
  type Kind,
  type LibraryOptions,
  type LifecycleOperation,
  operationOf,
} from './operations';
import type { QueryReading } from './read-many';
import type { Program } from './run';
import type { Operation, Property } from './state';
import { System } from './system';

/** What was there before: nothing but the sessions, an earlier log-out-everywhere, or a ban. */
export const INITIAL_STATES = ['fresh', 'bumped', 'disabled'] as const;
export type InitialState = (typeof INITIAL_STATES)[number];

export interface Scenario {
  readonly kinds: readonly Kind[];
  /** Default `fresh`. */
  readonly initial?: InitialState;
  /** Default early. */
  readonly library?: LibraryOptions;
  readonly faults?: readonly Fault[];
  readonly maxFaults?: number;
  readonly reading?: QueryReading;
  readonly clock?: { readonly steps: number; readonly stepSeconds: number };
  /** Seconds that the initial sessions have left. Default 300, half of the idle timeout. */
  readonly secondsLeft?: number;
}

const NOW = 1_800_000_000;
const LETTERS = ['B', 'C', 'D', 'E'];

export async function systemOf(scenario: Scenario): Promise<System<LifecycleOperation>> {
  const { library = { tokens: 'early' }, initial = 'fresh', kinds } = scenario;
  const items = await initialItems(initial, NOW - IDLE_TIMEOUT_SECONDS + (scenario.secondsLeft ?? 300));
  return new System<LifecycleOperation>(
    {
      operations: kinds.map((kind, index) => operationOf(kind, LETTERS[index] ?? '', library)),
      items,
      now: NOW,
      ...(scenario.reading && { reading: scenario.reading }),
      ...(scenario.faults && { faults: scenario.faults }),
      ...(scenario.maxFaults && { maxFaults: scenario.maxFaults }),
      ...(scenario.clock && { clock: scenario.clock }),
    },
    (system) =>
      invariantsOf(system, {
        ...(library.maxSessionsPerUser && { maxSessions: library.maxSessionsPerUser }),
      }),
  );
}

const initialStates = new Map<string, Promise<readonly Item[]>>();

/** The items that the library itself leaves when the sessions are created one after the other. */
function initialItems(initial: InitialState, now: number): Promise<readonly Item[]> {
  const name = `${initial} ${now}`;
  let items = initialStates.get(name);
  if (items === undefined) {
    items = createInitialItems(initial, now);
    initialStates.set(name, items);
  }
  return items;
}

async function createInitialItems(initial: InitialState, now: number): Promise<readonly Item[]> {
  const library: LibraryOptions = { tokens: 'late' };
  const logins = (['M', 'X', 'P'] as const satisfies InitialSession[]).map((letter) => initialLogin(letter, library));
  const before = initial === 'bumped' ? [operationOf('revokeAll', 'before', library).program] : [];
  const after = initial === 'disabled' ? [operationOf('disable', 'before', library).program] : [];
  let items: readonly Item[] = [];
  for (const program of [...before, ...logins, ...after]) items = await runAlone(program, items, now);
  return items;
}

/** Runs one program to its end, undisturbed. */
async function runAlone(program: Program, items: readonly Item[], now: number): Promise<readonly Item[]> {
  const operation: Operation = { name: program.name, program };
  const system = new System({ operations: [operation], items, now, reading: 'atOnce' }, () => NO_PROPERTY);
  let state = system.initialState();
  for (;;) {
    const before = state;
    const [action] = await whenKnown(() => system.actions(before));
    if (action === undefined) break;
    ({ state } = await whenKnown(() => system.execute(before, action)));
  }
  const [process] = state.processes;
  if (process?.outcome?.result !== 'ok')
    throw new Error(`${program.name} must succeed when nothing disturbs it: ${JSON.stringify(process?.outcome)}`);
  return state.items.map(itemById).filter((item) => item !== undefined);
}

const NO_PROPERTY: Property = {
  begin: () => [],
  remember: () => [],
  violations: () => [],
  violationsAtEnd: () => [],
};
