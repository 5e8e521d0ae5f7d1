// SPDX-License-Identifier: Apache-2.0
/** Bundles one function, dependencies included, so that it needs nothing from its runtime; the bench bundles in the same way. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { minify } from '@swc/core';
import { type BuildOptions, build } from 'esbuild';
import { builtinModules } from './builtin-modules';

const root = join(__dirname, '..');

/** A `module` may await while it starts; it takes Node's own modules apart, and nothing from packages. */
export type AssetFormat = 'module' | 'commonjs';

/**
 * Properties that only the authorizer's own code reads and writes: none of them stands in an event, a setting, an item, a
 * request to DynamoDB or an answer. They get short names.
 */
const INTERNAL_PROPERTIES =
  /^(?:accessKeyId|admitLegacy|allowAnonymous|apiOrigins|attemptMillis|authorize|bodyBytes|connectMillis|credentials|dropIdle|exchange|generation|idleTimeout|isRetryable|isSimple|isThrowing|issuedAt|kind|limits|maxLifetimeSeconds|nowMillis|onRenewalFault|origins|previousRenewedAt|profile|readSession|readUserRecord|reader|reason|renewSession|renewedAt|report|secretAccessKey|service|sessionToken|settings|tableName|tokenHash|trusted|userRecordKey|variables|warmUp)$/;

const OPTIONS: Readonly<Record<AssetFormat, BuildOptions>> = {
  module: { format: 'esm', minifySyntax: true, mangleProps: INTERNAL_PROPERTIES, plugins: [builtinModules] },
  commonjs: { format: 'cjs', minify: true, mainFields: ['module', 'main'] },
};

/** The same sources give the same bytes on every machine: the hash of an asset stands in every template. */
export async function bundleAsset(entry: string, format: AssetFormat): Promise<Buffer> {
  if (!existsSync(join(root, entry))) throw new Error(`the entry ${entry} of an asset does not exist`);
  const { outputFiles, metafile } = await build({
    ...OPTIONS[format],
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: 'index.js',
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    legalComments: 'eof',
    charset: 'utf8',
    logLevel: 'warning',
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`the bundler wrote nothing for ${entry}`);
  if (format === 'commonjs') return Buffer.from(output.contents);
  const packaged = Object.keys(metafile.inputs).find((input) => input.includes('node_modules/'));
  if (packaged !== undefined) throw new Error(`${entry} must stay free of packages, and bundles ${packaged}`);
  return Buffer.from(await shorten(output.text));
}

/** Once more over the whole of it: what is called from one place only moves there, which a bundler does not do. */
async function shorten(code: string): Promise<string> {
  const options = { module: true, compress: { passes: 4, keep_fargs: false }, mangle: true, ecma: 2022 } as const;
  return (await minify(code, options)).code;
}
