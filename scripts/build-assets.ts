// SPDX-License-Identifier: Apache-2.0
/** Bundles each Lambda function into `dist/assets/<name>/index.js`, which the constructs ship and deploy as it stands. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

const root = join(__dirname, '..');

/** Every asset and the module that exports its `handler`. */
const ASSETS: Readonly<Record<string, string>> = {
  authorizer: 'lambda/authorizer/handler.ts',
  'session-api': 'lambda/session-api/handler.ts',
};

/**
 * Bundles one entry, dependencies included, so that the asset needs nothing from its runtime. The same sources give the
 * same bytes on every machine: the hash of an asset stands in every template.
 */
async function bundle(entry: string): Promise<Uint8Array> {
  if (!existsSync(join(root, entry))) throw new Error(`the entry ${entry} of an asset does not exist`);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: 'index.js',
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    legalComments: 'eof',
    charset: 'utf8',
    logLevel: 'warning',
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`the bundler wrote nothing for ${entry}`);
  return output.contents;
}

/** Writes by rename and only what changed, so that a build beside a running stack never shows half a file. */
function writeAsset(name: string, contents: Uint8Array): string {
  const folder = join(root, 'dist', 'assets', name);
  const file = join(folder, 'index.js');
  mkdirSync(folder, { recursive: true });
  if (existsSync(file) && readFileSync(file).equals(contents)) return file;
  const unfinished = join(root, 'dist', 'assets', `.${name}-${process.pid}`);
  writeFileSync(unfinished, contents);
  renameSync(unfinished, file);
  return file;
}

async function main(): Promise<void> {
  for (const [name, entry] of Object.entries(ASSETS)) {
    const contents = await bundle(entry);
    console.log(`${relative(root, writeAsset(name, contents))}  ${(contents.length / 1024).toFixed(1)} KiB`);
  }
}

main().catch((error: unknown) => {
  console.error(`build:assets: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
