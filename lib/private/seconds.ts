// SPDX-License-Identifier: Apache-2.0
/** Dates of props as the functions want them. */

/**
 * Whole Unix seconds.
 * @throws Error naming the prop for what is no date
 */
export function secondsOf(prop: string, date: Date | undefined): number | undefined {
  if (date === undefined) return undefined;
  const seconds = Math.floor(date.getTime() / 1000);
  if (Number.isNaN(seconds)) throw new Error(`${prop} must be a valid date`);
  return seconds;
}
