// SPDX-License-Identifier: Apache-2.0
/** Bundles each Lambda function into `dist/assets/<name>`, which the constructs ship and deploy as it stands. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { type AssetFormat, assetBuildOptions } from './asset-build-options';

const root = join(__dirname, '..');

interface Asset {
  /** The module that exports `handler`. */
  readonly entry: string;
  readonly format: AssetFormat;
  /** The build fails above it. */
  readonly maxBytes?: number;
}

const ASSETS: Readonly<Record<string, Asset>> = {
  authorizer: { entry: 'lambda/authorizer/asset.mts', format: 'module', maxBytes: 20 * 1024 },
  'session-api': { entry: 'lambda/session-api/handler.ts', format: 'commonjs' },
};

const FILES = { module: 'index.mjs', commonjs: 'index.js' } as const;

/** Bundles one entry, dependencies included, so that the asset needs nothing from its runtime. */
async function bundle({ entry, format, maxBytes }: Asset): Promise<Uint8Array> {
  if (!existsSync(join(root, entry))) throw new Error(`the entry ${entry} of an asset does not exist`);
  const { outputFiles, metafile } = await build({
    ...assetBuildOptions(format),
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: FILES[format],
    write: false,
    metafile: true,
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`the bundler wrote nothing for ${entry}`);
  const packaged = Object.keys(metafile.inputs).find((input) => input.includes('node_modules/'));
  if (format === 'module' && packaged !== undefined)
    throw new Error(`${entry} must stay free of packages, and bundles ${packaged}`);
  if (maxBytes !== undefined && output.contents.length > maxBytes)
    throw new Error(`${entry} is ${output.contents.length} bytes when bundled; it may have ${maxBytes}`);
  return output.contents;
}

/** Writes by rename and only what changed, so that a build beside a running stack never shows half a file. */
function writeAsset(name: string, fileName: string, contents: Uint8Array): string {
  const folder = join(root, 'dist', 'assets', name);
  const file = join(folder, fileName);
  mkdirSync(folder, { recursive: true });
  // Lambda would take the file of an earlier format before this one.
  for (const other of Object.values(FILES)) if (other !== fileName) rmSync(join(folder, other), { force: true });
  if (existsSync(file) && readFileSync(file).equals(contents)) return file;
  const unfinished = join(root, 'dist', 'assets', `.${name}-${process.pid}`);
  writeFileSync(unfinished, contents);
  renameSync(unfinished, file);
  return file;
}

async function main(): Promise<void> {
  for (const [name, asset] of Object.entries(ASSETS)) {
    const contents = await bundle(asset);
    const file = writeAsset(name, FILES[asset.format], contents);
    console.log(`${relative(root, file)}  ${(contents.length / 1024).toFixed(1)} KiB`);
  }
}

main().catch((error: unknown) => {
  console.error(`build:assets: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
