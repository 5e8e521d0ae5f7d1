// SPDX-License-Identifier: Apache-2.0
/**
 * Remembers where every answer led a program.
 *
 * A running function cannot be copied, but all that it knows is the answers it was given: the same answers bring it to
 * the same place. So a place is a node of a tree whose branches are answers; the code really runs when a place is
 * entered for the first time, and is looked up ever after.
 */
import type { Interner } from './interner';
import { type Answer, type Arrival, type Outcome, type Program, Run } from './run';
import type { StoreRequest } from './store-request';

/** Where a program stands: waiting for its store calls, or returned. */
export interface Place {
  readonly id: number;
  /** Calls without an answer yet, in the order they were made. */
  readonly pending: readonly { readonly call: number; readonly requestId: number }[];
  readonly outcome?: Outcome;
}

interface Node extends Place {
  readonly branches: Map<number, Node>;
  /** The answer that led here, and where from; absent at a start. */
  readonly from?: { readonly node: Node; readonly arrival: Arrival };
  /** When the program was called. */
  readonly startedAt: number;
  /** Whether no two calls were ever under way at the same time up to here. */
  readonly isSequential: boolean;
  /** A run that stands here, until it is taken further. */
  run?: Run;
}

export interface Interners {
  readonly requests: Interner<StoreRequest>;
  readonly answers: Interner<Answer>;
}

let places = 0;

export class ProcessTree {
  readonly #program: Program;
  readonly #interners: Interners;
  readonly #starts = new Map<number, Node>();

  constructor(program: Program, interners: Interners) {
    this.#program = program;
    this.#interners = interners;
  }

  /** The place at which the program waits after it was called at this time. */
  start(now: number): Place | Promise<Place> {
    return this.#starts.get(now) ?? this.#runFirst(now);
  }

  /** The place to which an answer to one of the pending calls leads. */
  follow(place: Place, call: number, answerId: number, now: number): Place | Promise<Place> {
    return (
      (place as Node).branches.get(branchOf(call, answerId, now)) ?? this.#runOn(place as Node, call, answerId, now)
    );
  }

  async #runFirst(now: number): Promise<Place> {
    const run = new Run(this.#program, now);
    await run.settle();
    const node = this.#nodeOf(run, now);
    this.#starts.set(now, node);
    return node;
  }

  async #runOn(node: Node, call: number, answerId: number, now: number): Promise<Place> {
    const run = node.run ?? (await this.#replay(node));
    delete node.run;
    const arrival = { call, answer: this.#interners.answers.valueOf(answerId), now };
    run.answer(arrival);
    await run.settle();
    const next = this.#nodeOf(run, node.startedAt, { node, arrival });
    node.branches.set(branchOf(call, answerId, now), next);
    return next;
  }

  /** A new run that stands at the node. */
  async #replay(node: Node): Promise<Run> {
    const arrivals: Arrival[] = [];
    for (let { from } = node; from !== undefined; from = from.node.from) arrivals.unshift(from.arrival);
    const run = new Run(this.#program, node.startedAt, node.isSequential ? arrivals : []);
    await run.settle();
    if (!node.isSequential)
      for (const arrival of arrivals) {
        run.answer(arrival);
        await run.settle();
      }
    return run;
  }

  #nodeOf(run: Run, startedAt: number, from?: Node['from']): Node {
    const pending = [...run.waiting].map(([call, { request }]) => ({
      call,
      requestId: this.#interners.requests.idOf(request),
    }));
    const { outcome } = run;
    if (outcome !== undefined && pending.length > 0)
      throw new Error(`${this.#program.name} returned while one of its store calls was still under way`);
    if (outcome === undefined && pending.length === 0)
      throw new Error(`${this.#program.name} waits for something that is not the store`);
    return {
      id: ++places,
      pending,
      branches: new Map(),
      startedAt,
      isSequential: pending.length <= 1 && (from?.node.isSequential ?? true),
      ...(outcome === undefined ? { run } : { outcome }),
      ...(from && { from }),
    };
  }
}

/** One number for call, answer and time; times of one run lie within 1,024 s. */
function branchOf(call: number, answerId: number, now: number): number {
  return ((now % 1024) * 2 ** 24 + answerId) * 256 + call;
}
