// SPDX-License-Identifier: Apache-2.0
/** Medians and percentiles: a shared machine has bad moments, and one of them must not decide. */

export interface Spread {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
}

/** @throws RangeError for nothing at all */
export function spreadOf(values: readonly number[]): Spread {
  return { median: percentile(values, 0.5), p10: percentile(values, 0.1), p90: percentile(values, 0.9) };
}

/** Between two values it is interpolated. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError('no values');
  return below + (above - below) * (position - Math.floor(position));
}

/** Of each round, what was measured against the reference of the same round: drift of the machine cancels out. */
export function ratios(measured: readonly number[], reference: readonly number[]): Spread {
  return spreadOf(measured.map((value, round) => value / (reference[round] ?? Number.NaN)));
}
