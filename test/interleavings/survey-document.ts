// SPDX-License-Identifier: Apache-2.0
/** Keeps the results of surveys as a table in a Markdown page, and what happens without each rule of the lifecycle. */
import type { Survey } from './survey';

export interface CaughtBreakage {
  readonly name: string;
  readonly message: string;
  readonly trace: readonly string[];
}

const HEADER =
  '| explored | scenarios | to the end | states | transitions | faults | violations | date |\n|---|---:|---:|---:|---:|---:|---:|---|\n';
const START = '<!-- results -->\n';
const END = '<!-- end of results -->\n';

/** The page with this survey's row in place of its earlier one. */
export function withSurvey(page: string, name: string, survey: Survey, date: string): string {
  const rows = between(page, START, END).replace(HEADER, '').split('\n').filter(Boolean);
  const faults = Object.values(survey.faults).reduce((sum, count) => sum + count, 0);
  const numbers = [
    survey.scenarios,
    survey.complete,
    survey.states,
    survey.transitions,
    faults,
    survey.violations.length,
  ];
  const row = `| ${name} | ${numbers.map((number) => number.toLocaleString('en-US')).join(' | ')} | ${date} |`;
  const place = rows.findIndex((one) => one.startsWith(`| ${name} |`));
  const next = place < 0 ? [...rows, row] : rows.with(place, row);
  return replaceBetween(page, START, END, `${HEADER}${next.join('\n')}\n`);
}

const CAUGHT_START = '<!-- caught -->\n';
const CAUGHT_END = '<!-- end of caught -->\n';

/** The page with the shortest run that each missing rule leads to. */
export function withCaught(page: string, caught: readonly CaughtBreakage[]): string {
  const rows = caught.map(({ name, message, trace }) => `| ${inWords(name)} | ${message} | ${trace.length} |`);
  const example = caught.find(({ name }) => name === EXAMPLE);
  return replaceBetween(
    page,
    CAUGHT_START,
    CAUGHT_END,
    `| without the rule | what is found | steps |\n|---|---|---:|\n${rows.join('\n')}\n` +
      (example
        ? `\nThe run behind "${inWords(EXAMPLE)}":\n\n${example.trace.map((line) => `    ${line}\n`).join('')}`
        : ''),
  );
}

const EXAMPLE = 'killDeletes';

const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function between(page: string, start: string, end: string): string {
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the page must hold ${start.trim()} and ${end.trim()}`);
  return page.slice(from + start.length, to);
}

function replaceBetween(page: string, start: string, end: string, text: string): string {
  between(page, start, end);
  return page.slice(0, page.indexOf(start) + start.length) + text + page.slice(page.indexOf(end));
}
