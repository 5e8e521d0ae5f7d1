// SPDX-License-Identifier: Apache-2.0
/** Counts what page views cost before and after moving in, and keeps the figures in docs/costs-migration.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cost, countMoves, countPageViews } from '../test/legacy/count-migration-costs';

const PAGE = join(__dirname, '..', 'docs', 'costs-migration.md');
const VIEWS = 1_000;

function tableOf(heading: string, costs: readonly Cost[]): string {
  const rows = costs.map(({ name, readUnits, writeUnits }) => `| ${name} | ${readUnits} | ${writeUnits} |`);
  return [`| ${heading} | read units | write units |`, '|---|---|---|', ...rows].join('\n');
}

function replacePart(page: string, name: string, text: string): string {
  const part = new RegExp(`(<!-- ${name} -->\\n)[^]*?(\\n<!-- end -->)`);
  if (!part.test(page)) throw new Error(`docs/costs-migration.md has no part <!-- ${name} -->`);
  return page.replace(part, `$1${text}$2`);
}

async function main(): Promise<void> {
  let page = readFileSync(PAGE, 'utf8');
  page = replacePart(page, 'page views', tableOf('1,000 page views', await countPageViews(VIEWS)));
  page = replacePart(page, 'moving in', tableOf('request', await countMoves()));
  writeFileSync(PAGE, page);
  console.log(page);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
