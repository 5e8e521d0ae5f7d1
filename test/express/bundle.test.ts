// SPDX-License-Identifier: Apache-2.0
/** The application of docs/express.md in one file, express included, as that document says how. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sessiongate-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [, banner = ''] =
  /```js\n(.*createRequire.*)\n```/.exec(readFileSync(join(root, 'docs/express.md'), 'utf8')) ?? [];

const SOURCE = `
import { createApplication } from './documented-application';
import { createSessions, MemorySessionStore } from 'sessiongate/session';
console.log(typeof createApplication(createSessions({ store: new MemorySessionStore() })));
`;

function runBundle(fileName: string, options: BuildOptions): { readonly stdout: string; readonly stderr: string } {
  const outfile = join(folder, fileName);
  buildSync({
    stdin: { contents: SOURCE, resolveDir: __dirname, loader: 'ts' },
    alias: { 'sessiongate/express': join(root, 'lambda/express'), 'sessiongate/session': join(root, 'lambda/session') },
    bundle: true,
    platform: 'node',
    external: ['@aws-sdk/*'],
    logLevel: 'error',
    outfile,
    ...options,
  });
  return spawnSync(process.execPath, [outfile], { encoding: 'utf8' });
}

test.each<[string, string, BuildOptions]>([
  ['as CommonJS', 'bundle.cjs', { format: 'cjs' }],
  ['as ESM with the banner', 'banner.mjs', { format: 'esm', banner: { js: banner } }],
])('runs %s', (_, fileName, options) => {
  expect(runBundle(fileName, options)).toMatchObject({ stdout: 'function\n', stderr: '' });
});

test('as ESM without the banner fails as the document says', () => {
  expect(runBundle('bare.mjs', { format: 'esm' }).stderr).toMatch(/Dynamic require of "[^"]+" is not supported/);
});
