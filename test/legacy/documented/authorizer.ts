// SPDX-License-Identifier: Apache-2.0
/** As in docs/migration-express.md. */
import { createAuthorizer, createSdkSessionReader } from 'sessiongate/authorizer';
import { mode, oldSessions } from './old-sessions';

export const handler = createAuthorizer(
  { reader: createSdkSessionReader({ tableName: process.env.TABLE_NAME ?? '' }) },
  // Cookie name, epoch and timeouts as in the SessionTable.
  { cookieName: '__Host-session', legacy: mode === 'on' ? [oldSessions] : [] },
);
