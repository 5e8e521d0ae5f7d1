// SPDX-License-Identifier: Apache-2.0
/** Runs what concerns the same session one after the other, within this process. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs once everything queued under the key before has ended, well or not. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const ended: Promise<void> = result.then(
      () => this.#forget(key, ended),
      () => this.#forget(key, ended),
    );
    this.#last.set(key, ended);
    return result;
  }

  #forget(key: string, ended: Promise<void>): void {
    if (this.#last.get(key) === ended) this.#last.delete(key);
  }
}
