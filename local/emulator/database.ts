// SPDX-License-Identifier: Apache-2.0
/** Opens and closes dynalite, in memory or in a folder that no other process uses. */
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import dynalite from 'dynalite';
import { StartError } from '../start-error';

/** @throws StartError where another process has the folder open, or its data cannot be read */
export async function openDatabase(folder: string | undefined): Promise<Server> {
  const path = folder === undefined ? undefined : join(folder, 'items');
  if (folder !== undefined && path !== undefined) await requireUsable(folder, path);
  return dynalite({
    ...(path === undefined ? {} : { path }),
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
async function requireUsable(folder: string, path: string): Promise<void> {
  mkdirSync(path, { recursive: true });
  const requireFromDynalite = createRequire(require.resolve('dynalite'));
  const { Level } = requireFromDynalite('level') as { Level: new (path: string) => LevelDatabase };
  const level = new Level(path);
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
