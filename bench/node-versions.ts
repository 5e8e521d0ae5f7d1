// SPDX-License-Identifier: Apache-2.0
/** The versions of Node to measure on: those that the bench installs for itself, and the one it runs on. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface NodeVersion {
  /** As `process.version` says it. */
  readonly version: string;
  readonly major: number;
  readonly file: string;
}

export function findNodeVersions(): readonly NodeVersion[] {
  const installed = ['node22', 'node24']
    .map((name) => join(__dirname, 'node_modules', name, 'bin/node'))
    .filter((file) => existsSync(file));
  return [process.execPath, ...installed].map(describe);
}

function describe(file: string): NodeVersion {
  const version = execFileSync(file, ['--version'], { encoding: 'utf8' }).trim();
  return { version, major: Number(/^v(\d+)\./.exec(version)?.[1]), file };
}
