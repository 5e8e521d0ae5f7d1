// SPDX-License-Identifier: Apache-2.0
/** Turns measurements into tables that can be read in a terminal and pasted into a page. */
import type { Spread } from './statistics';
import {
  coldRatios,
  firstCall,
  type Measurements,
  peakMemory,
  processorTime,
  TARGETS,
  warmRatios,
  wholeStart,
} from './targets';
import { BARE, DOCUMENT_CLIENT, EMPTY } from './variants';

type Row = readonly string[];

/** One row a variant; ratios are medians, with the 10th and 90th percentile. */
export function comparisonTable({ variants, cold, warm }: Measurements): string {
  const header = [
    'authorizer',
    'bundle',
    'cold vs bare',
    'cold vs DocumentClient',
    'first call vs bare',
    'warm CPU vs bare',
    'process CPU vs empty',
    'peak memory vs empty',
  ];
  const rows = variants.map(({ name, bytes }) => [
    name,
    bytes === undefined ? '-' : `${(bytes / 1024).toFixed(1)} KB`,
    shown(coldRatios(cold, name, BARE, wholeStart)),
    shown(coldRatios(cold, name, DOCUMENT_CLIENT, wholeStart)),
    shown(coldRatios(cold, name, BARE, firstCall)),
    shown(warmRatios(warm, name, BARE)),
    shown(coldRatios(cold, name, EMPTY, processorTime)),
    shown(coldRatios(cold, name, EMPTY, peakMemory)),
  ]);
  return table(header, rows);
}

export function targetTable(measurements: Measurements): string {
  const rows = TARGETS.map(({ name, limit, unit, measure }) => {
    const spread = measure(measurements);
    return [
      name,
      `<= ${limit}${unit}`,
      unit === '' ? shown(spread) : `${spread.median}${unit}`,
      spread.median <= limit ? 'met' : 'missed',
    ];
  });
  return table(['target', 'limit', 'measured', ''], rows);
}

export function shown({ median, p10, p90 }: Spread): string {
  return `${short(median)} (${short(p10)}-${short(p90)})`;
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

/** A table in Markdown, its columns aligned. */
export function table(header: Row, rows: readonly Row[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: Row): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(header), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}
