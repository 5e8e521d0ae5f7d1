// SPDX-License-Identifier: Apache-2.0
/** The kinds of steps in a run, and which of them are faults. */

/** What can go wrong with one store call. */
export const FAULTS = [
  /** The request never reaches the store; the caller gets an error that may be retried. */
  'refused',
  /** As refused, with the code of a throttle. */
  'throttled',
  /** The write is done; the caller gets an error that may be retried, and cannot know. */
  'lost',
  /** The caller gets an error that may be retried; the write arrives at any later time, or never. */
  'delayed',
  /** An error that may not be retried, so that the operation fails; a write was done or was not. */
  'broken',
  /** A page ends early, or a batch read leaves keys unread. */
  'partial',
  /** The call is done and the process is gone; its caller may make the whole operation again. */
  'crash',
] as const;
export type Fault = (typeof FAULTS)[number];

/** `arrive`: a delayed write reaches the store; `callAgain`: the caller repeats an operation that crashed or failed. */
export type ActionKind = Fault | 'step' | 'arrive' | 'callAgain' | 'clock';

const FAULT_KINDS: ReadonlySet<string> = new Set(FAULTS);

export function isFault(kind: ActionKind): kind is Fault {
  return FAULT_KINDS.has(kind);
}
