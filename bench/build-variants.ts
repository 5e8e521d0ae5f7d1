// SPDX-License-Identifier: Apache-2.0
/** Builds every variant into a folder of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleAsset } from '../scripts/bundle-asset';
import type { Variant } from './variants';

const root = join(__dirname, '..');

export interface BuiltVariant extends Variant {
  /** What a process imports. */
  readonly file: string;
  /** Of the bundle; absent where nothing is bundled. */
  readonly bytes?: number;
}

/** Bundled ES modules of CommonJS packages need a `require`. */
const ESM_BANNER = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

export async function buildVariant(variant: Variant, folder: string): Promise<BuiltVariant> {
  if (variant.build === 'packages') return { ...variant, file: join(root, variant.source) };
  const { format = 'esm' } = variant;
  const file = join(folder, `${variant.name.replace(/\W+/g, '-')}.${format === 'esm' ? 'mjs' : 'cjs'}`);
  if (variant.build === 'asset') {
    const contents = await bundleAsset(variant.source, 'module');
    writeFileSync(file, contents);
    return { ...variant, file, bytes: contents.length };
  }
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [variant.source],
    outfile: file,
    metafile: true,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    logLevel: 'error',
    format,
    ...(format === 'esm' ? { banner: { js: ESM_BANNER } } : {}),
  });
  return { ...variant, file, bytes: Object.values(metafile.outputs)[0]?.bytes ?? 0 };
}
