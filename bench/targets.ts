// SPDX-License-Identifier: Apache-2.0
/** What the authorizer has to reach, as medians of the ratios of each round, and whether it did. */
import type { BuiltVariant } from './build-variants';
import type { ColdStart, ColdStarts } from './measure-cold';
import type { WarmBatches } from './measure-warm';
import { ratios, type Spread } from './statistics';
import { BARE, DOCUMENT_CLIENT, EMPTY, SHIPPED } from './variants';

export interface Measurements {
  readonly variants: readonly BuiltVariant[];
  readonly cold: ColdStarts;
  readonly warm: WarmBatches;
}

export interface Target {
  readonly name: string;
  /** At most. */
  readonly limit: number;
  readonly unit: '' | ' bytes';
  measure(measurements: Measurements): Spread;
}

export const wholeStart = ({ loadMillis, firstCallMillis }: ColdStart): number => loadMillis + firstCallMillis;
export const firstCall = ({ firstCallMillis }: ColdStart): number => firstCallMillis;
export const processorTime = ({ cpuMillis }: ColdStart): number => cpuMillis;
export const peakMemory = ({ peakKilobytes }: ColdStart): number => peakKilobytes;

export const TARGETS: readonly Target[] = [
  { name: 'bundle, minified', limit: 16_384, unit: ' bytes', measure: ({ variants }) => exactly(bytesOf(variants)) },
  cold('cold, load and first call, against bare node:https', 1.25, wholeStart, BARE),
  cold('cold, load and first call, against DocumentClient bundled', 0.35, wholeStart, DOCUMENT_CLIENT),
  cold('first call after the start, against the first of bare', 0.15, firstCall, BARE),
  warm('processor time of a warm call, against bare node:https', 1.5, BARE),
  warm('processor time of a warm call, against DocumentClient bundled', 0.4, DOCUMENT_CLIENT),
  cold('processor time of a process with one call, against an empty handler', 2.1, processorTime, EMPTY),
  cold('peak memory, against an empty handler', 1.2, peakMemory, EMPTY),
];

function cold(name: string, limit: number, value: (start: ColdStart) => number, reference: string): Target {
  return { name, limit, unit: '', measure: ({ cold }) => coldRatios(cold, SHIPPED, reference, value) };
}

function warm(name: string, limit: number, reference: string): Target {
  return { name, limit, unit: '', measure: (measurements) => warmRatios(measurements.warm, SHIPPED, reference) };
}

export function coldRatios(
  cold: ColdStarts,
  name: string,
  reference: string,
  value: (start: ColdStart) => number,
): Spread {
  return ratios((cold.get(name) ?? []).map(value), (cold.get(reference) ?? []).map(value));
}

export function warmRatios(warm: WarmBatches, name: string, reference: string): Spread {
  const cpu = (of: string): number[] => (warm.get(of) ?? []).map(({ cpuMicros }) => cpuMicros);
  return ratios(cpu(name), cpu(reference));
}

function bytesOf(variants: readonly BuiltVariant[]): number {
  return variants.find(({ name }) => name === SHIPPED)?.bytes ?? Number.NaN;
}

function exactly(value: number): Spread {
  return { median: value, p10: value, p90: value };
}
