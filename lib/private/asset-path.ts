// SPDX-License-Identifier: Apache-2.0
/** Finds the functions that were bundled beforehand, from the sources as well as from the package. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** This file is `lib/private/asset-path.ts` in a checkout and `dist/lib/private/asset-path.js` in the package. */
const CANDIDATES = [join(__dirname, '../../assets'), join(__dirname, '../../dist/assets')];

/** What Lambda takes for the handler `index.handler`. */
const ENTRIES = ['index.js', 'index.mjs'];

/**
 * Folder of the asset with this name.
 * @throws Error if it was not built
 */
export function assetPath(name: string): string {
  const folder = CANDIDATES.map((assets) => join(assets, name)).find((candidate) =>
    ENTRIES.some((entry) => existsSync(join(candidate, entry))),
  );
  if (folder === undefined) throw new Error(`the function ${name} is not built; run npm run build:assets`);
  return folder;
}
