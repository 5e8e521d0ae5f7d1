// SPDX-License-Identifier: Apache-2.0
/** How a function is bundled; the bench bundles in the same way. */
import type { BuildOptions } from 'esbuild';
import { builtinModules } from './builtin-modules';

/** A module may await while it starts; it takes Node's own modules apart, and nothing from packages. */
export type AssetFormat = 'module' | 'commonjs';

/** The same sources give the same bytes on every machine: the hash of an asset stands in every template. */
export function assetBuildOptions(format: AssetFormat): BuildOptions {
  return {
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    legalComments: 'eof',
    charset: 'utf8',
    logLevel: 'warning',
    ...(format === 'module'
      ? { format: 'esm', plugins: [builtinModules] }
      : { format: 'cjs', mainFields: ['module', 'main'] }),
  };
}
