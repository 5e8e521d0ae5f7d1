// SPDX-License-Identifier: Apache-2.0
/** The package as it is published: what is in it, and that each entry can be had by name. Runs after a build. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import * as manifest from '../../package.json';

const root = join(__dirname, '../..');

function run(command: string, words: readonly string[]): string {
  return execFileSync(command, words, { cwd: root, encoding: 'utf8' });
}

function packedFiles(): { path: string; size: number }[] {
  const [packed] = Object.values(JSON.parse(run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'])));
  return (packed as { files: { path: string; size: number }[] }).files;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/').replace(/\.ts$/, '')}`);
}

function documentsIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

const ASSETS = [
  'dist/assets/authorizer/index.mjs',
  'dist/assets/authorizer-legacy/index.js',
  'dist/assets/maintenance/index.js',
  'dist/assets/session-api/index.js',
  'dist/assets/session-api-legacy/index.js',
];

/** Everything compiled from lib and lambda, the command, the bundled functions, documents, examples and what npm shows: nothing else. */
function expectedFiles(): string[] {
  // The CDK app is for a checkout.
  const command = sourcesIn('bin').filter((name) => !name.startsWith('bin/app'));
  const compiled = [...command, ...sourcesIn('lib'), ...sourcesIn('lambda')];
  const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'].filter((name) =>
    existsSync(join(root, name)),
  );
  return [
    ...documents,
    ...documentsIn('docs'),
    ...documentsIn('docs/decisions'),
    ...documentsIn('examples'),
    ...sourcesIn('examples').map((name) => `${name}.ts`),
    'package.json',
    ...ASSETS,
    ...compiled.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
  ].sort();
}

test('holds what was compiled and bundled, and nothing else', () => {
  const paths = packedFiles().map(({ path }) => path);

  expect(paths.sort()).toEqual(expectedFiles());
});

test.each([
  ['docs', 400_000],
  ['examples', 50_000],
])('keeps its %s small', (folder, bytes) => {
  const files = packedFiles().filter(({ path }) => path.startsWith(`${folder}/`));

  expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(bytes);
});

test('holds whatever its documents lead to', () => {
  const paths = packedFiles().map(({ path }) => path);
  const links = paths.filter((path) => path.endsWith('.md')).flatMap((path) => linksIn(path));

  const dead = links.filter(({ to }) => !paths.some((path) => path === to || path.startsWith(`${to}/`)));
  expect(links.length).toBeGreaterThan(20);
  expect(dead).toEqual([]);
});

/** Links of Markdown to other files. */
function linksIn(path: string): { from: string; to: string }[] {
  const targets = [...readFileSync(join(root, path), 'utf8').matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(
    ([, target]) => target,
  );
  return targets
    .filter((target): target is string => target !== undefined && !/^[a-z]+:/.test(target))
    .map((target) => ({ from: path, to: posix.join(posix.dirname(path), target) }));
}

const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
  typeof target === 'object' ? [{ entry, ...target }] : [],
);

describe.each(entries)('the entry $entry', ({ entry, types, default: file }) => {
  const name = join('sessiongate', entry);

  test('has its types', () => {
    expect(existsSync(join(root, types))).toBe(true);
  });

  test('can be required and imported by name, with the same exports', () => {
    expect(existsSync(join(root, file))).toBe(true);
    const required = run('node', ['-p', `Object.keys(require('${name}')).sort().join()`]).trim();
    const imported = run('node', [
      '--input-type=module',
      '-e',
      `import * as all from '${name}'; console.log(Object.keys(all).filter((key) => !/^(default|module.exports|__esModule)$/.test(key)).sort().join())`,
    ]).trim();

    expect(required).not.toBe('');
    expect(imported).toBe(required);
  });
});

test('has its own package.json by name', () => {
  expect(run('node', ['-p', "require('sessiongate/package.json').name"]).trim()).toBe('sessiongate');
});

test('finds the bundled functions from the package as from the sources', () => {
  const find = "require('./dist/lib/private/asset-path').assetPath('authorizer')";

  expect(run('node', ['-p', find]).trim()).toBe(join(root, 'dist/assets/authorizer'));
});

test('has a command that can be run', () => {
  const command = join(root, manifest.bin.sessiongate);

  expect(() => accessSync(command, constants.X_OK)).not.toThrow();
  expect(run(command, ['--help'])).toMatch(/^Usage:/);
});

test('loads neither the CDK with the session library nor the AWS SDK before it is used', () => {
  const loaded =
    "require('sessiongate/session'); Object.keys(require.cache).filter((file) => /node_modules/.test(file)).length";

  expect(run('node', ['-p', loaded]).trim()).toBe('0');
});
