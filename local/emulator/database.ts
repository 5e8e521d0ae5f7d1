// SPDX-License-Identifier: Apache-2.0
/** Opens and closes dynalite, in memory or in a folder that no other process uses. */
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import dynalite from 'dynalite';
import { StartError } from '../start-error';

/** @throws StartError where another process has the folder open, or its data cannot be read */
export async function openDatabase(folder: string | undefined): Promise<Server> {
  if (folder !== undefined) await requireUsable(folder);
  return dynalite({
    ...(folder === undefined ? {} : { path: folder }),
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
  });
}

interface LevelDatabase {
  open(): Promise<void>;
  close(): Promise<void>;
}

/** dynalite crashes the process when its database does not open, so dynalite's own database is opened once before. */
async function requireUsable(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const requireFromDynalite = createRequire(require.resolve('dynalite'));
  const { Level } = requireFromDynalite('level') as { Level: new (path: string) => LevelDatabase };
  const level = new Level(folder);
  try {
    await level.open();
    await level.close();
  } catch (error) {
    const code = ((error as Error).cause as { code?: string } | undefined)?.code;
    throw new StartError(
      code === 'LEVEL_LOCKED'
        ? `the data folder ${folder} is in use by another process; end that one, or keep nothing with --memory`
        : `the data folder ${folder} cannot be opened; move it away to start anew, or keep nothing with --memory`,
      { cause: error },
    );
  }
}

/** Waits for pending writes. dynalite closes its database only with a server that listens, so it does for a moment. */
export function closeDatabase(database: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    database.once('error', reject);
    database.listen(0, '127.0.0.1', () => {
      database.close((error) => (error === undefined || error === null ? resolve() : reject(error)));
    });
  });
}
