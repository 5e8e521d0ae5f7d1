// SPDX-License-Identifier: Apache-2.0
/** Types of the part of dynalite that is used here; the package ships none. */

declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Folder of the LevelDB database; absent: in memory. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  /** An HTTP server that need not listen: requests may be emitted into it. Closing it closes the database. */
  function dynalite(options?: DynaliteOptions): Server;
  export = dynalite;
}
