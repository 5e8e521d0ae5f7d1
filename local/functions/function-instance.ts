// SPDX-License-Identifier: Apache-2.0
/** One running instance of a function: a worker with its own environment that runs one request at a time. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { FunctionDefinition } from './function-definition';
import type { InvocationFailure, InvocationOutcome } from './invocation';

/** Lambda gives the init phase 10 seconds (Developer Guide, "Lambda execution environment lifecycle"). */
const INIT_TIMEOUT_MILLIS = 10_000;

type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly requestId: string; readonly result: string }
  | ({ readonly kind: 'error'; readonly requestId: string } & WorkerError)
  | ({ readonly kind: 'initError' } & WorkerError);

interface WorkerError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly stack?: string;
}

export class FunctionInstance {
  readonly #definition: FunctionDefinition;
  readonly #worker: Worker;
  readonly #log: (line: string) => void;
  readonly #ready: Promise<InvocationFailure | undefined>;
  #settle: (outcome: InvocationOutcome) => void = () => {};
  #crash: WorkerError | undefined;
  #hasEnded = false;

  constructor(
    definition: FunctionDefinition,
    environment: Readonly<Record<string, string>>,
    log: (line: string) => void,
  ) {
    this.#definition = definition;
    this.#log = log;
    this.#worker = new Worker(join(__dirname, 'worker.cjs'), {
      env: environment,
      // Flags of the local stack's own process, such as its loader, are not the function's.
      execArgv: [],
      stdout: true,
      stderr: true,
      workerData: definition,
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr]) createInterface({ input: stream }).on('line', log);
    this.#ready = this.#waitUntilReady();
  }

  /** It cannot serve any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Why it did not become ready; undefined when it is. */
  whenReady(): Promise<InvocationFailure | undefined> {
    return this.#ready;
  }

  /** Runs one request. The caller sees to it that there is only one at a time. */
  async invoke(event: unknown): Promise<InvocationOutcome> {
    const failedInit = await this.#ready;
    if (failedInit !== undefined) return { failure: failedInit };
    const requestId = randomUUID();
    const { timeoutSeconds } = this.#definition;
    const timer = setTimeout(() => {
      this.#settle({
        failure: {
          kind: 'timeout',
          errorType: 'Sandbox.Timedout',
          errorMessage: `task timed out after ${timeoutSeconds} seconds`,
        },
      });
      void this.end();
    }, timeoutSeconds * 1000);
    try {
      return await new Promise<InvocationOutcome>((resolve) => {
        this.#settle = resolve;
        if (this.#hasEnded) return resolve({ failure: this.#exitFailure('exit') });
        const deadlineMillis = Date.now() + timeoutSeconds * 1000;
        this.#worker.postMessage({ requestId, deadlineMillis, event: JSON.stringify(event) });
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#worker.terminate();
  }

  #waitUntilReady(): Promise<InvocationFailure | undefined> {
    let timer: NodeJS.Timeout;
    const ready = new Promise<InvocationFailure | undefined>((resolve) => {
      const fail = ({ errorType, errorMessage }: WorkerError) => {
        resolve({ kind: 'init', errorType, errorMessage });
        void this.end();
      };
      timer = setTimeout(
        () => fail({ errorType: 'Sandbox.Timedout', errorMessage: 'the function was not ready after 10 seconds' }),
        INIT_TIMEOUT_MILLIS,
      );
      this.#worker.on('message', (message: WorkerMessage) => {
        if (message.kind === 'ready') resolve(undefined);
        else if (message.kind === 'initError') fail(message);
        else this.#receive(message);
      });
      this.#worker.on('error', (error: Error) => {
        this.#crash = { errorType: error.name, errorMessage: error.message };
      });
      this.#worker.on('exit', () => {
        this.#hasEnded = true;
        // Ended before it was ready, whatever its exit code: a failed init. No effect on one that had become ready.
        resolve(this.#exitFailure('init'));
        this.#settle({ failure: this.#exitFailure('exit') });
      });
    });
    return ready.finally(() => clearTimeout(timer));
  }

  #receive(message: Extract<WorkerMessage, { requestId: string }>): void {
    if (message.kind === 'result') {
      this.#settle({ result: JSON.parse(message.result) });
      return;
    }
    const { errorType, errorMessage, stack } = message;
    this.#log(stack ?? `${errorType}: ${errorMessage}`);
    this.#settle({ failure: { kind: 'handler', errorType, errorMessage } });
  }

  #exitFailure(kind: 'init' | 'exit'): InvocationFailure {
    const { errorType, errorMessage } = this.#crash ?? {
      errorType: 'Runtime.ExitError',
      errorMessage: 'the function ended without an answer',
    };
    return { kind, errorType, errorMessage };
  }
}
