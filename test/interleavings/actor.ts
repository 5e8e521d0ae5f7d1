// SPDX-License-Identifier: Apache-2.0
/** An operation that makes its store calls one by one, when it is told to. */
import { SessionStoreError } from '../../lambda/session/errors';
import type { SessionStore } from '../../lambda/session/store';
import { performOn, type StoreRequest } from './store-request';

/** A store call that was not made yet. */
interface Waiting {
  readonly request: StoreRequest;
  answer(value: unknown): void;
  fail(error: Error): void;
}

/** An operation under way. */
export class Actor<Result> {
  readonly #store: SessionStore;
  readonly #result: Promise<Result>;
  #waiting: Waiting | undefined;

  constructor(store: SessionStore, begin: (answer: (request: StoreRequest) => Promise<unknown>) => Promise<Result>) {
    this.#store = store;
    this.#result = begin((request) => new Promise((answer, fail) => (this.#waiting = { request, answer, fail })));
    // A rejection is looked at in `finish`; until then it must not count as unhandled.
    this.#result.catch(() => {});
  }

  /** Makes calls until the next one is of this kind, which then waits. */
  async until(isMeant: (request: StoreRequest) => boolean): Promise<void> {
    for (let next = await this.#next(); !isMeant(next.request); next = await this.#next()) await this.step();
  }

  /** Makes the next call. */
  async step(): Promise<void> {
    const { request, answer } = await this.#take();
    answer(await performOn(this.#store, request));
  }

  /** Makes the next call, and tells the operation that it failed. */
  async loseAnswer(): Promise<void> {
    const { request, fail } = await this.#take();
    await performOn(this.#store, request);
    fail(lostError());
  }

  /** Tells the operation that its next call failed; the call is made when the returned function is called. */
  async delay(): Promise<() => Promise<unknown>> {
    const { request, fail } = await this.#take();
    fail(lostError());
    return () => performOn(this.#store, request);
  }

  /** Makes all calls that are left. */
  async finish(): Promise<Result> {
    let isDone = false;
    const done = (): void => {
      isDone = true;
    };
    this.#result.then(done, done);
    for (await settle(); !isDone; await settle()) await this.step();
    return this.#result;
  }

  async #next(): Promise<Waiting> {
    await settle();
    if (this.#waiting === undefined) throw new Error('the operation makes no further store call');
    return this.#waiting;
  }

  async #take(): Promise<Waiting> {
    const next = await this.#next();
    this.#waiting = undefined;
    return next;
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const lostError = (): SessionStoreError => new SessionStoreError('the answer is lost', { isRetryable: true });
