// SPDX-License-Identifier: Apache-2.0
/** Installs what the bench measures against into its own folder, exactly as its lock file says, the first time. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCK = join(__dirname, 'package-lock.json');
const INSTALLED = join(__dirname, 'node_modules/.installed-lock.json');

export function installPeers(): void {
  const lock = readFileSync(LOCK, 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock) return;
  console.log('installing the packages to measure against into bench/node_modules, about 400 MB, once ...');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: __dirname,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('npm ci in bench/ failed; see above');
  writeFileSync(INSTALLED, lock);
}
