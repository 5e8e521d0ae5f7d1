// SPDX-License-Identifier: Apache-2.0
/**
 * The instances of one function. As in Lambda, an instance runs one request at a time, so that nothing a handler keeps
 * between requests is shared by two at once; a request that finds none idle starts another, up to a limit, then waits.
 */
import type { FunctionDefinition } from './function-definition';
import { FunctionInstance } from './function-instance';
import type { InvocationFailure, InvocationOutcome } from './invocation';

export interface FunctionPoolOptions {
  /** The whole environment of the function; nothing of this process's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly maxInstances: number;
  /** Takes each line of the function's output. */
  readonly log: (line: string) => void;
}

export class FunctionPool {
  readonly #definition: FunctionDefinition;
  readonly #options: FunctionPoolOptions;
  readonly #idle: FunctionInstance[] = [];
  readonly #all = new Set<FunctionInstance>();
  readonly #waiting: ((instance: FunctionInstance | undefined) => void)[] = [];
  #isClosed = false;

  constructor(definition: FunctionDefinition, options: FunctionPoolOptions) {
    this.#definition = definition;
    this.#options = options;
  }

  /** Starts a first instance, and returns why it did not become ready; undefined when it is. */
  async warm(): Promise<InvocationFailure | undefined> {
    const instance = await this.#take();
    if (instance === undefined) return CLOSED;
    const failure = await instance.whenReady();
    this.#give(instance);
    return failure;
  }

  async invoke(event: unknown): Promise<InvocationOutcome> {
    const instance = await this.#take();
    if (instance === undefined) return { failure: CLOSED };
    const outcome = await instance.invoke(event);
    if ('failure' in outcome && outcome.failure.kind !== 'handler')
      this.#options.log(`${outcome.failure.errorType}: ${outcome.failure.errorMessage}`);
    this.#give(instance);
    return outcome;
  }

  async end(): Promise<void> {
    this.#isClosed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
    await Promise.all([...this.#all].map((instance) => instance.end()));
  }

  /** An idle instance, a new one or the next that becomes idle; undefined once closed. */
  async #take(): Promise<FunctionInstance | undefined> {
    if (this.#isClosed) return undefined;
    for (let instance = this.#idle.pop(); instance !== undefined; instance = this.#idle.pop()) {
      if (!instance.hasEnded) return instance;
      this.#all.delete(instance);
    }
    if (this.#all.size < this.#options.maxInstances) return this.#start();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #give(instance: FunctionInstance): void {
    if (instance.hasEnded) this.#all.delete(instance);
    const next = this.#waiting.shift();
    if (next !== undefined) next(instance.hasEnded ? this.#start() : instance);
    else if (!instance.hasEnded) this.#idle.push(instance);
  }

  #start(): FunctionInstance {
    const instance = new FunctionInstance(this.#definition, this.#options.environment, this.#options.log);
    this.#all.add(instance);
    return instance;
  }
}

const CLOSED: InvocationFailure = {
  kind: 'exit',
  errorType: 'Sandbox.Closed',
  errorMessage: 'the local stack is closing',
};
