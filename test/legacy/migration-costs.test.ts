// SPDX-License-Identifier: Apache-2.0
/** Holds docs/costs-migration.md to what is counted; on a mismatch run `npx tsx scripts/count-migration-costs.ts`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cost, countMoves, countPageViews } from './count-migration-costs';

const VIEWS = 50;
const DOCUMENTED_VIEWS = 1_000;

/** The rows of a part of the page. */
function documented(part: string): Cost[] {
  const page = readFileSync(join(__dirname, '../../docs/costs-migration.md'), 'utf8');
  const text = page.split(`<!-- ${part} -->`)[1]?.split('<!-- end -->')[0] ?? '';
  return [...text.matchAll(/^\| (.+) \| (\d+) \| (\d+) \|$/gm)].map(([, name = '', reads, writes]) => ({
    name,
    readUnits: Number(reads),
    writeUnits: Number(writes),
  }));
}

it('page views cost what the page says', async () => {
  const counted = (await countPageViews(VIEWS)).map(({ name, readUnits, writeUnits }) => ({
    name,
    readUnits: (readUnits * DOCUMENTED_VIEWS) / VIEWS,
    // Slides of the idle timeout go by time and not by views: the hour is the same.
    writeUnits: name.includes('idle timeout') ? writeUnits : (writeUnits * DOCUMENTED_VIEWS) / VIEWS,
  }));

  expect(counted).toEqual(documented('page views'));
}, 120_000);

it('moving in costs what the page says', async () => {
  expect(await countMoves()).toEqual(documented('moving in'));
}, 60_000);
