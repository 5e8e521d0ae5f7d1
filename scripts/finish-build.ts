// SPDX-License-Identifier: Apache-2.0
/** What the package still needs after the compiler: no leftovers of earlier builds, and a command that can be run. */
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');
const dist = join(root, 'dist');

/** Removes what was compiled from a source file that is gone; the assets are bundles and have no such file. */
function removeLeftovers(): void {
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const source = /^(?!assets\/)(.*?)(\.d\.m?ts|\.m?js)$/.exec(name.replaceAll('\\', '/'))?.[1];
    if (source !== undefined && !existsSync(join(root, `${source}.ts`))) rmSync(join(dist, name));
  }
}

removeLeftovers();
chmodSync(join(dist, 'bin', 'sessiongate.js'), 0o755);
