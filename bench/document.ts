// SPDX-License-Identifier: Apache-2.0
/** Puts what a run printed into docs/performance.md, between two marks, so that the page says nothing that no run printed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(__dirname, '../docs/performance.md');
const BEGIN = '<!-- what follows was printed by npm run bench -- --document -->';
const END = '<!-- here ends what was printed -->';

export function documentRun(printed: readonly string[], date: string): void {
  const page = readFileSync(FILE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/performance.md has lost its marks ${BEGIN} and ${END}`);
  // Headings of the run stand under one of the page.
  const text = printed.join('\n').replace(/^## /gm, '### ');
  writeFileSync(FILE, `${before}${BEGIN}\n\nRun of ${date}.\n\n${text}\n\n${END}${after}`);
}
