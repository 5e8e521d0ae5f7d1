// SPDX-License-Identifier: Apache-2.0
/**
 * Runs asynchronous code step by step and remembers where every answer led.
 *
 * A running function cannot be copied, but all that it knows is the answers it was given: the same answers bring it to
 * the same place. So a place is a node of a tree whose branches are answers; the code really runs when a place is
 * entered for the first time, and is looked up ever after.
 */
import { createHash } from 'node:crypto';
import type { SessionStore } from '../../lambda/session/store';
import type { Interner } from './interner';
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

/** Where a program stands: waiting for its store calls, or returned. */
export interface Place {
  readonly id: number;
  /** Calls without an answer yet, in the order they were made. */
  readonly pending: readonly { readonly call: number; readonly requestId: number }[];
  readonly outcome?: Outcome;
}

interface Node extends Place {
  readonly branches: Map<string, Node>;
  readonly parent?: Node;
  readonly by?: Branch;
  /** A run that stands here, until it is taken further. */
  run?: Run;
}

interface Branch {
  readonly call: number;
  readonly answerId: number;
  readonly now: number;
}

export interface Interners {
  readonly requests: Interner<StoreRequest>;
  readonly answers: Interner<Answer>;
}

let places = 0;

export class ProcessTree {
  readonly #program: Program;
  readonly #interners: Interners;
  readonly #roots = new Map<number, Node>();

  constructor(program: Program, interners: Interners) {
    this.#program = program;
    this.#interners = interners;
  }

  /** The place at which the program waits after it was called at this time. */
  start(now: number): Place | Promise<Place> {
    return this.#roots.get(now) ?? this.#runFirst(now);
  }

  /** The place to which an answer to one of the pending calls leads. */
  follow(place: Place, call: number, answerId: number, now: number): Place | Promise<Place> {
    return (
      (place as Node).branches.get(`${call},${answerId},${now}`) ?? this.#runOn(place as Node, { call, answerId, now })
    );
  }

  async #runFirst(now: number): Promise<Place> {
    const run = new Run(this.#program, now);
    await run.settle();
    const node = this.#nodeOf(run);
    this.#roots.set(now, node);
    return node;
  }

  async #runOn(node: Node, by: Branch): Promise<Place> {
    const run = node.run ?? (await this.#replay(node));
    delete node.run;
    run.answer(by.call, this.#interners.answers.valueOf(by.answerId), by.now);
    await run.settle();
    const next = this.#nodeOf(run, node, by);
    node.branches.set(`${by.call},${by.answerId},${by.now}`, next);
    return next;
  }

  async #replay(node: Node): Promise<Run> {
    const branches: Branch[] = [];
    let root = node;
    for (let at: Node | undefined = node; at?.by !== undefined; at = at.parent) {
      branches.unshift(at.by);
      if (at.parent !== undefined) root = at.parent;
    }
    const start = [...this.#roots].find(([, candidate]) => candidate === root)?.[0];
    if (start === undefined) throw new Error('a place of another program');
    const run = new Run(this.#program, start);
    await run.settle();
    for (const { call, answerId, now } of branches) {
      run.answer(call, this.#interners.answers.valueOf(answerId), now);
      await run.settle();
    }
    return run;
  }

  #nodeOf(run: Run, parent?: Node, by?: Branch): Node {
    const pending = [...run.waiting].map(([call, { request }]) => ({
      call,
      requestId: this.#interners.requests.idOf(request),
    }));
    const { outcome } = run;
    if (outcome !== undefined && pending.length > 0)
      throw new Error(`${this.#program.name} returned while one of its store calls was still under way`);
    if (outcome === undefined && pending.length === 0)
      throw new Error(`${this.#program.name} waits for something that is not the store`);
    const node: Node = {
      id: ++places,
      pending,
      branches: new Map(),
      ...(outcome && { outcome }),
      ...(parent && { parent }),
      ...(by && { by }),
    };
    if (outcome === undefined) node.run = run;
    return node;
  }
}

/** One execution of a program. */
class Run {
  readonly waiting = new Map<
    number,
    {
      readonly request: StoreRequest;
      readonly resolve: (value: unknown) => void;
      readonly reject: (error: Error) => void;
    }
  >();
  outcome: Outcome | undefined;
  #now: number;

  constructor(program: Program, now: number) {
    this.#now = now;
    let calls = 0;
    let draws = 0;
    const store = requestingStore((request) => {
      const call = calls++;
      return new Promise((resolve, reject) => this.waiting.set(call, { request, resolve, reject }));
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
        this.outcome = {
          result: 'threw',
          message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        };
      },
    );
  }

  answer(call: number, answer: Answer, now: number): void {
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
