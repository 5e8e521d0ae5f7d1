// SPDX-License-Identifier: Apache-2.0
/** One execution of asynchronous code whose store calls wait until somebody answers them. */
import { createHash } from 'node:crypto';
import type { SessionStore } from '../../lambda/session/store';
import { requestingStore, type StoreRequest } from './store-request';

/** What a program may use of the world. */
export interface Environment {
  readonly store: SessionStore;
  /** Unix seconds; the time at which the last answer arrived. */
  readonly now: () => number;
  /** The same bytes at the same call of the same program. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** How an operation ended, as its caller sees it; `threw` if by an error that the program does not expect. */
export interface Outcome {
  readonly result: string;
  readonly [detail: string]: string | number | boolean | readonly string[] | undefined;
}

export interface Program {
  /** Unique: programs of one name must behave the same. */
  readonly name: string;
  run(environment: Environment): Promise<Outcome>;
  /** Bytes for the call number `call` (from 0); default: derived from the name. */
  randomBytes?(size: number, call: number): Uint8Array;
}

/** What a store call comes back with. */
export type Answer = { readonly value: unknown } | { readonly error: Error };

/** An answer that arrives at a time. */
export interface Arrival {
  readonly call: number;
  readonly answer: Answer;
  readonly now: number;
}

interface Waiting {
  readonly request: StoreRequest;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Run {
  /** Calls without an answer, by their number. */
  readonly waiting = new Map<number, Waiting>();
  outcome: Outcome | undefined;
  readonly #script: Iterator<Arrival>;
  #now: number;

  /**
   * @param script answers for the first calls, each given as soon as its call is made; only for a program that makes these
   * calls one after the other
   */
  constructor(program: Program, now: number, script: readonly Arrival[] = []) {
    this.#now = now;
    this.#script = script.values();
    let calls = 0;
    let draws = 0;
    const store = requestingStore((request) => {
      const call = calls++;
      return new Promise((resolve, reject) => {
        this.waiting.set(call, { request, resolve, reject });
        const next = this.#script.next();
        if (!next.done) this.answer(next.value);
      });
    });
    const randomBytes = (size: number): Uint8Array => {
      const draw = draws++;
      return program.randomBytes?.(size, draw) ?? bytesFrom(`${program.name} ${draw}`, size);
    };
    program.run({ store, now: () => this.#now, randomBytes }).then(
      (outcome) => {
        this.outcome = outcome;
      },
      (error: unknown) => {
        const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
        this.outcome = { result: 'threw', message };
      },
    );
  }

  answer({ call, answer, now }: Arrival): void {
    const waiting = this.waiting.get(call);
    if (waiting === undefined) throw new RangeError(`no call ${call} waits for an answer`);
    this.waiting.delete(call);
    this.#now = now;
    if ('error' in answer) waiting.reject(answer.error);
    else waiting.resolve(answer.value);
  }

  /** Lets the code run until it waits for the store again. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Bytes that look random and follow from the seed. */
export function bytesFrom(seed: string, size: number): Uint8Array {
  const blocks: Buffer[] = [];
  for (let block = 0; block * 32 < size; block++) blocks.push(createHash('sha256').update(`${seed} ${block}`).digest());
  return new Uint8Array(Buffer.concat(blocks).subarray(0, size));
}
