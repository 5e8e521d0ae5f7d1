// SPDX-License-Identifier: Apache-2.0
/** Holds all who share it to so many capacity units per second on average: what was consumed is waited for before more is. */

export class UnitBudget {
  readonly #unitsPerSecond: number;
  readonly #nowMillis: () => number;
  #freeAtMillis = 0;

  constructor(unitsPerSecond: number, nowMillis: () => number) {
    this.#unitsPerSecond = unitsPerSecond;
    this.#nowMillis = nowMillis;
  }

  /** How long to wait before the next request. */
  waitMillis(): number {
    return Math.max(0, this.#freeAtMillis - this.#nowMillis());
  }

  consume(units: number): void {
    this.#freeAtMillis = Math.max(this.#freeAtMillis, this.#nowMillis()) + (units / this.#unitsPerSecond) * 1000;
  }
}
