// SPDX-License-Identifier: Apache-2.0
/** Dates and durations of props as the functions want them. */
import type { Duration } from 'aws-cdk-lib';
import { FIRST_SECOND, LAST_SECOND } from '../../lambda/legacy-settings';

/**
 * Whole Unix seconds.
 * @throws Error naming the prop for what is no date
 */
export function secondsOf(prop: string, date: Date | undefined): number | undefined {
  if (date === undefined) return undefined;
  if (typeof (date as Partial<Date> | null)?.getTime !== 'function')
    throw new Error(
      `${prop} must be a Date, got a ${typeof date}; pass new Date('2030-01-31T00:00:00Z'), or new Date(seconds * 1000)`,
    );
  const seconds = Math.floor(date.getTime() / 1000);
  if (Number.isNaN(seconds) || seconds >= LAST_SECOND) throw new Error(`${prop} must be a valid date`);
  if (seconds < FIRST_SECOND)
    throw new Error(`${prop} must be a date of today's, got ${date.toISOString()}; pass new Date(seconds * 1000)`);
  return seconds;
}

/**
 * For whoever has no compiler that says so.
 * @throws Error naming the prop for what is no duration
 */
export function requireDuration(prop: string, duration: Duration | undefined): void {
  if (duration === undefined || typeof (duration as Partial<Duration> | null)?.toSeconds === 'function') return;
  const example = typeof duration === 'number' ? Number(duration) : 3600;
  throw new Error(
    `${prop} must be a Duration, got a ${typeof duration}; pass Duration.seconds(${example}) of aws-cdk-lib`,
  );
}
