// SPDX-License-Identifier: Apache-2.0
/**
 * What the invariants remember of a run, packed into a short list of numbers so that states stay cheap to compare.
 * Sessions are named by letters: the initial M, X, P, those issued by operations B, C, …, by repeated calls B', C', …
 */

/** First the facts of the whole run, then six numbers for each process. */
const RUN = { begun: 0, issued: 1, lived: 2, died: 3 } as const;
const RUN_LENGTH = 4;
const PROCESS = { promised: 0, commits: 1, returnedBefore: 2, begunBefore: 3, expectListed: 4, deadBefore: 5 } as const;
const PROCESS_LENGTH = 6;
const COMMITS = { begin: 1, bump: 2, write: 4, missed: 8, listedDead: 16 } as const;
export type Commit = keyof typeof COMMITS;

/** Bit of a letter; repeated calls come after. */
const LETTERS = ['M', 'X', 'P', 'B', 'C', 'D', 'E'];
const bits = new Map<string, number>();

function bitOf(letter: string): number {
  let bit = bits.get(letter);
  if (bit === undefined) {
    const repeats = letter.length - 1;
    const place = LETTERS.indexOf(letter.slice(0, 1));
    if (place < 0 || repeats > 3) throw new RangeError(`no bit for ${letter}`);
    bit = 1 << (place + repeats * LETTERS.length);
    bits.set(letter, bit);
  }
  return bit;
}

export class History {
  readonly numbers: number[];

  /** History at the start: these sessions are issued and alive. */
  static begin(letters: readonly string[]): readonly number[] {
    const mask = letters.reduce((all, letter) => all | bitOf(letter), 0);
    return [mask | bitOf('M') | bitOf('X') | bitOf('P'), mask, mask, 0];
  }

  constructor(numbers: readonly number[], processes: number) {
    this.numbers = numbers.slice();
    while (this.numbers.length < RUN_LENGTH + processes * PROCESS_LENGTH) this.numbers.push(0);
  }

  beginLogin(letter: string): void {
    this.#add(RUN.begun, bitOf(letter));
  }

  issue(letter: string): void {
    this.#add(RUN.issued, bitOf(letter));
  }

  isIssued(letter: string): boolean {
    return this.#has(RUN.issued, bitOf(letter));
  }

  /** Notes whether the session is accepted now. */
  see(letter: string, isAccepted: boolean): void {
    const bit = bitOf(letter);
    if (isAccepted) this.#add(RUN.lived, bit);
    else if (this.#has(RUN.lived, bit)) this.#add(RUN.died, bit);
  }

  hasDied(letter: string): boolean {
    return this.#has(RUN.died, bitOf(letter));
  }

  /** The process answers for every login begun by now. */
  promise(process: number): void {
    this.numbers[placeOf(process, 'promised')] = this.numbers[RUN.begun] ?? 0;
  }

  isPromised(process: number, lineage: string | undefined): boolean {
    return lineage !== undefined && this.#has(placeOf(process, 'promised'), bitOf(lineage));
  }

  commit(process: number, what: Commit): void {
    this.#add(placeOf(process, 'commits'), COMMITS[what]);
  }

  hasCommitted(process: number, what: Commit): boolean {
    return this.#has(placeOf(process, 'commits'), COMMITS[what]);
  }

  /** `mask`: a bit for each process that had returned when this one began. */
  setReturnedBefore(process: number, mask: number): void {
    this.numbers[placeOf(process, 'returnedBefore')] = mask;
  }

  hadReturnedBefore(process: number, other: number): boolean {
    return this.#has(placeOf(process, 'returnedBefore'), 1 << other);
  }

  /** Notes which processes had begun, by a call that reached the store, when this one begins. */
  setBegunBefore(process: number, processes: number): void {
    for (let other = 0; other < processes; other++)
      if (other !== process && this.hasCommitted(other, 'begin'))
        this.#add(placeOf(process, 'begunBefore'), 1 << other);
  }

  hadBegunBefore(process: number, other: number): boolean {
    return this.#has(placeOf(process, 'begunBefore'), 1 << other);
  }

  expectListed(process: number, letters: readonly string[]): void {
    for (const letter of letters) this.#add(placeOf(process, 'expectListed'), bitOf(letter));
    this.numbers[placeOf(process, 'deadBefore')] = this.numbers[RUN.died] ?? 0;
  }

  isExpectedListed(process: number, letter: string): boolean {
    return this.#has(placeOf(process, 'expectListed'), bitOf(letter));
  }

  wasDeadBefore(process: number, letter: string): boolean {
    return this.#has(placeOf(process, 'deadBefore'), bitOf(letter));
  }

  #add(place: number, mask: number): void {
    this.numbers[place] = (this.numbers[place] ?? 0) | mask;
  }

  #has(place: number, mask: number): boolean {
    return ((this.numbers[place] ?? 0) & mask) !== 0;
  }
}

function placeOf(process: number, what: keyof typeof PROCESS): number {
  return RUN_LENGTH + process * PROCESS_LENGTH + PROCESS[what];
}
