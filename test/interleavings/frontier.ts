// SPDX-License-Identifier: Apache-2.0
/** The states that were found and not yet visited, and which of them comes next. */
import { isFault } from './fault';
import type { Action, Operation, State } from './state';

/** The actions that lead to a state, from the last one back. */
export interface Path {
  readonly action: Action;
  readonly before: Path | undefined;
}

export interface Found<Op extends Operation> {
  readonly state: State<Op>;
  /** Absent for the initial state. */
  readonly path?: Path;
}

/** Of the ways on from a state, a dive takes one without a fault so often; faults then spread over the whole run. */
const SHARE_WITHOUT_FAULT = 0.9;

export class Frontier<Op extends Operation> {
  readonly #random: (() => number) | undefined;
  #waiting: Found<Op>[] = [];
  /** First of those not yet taken, breadth first. */
  #head = 0;
  /** How many at the end of the list were found from the state visited last. */
  #fresh = 0;

  /** Without a seed, states come in the order in which they were found: breadth first. */
  constructor(seed?: number) {
    this.#random = seed === undefined ? undefined : randomNumbers(seed);
  }

  add(found: Found<Op>): void {
    this.#waiting.push(found);
    this.#fresh++;
  }

  next(): Found<Op> | undefined {
    return this.#random === undefined ? this.#nextInOrder() : this.#nextInDive(this.#random);
  }

  #nextInOrder(): Found<Op> | undefined {
    const found = this.#waiting[this.#head++];
    if (this.#head > 10_000 && this.#head * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    return found;
  }

  /** Goes on from the state visited last; at the end of a run, from anywhere. */
  #nextInDive(random: () => number): Found<Op> | undefined {
    const { length } = this.#waiting;
    let index = Math.floor(random() * length);
    if (this.#fresh > 0) {
      const onward = Array.from({ length: this.#fresh }, (_, back) => length - 1 - back);
      const harmless = onward.filter((one) => !isFault(this.#waiting[one]?.path?.action.kind ?? 'step'));
      const wanted = harmless.length > 0 && random() < SHARE_WITHOUT_FAULT ? harmless : onward;
      index = wanted[Math.floor(random() * wanted.length)] ?? index;
    }
    this.#fresh = 0;
    const last = this.#waiting.pop();
    if (last === undefined || index === length - 1) return last;
    const found = this.#waiting[index];
    this.#waiting[index] = last;
    return found;
  }
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
