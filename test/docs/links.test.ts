// SPDX-License-Identifier: Apache-2.0
/** Links between the documents lead somewhere: to a file that is there, and to a heading in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(__dirname, '../..');
const documents = ['.', 'docs', 'docs/decisions', 'examples'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, folder, name)),
);

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** As GitHub names a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-');
}

function headingsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => slug(heading));
}

function linksOf(file: string): string[] {
  const text = withoutCode(readFileSync(file, 'utf8'));
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

const links = documents.flatMap((file) => linksOf(file).map((target) => [relative(root, file), target] as const));

it('there are some', () => {
  expect(links.length).toBeGreaterThan(50);
});

it.each(links)('%s leads to %s', (file, target) => {
  const [path = '', heading] = target.split('#');
  const found = path === '' ? join(root, file) : join(root, dirname(file), path);

  expect(existsSync(found)).toBe(true);
  if (heading !== undefined) expect(headingsOf(found)).toContain(heading);
});
