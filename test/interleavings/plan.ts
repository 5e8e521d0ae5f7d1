// SPDX-License-Identifier: Apache-2.0
/** Which scenarios are explored. */
import { FAULTS, type Fault } from './fault';
import type { Kind, LibraryOptions } from './operations';
import { INITIAL_STATES, type Scenario } from './scenario';

/** Those that issue a token come first, so that `revokeNew` can mean what the first operation of a run issues. */
const ISSUING: readonly Kind[] = ['login', 'loginOverP', 'rotate', 'exceptM', 'exceptX'];
const OTHERS: readonly Kind[] = ['renew', 'save', 'logout', 'revoke', 'revokeAll', 'disable', 'enable', 'list'];
export const KINDS: readonly Kind[] = [...ISSUING, ...OTHERS, 'revokeNew'];

/** The faults of one call whose caller learns something new; a throttle is to the library what a refusal is. */
export const DISTINCT_FAULTS: readonly Fault[] = FAULTS.filter((fault) => fault !== 'throttled');

/** All choices of so many operations, with repetition, in one order each. */
export function combinations(size: number): Kind[][] {
  const extend = (chosen: readonly Kind[], from: number): Kind[][] => {
    if (chosen.length === size) return [[...chosen]];
    return KINDS.slice(from).flatMap((kind, offset) => extend([...chosen, kind], from + offset));
  };
  return extend([], 0).filter((kinds) => !kinds.includes('revokeNew') || ISSUING.includes(kinds[0] as Kind));
}

const HALVES: readonly LibraryOptions['tokens'][] = ['early', 'late'];

/** Each combination with new tokens in front of and among the old ones, on every initial state. */
export function plainScenarios(size: number): Scenario[] {
  return combinations(size).flatMap((kinds) =>
    INITIAL_STATES.flatMap((initial) => HALVES.map((tokens) => ({ kinds, initial, library: { tokens } }))),
  );
}

/** Queries that read item by item, and sweeps that end several sessions at a time. */
export function wideScenarios(): Scenario[] {
  return combinations(2).flatMap((kinds): Scenario[] => [
    { kinds, reading: 'oneByOne' },
    { kinds, library: { tokens: 'early', sweepWidth: 8 } },
  ]);
}

/** What asks how long a session lives, and what ends one. */
const TIMED: readonly Kind[] = ['rotate', 'renew', 'save', 'logout', 'revoke', 'list'];

/** The sessions are about to expire while requests are on their way, for less than the margin that the library keeps. */
export function clockScenarios(): Scenario[] {
  const pairs = combinations(2).filter((kinds) => kinds.every((kind) => TIMED.includes(kind)));
  return [...combinations(1), ...pairs].flatMap((kinds) =>
    [2, 3, 6].map((secondsLeft): Scenario => ({ kinds, secondsLeft, clock: { steps: 2, stepSeconds: 2 } })),
  );
}

/** Two sessions are allowed, and two are there. */
export function limitScenarios(): Scenario[] {
  const library: LibraryOptions = { tokens: 'early', maxSessionsPerUser: 2 };
  const others: readonly Kind[] = ['login', 'loginOverP', 'rotate', 'renew', 'save', 'logout', 'revokeAll', 'list'];
  return [{ kinds: ['login'], library }, ...others.map((kind): Scenario => ({ kinds: ['login', kind], library }))];
}

/** Three logins at the limit of two. */
export function crowdedScenarios(): Scenario[] {
  return HALVES.map((tokens) => ({
    kinds: ['login', 'login', 'login'],
    library: { tokens, maxSessionsPerUser: 2 },
  }));
}

/** Every operation alone, with so many faults of any kind at any of its calls. */
export function faultScenarios(maxFaults: number, faults: readonly Fault[] = FAULTS): Scenario[] {
  return combinations(1).flatMap((kinds) =>
    INITIAL_STATES.map((initial): Scenario => ({ kinds, initial, faults, maxFaults })),
  );
}

/** Each combination once, with initial states and places of new tokens in turn. */
export function variedScenarios(size: number): Scenario[] {
  return combinations(size).map((kinds, index) => ({
    kinds,
    initial: INITIAL_STATES[index % INITIAL_STATES.length] ?? 'fresh',
    library: { tokens: HALVES[Math.floor(index / INITIAL_STATES.length) % HALVES.length] ?? 'early' },
  }));
}

/** Combinations with one fault at any call. */
export function scenariosWithFault(size: number): Scenario[] {
  return combinations(size).flatMap((kinds) =>
    INITIAL_STATES.map((initial): Scenario => ({ kinds, initial, faults: DISTINCT_FAULTS })),
  );
}
