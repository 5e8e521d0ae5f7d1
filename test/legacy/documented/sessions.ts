// SPDX-License-Identifier: Apache-2.0
/** As in docs/migration-express.md. */
import { createSessions } from 'sessiongate/session';
import { mode, oldSessions } from './old-sessions';

export const sessions = createSessions({
  legacy: {
    sources: [oldSessions],
    mode,
    lifetime: 'settings',
    asSession: ({ data }) => ({ data: { cart: (data as { cart?: unknown }).cart } }),
  },
});
