// SPDX-License-Identifier: Apache-2.0
/** Explores many scenarios and sums up what was seen. */
import { explore } from './explore';
import type { Fault } from './fault';
import { type Scenario, systemOf } from './scenario';

export interface Survey {
  readonly scenarios: number;
  /** Of these, how many were explored to the end. */
  readonly complete: number;
  readonly states: number;
  readonly transitions: number;
  readonly ends: number;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** Each kind once, as text: the scenario, what is wrong, and how it came to it. */
  readonly violations: readonly string[];
}

export interface SurveyOptions {
  /** States in each scenario. Default: all. */
  readonly maxStates?: number;
  /** Dives in an order that follows from the seed, so that few states still reach the ends of runs. Default: breadth first. */
  readonly seed?: number;
}

export async function survey(scenarios: readonly Scenario[], options: SurveyOptions = {}): Promise<Survey> {
  let sum: Survey = EMPTY_SURVEY;
  for (const scenario of scenarios) {
    const system = await systemOf(scenario);
    const found = await explore(system, options);
    sum = addSurveys(sum, {
      ...found,
      scenarios: 1,
      complete: found.isComplete ? 1 : 0,
      violations: found.violations.map(
        ({ message, trace }) => `${describeScenario(scenario)}: ${message}\n    ${trace.join('\n    ')}`,
      ),
    });
  }
  return sum;
}

export const EMPTY_SURVEY: Survey = {
  scenarios: 0,
  complete: 0,
  states: 0,
  transitions: 0,
  ends: 0,
  faults: {},
  violations: [],
};

export function addSurveys(one: Survey, other: Survey): Survey {
  const faults = { ...one.faults };
  for (const [fault, count] of Object.entries(other.faults) as [Fault, number][])
    faults[fault] = (faults[fault] ?? 0) + count;
  return {
    scenarios: one.scenarios + other.scenarios,
    complete: one.complete + other.complete,
    states: one.states + other.states,
    transitions: one.transitions + other.transitions,
    ends: one.ends + other.ends,
    faults,
    violations: [...one.violations, ...other.violations],
  };
}

export function describeScenario({ kinds, initial = 'fresh', library, reading, secondsLeft }: Scenario): string {
  const details = [
    initial,
    library?.tokens,
    library?.broken?.name,
    library?.maxSessionsPerUser && `at most ${library.maxSessionsPerUser} sessions`,
    library?.sweepWidth && `${library.sweepWidth} at a time`,
    reading,
    secondsLeft && `${secondsLeft} s left`,
  ];
  return `${kinds.join(' + ')} (${details.filter(Boolean).join(', ')})`;
}

const count = (number: number): string => number.toLocaleString('en-US');

/** One line for people: what was explored, in numbers. */
export function describeSurvey(name: string, { scenarios, complete, states, transitions, faults }: Survey): string {
  const injected = Object.entries(faults).map(([fault, number]) => `${fault} ${count(number)}`);
  return (
    `interleavings, ${name}: ${count(scenarios)} scenarios (${complete === scenarios ? 'all' : count(complete)} to the end), ` +
    `${count(states)} states, ${count(transitions)} transitions${injected.length > 0 ? `, faults: ${injected.join(', ')}` : ''}\n`
  );
}
