// SPDX-License-Identifier: Apache-2.0
/** The second asset's handler on emulated tables, with a user of each older system logged in, and nothing of it in the test's output. */
import type { AuthorizerResult } from '../../lambda/authorizer/answer-requests';
import { createOldTables, deployedEnvironment, logInToOlderSystems } from '../legacy/configured-systems';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

export interface StartedFunction {
  table(): EmulatedTable;
  /** A function that just started with these sources, and a mode if there is one. */
  start(sources: unknown, more?: object, mode?: string): (event: unknown) => Promise<AuthorizerResult>;
}

/** Sets up and tidies up by itself; call it once in a test file. */
export function startedFunction(): StartedFunction {
  const before = process.env;
  let table: EmulatedTable;

  beforeAll(async () => {
    table = await startEmulatedTable();
    await createOldTables(table);
    await logInToOlderSystems(table);
  });
  afterAll(async () => {
    process.env = before;
    await table.close();
  });
  beforeEach(() => {
    jest.spyOn(console, 'log').mockImplementation(() => {});
    jest.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => jest.restoreAllMocks());

  return {
    table: () => table,
    start(sources, more = {}, mode) {
      process.env = deployedEnvironment(table, sources, more);
      if (mode !== undefined) process.env.SESSIONGATE_LEGACY_MODE = mode;
      jest.resetModules();
      return jest.requireActual('../../lambda/authorizer-legacy/handler').handler;
    },
  };
}
