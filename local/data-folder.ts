// SPDX-License-Identifier: Apache-2.0
/** The folder in which the local stack keeps its data, marked with the version of its layout. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error';

/** Goes up when data that was written before can no longer be read. */
const LAYOUT_VERSION = 1;
const VERSION_FILE = 'version.json';

/**
 * Creates the folder, or checks that what is in it can be read. Deletes nothing.
 * @throws StartError naming the folder and what to do
 */
export function openDataFolder(folder: string): void {
  const advice = 'move it away to start anew, or keep nothing with --memory';
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length === 0)
      writeFileSync(join(folder, VERSION_FILE), `${JSON.stringify({ version: LAYOUT_VERSION })}\n`);
  } catch (error) {
    throw new StartError(
      `the data folder ${folder} cannot be written (${(error as NodeJS.ErrnoException).code}); ${advice}`,
    );
  }
  const version = readVersion(join(folder, VERSION_FILE));
  if (version !== LAYOUT_VERSION)
    throw new StartError(
      `the data folder ${folder} has data of ${version === undefined ? 'an unknown version' : `version ${version}`}, and this release reads version ${LAYOUT_VERSION}; ${advice}`,
    );
}

function readVersion(file: string): unknown {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')).version;
  } catch {
    return undefined;
  }
}
