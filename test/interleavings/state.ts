// SPDX-License-Identifier: Apache-2.0
/** What a run of several processes over one store is made of: states, what can happen next, and what must hold. */
import type { ActionKind } from './fault';
import type { Place } from './process-tree';
import type { Answer, Outcome, Program } from './run';
import type { StoreRequest } from './store-request';

/** An operation under test. `again` is the same call made once more by its caller after a crash. */
export interface Operation {
  readonly name: string;
  readonly program: Program;
  again?(): Operation;
}

export type ProcessStatus = 'ready' | 'running' | 'returned' | 'crashed' | 'calledAgain';

export interface Process<Op extends Operation = Operation> {
  readonly operation: Op;
  readonly status: ProcessStatus;
  /** Only while running. */
  readonly place?: Place;
  readonly outcome?: Outcome;
  /** Equal exactly for processes with the same future and the same outcome. */
  readonly text: string;
}

/** A write that its sender has given up on and that may still arrive. */
export interface Delayed {
  readonly process: number;
  readonly requestId: number;
}

export interface State<Op extends Operation = Operation> {
  /** Id of the item in each slot; 0 is no item. */
  readonly items: readonly number[];
  readonly now: number;
  readonly processes: readonly Process<Op>[];
  readonly delayed: readonly Delayed[];
  readonly faults: number;
  readonly clockSteps: number;
  /** What a property has to remember of the past. */
  readonly history: readonly number[];
}

/** What may happen next. `choice` tells variants of a kind apart: where a page ends, which delayed write arrives. */
export interface Action {
  readonly kind: ActionKind;
  readonly process: number;
  readonly call: number;
  readonly choice: number;
}

/** What happened in a step, for properties and traces. */
export interface StepEvent {
  readonly action: Action;
  /** -1 for the clock. */
  readonly process: number;
  readonly request?: StoreRequest;
  /** Whether a write was done; for reads, that the store was read. */
  readonly applied: boolean;
  readonly answer?: Answer;
  /** Set when the process returned in this step. */
  readonly outcome?: Outcome;
}

/** What must hold. */
export interface Property<Op extends Operation = Operation> {
  /** What there is to remember at the start. */
  begin(state: State<Op>): readonly number[];
  /** Called after every step with the state after it; returns the new history. */
  remember(event: StepEvent, before: State<Op>, after: State<Op>): readonly number[];
  violations(state: State<Op>): readonly string[];
  /** Called when no operation is under way. */
  violationsAtEnd(state: State<Op>): readonly string[];
}

/** Equal exactly for equal states: the same items, the same future of every process, the same remembered past. */
export function textOf({ items, processes, delayed, faults, clockSteps, now, history }: State): string {
  let text = `${items.join()}|${faults},${clockSteps},${now}|${history.join()}`;
  for (const process of processes) text += `|${process.text}`;
  for (const { process, requestId } of delayed) text += `|${process}<${requestId}`;
  return text;
}
