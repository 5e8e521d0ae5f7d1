// SPDX-License-Identifier: Apache-2.0
/** Bundles each Lambda function into `dist/assets/<name>`, which the constructs ship and deploy as it stands. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type AssetFormat, bundleAsset } from './bundle-asset';

const root = join(__dirname, '..');

interface Asset {
  /** The module that exports `handler`. */
  readonly entry: string;
  readonly format: AssetFormat;
  /** The build fails above it. */
  readonly maxBytes?: number;
}

const ASSETS: Readonly<Record<string, Asset>> = {
  authorizer: { entry: 'lambda/authorizer/asset.mts', format: 'module', maxBytes: 16 * 1024 },
  'authorizer-legacy': { entry: 'lambda/authorizer-legacy/handler.ts', format: 'commonjs' },
  maintenance: { entry: 'lambda/maintenance/handler.ts', format: 'commonjs' },
  'session-api': { entry: 'lambda/session-api/handler.ts', format: 'commonjs' },
  'session-api-legacy': { entry: 'lambda/session-api-legacy/handler.ts', format: 'commonjs' },
};

const FILES: Readonly<Record<AssetFormat, string>> = { module: 'index.mjs', commonjs: 'index.js' };

/** Writes by rename and only what changed, so that a build beside a running stack never shows half a file. */
function writeAsset(name: string, fileName: string, contents: Buffer): string {
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
  for (const [name, { entry, format, maxBytes }] of Object.entries(ASSETS)) {
    const contents = await bundleAsset(entry, format);
    if (maxBytes !== undefined && contents.length > maxBytes)
      throw new Error(
        `${name} is ${contents.length} bytes; it may have ${maxBytes}, because it is loaded at each cold start`,
      );
    const file = writeAsset(name, FILES[format], contents);
    console.log(`${relative(root, file)}  ${(contents.length / 1024).toFixed(1)} KiB`);
  }
}

main().catch((error: unknown) => {
  console.error(`build:assets: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
