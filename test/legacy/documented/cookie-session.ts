// SPDX-License-Identifier: Apache-2.0
/** As in docs/migration-express.md. */
import { createCookieSessionSource, createSecrets } from 'sessiongate/legacy';

export const oldSessions = createCookieSessionSource({
  keys: createSecrets({ secretId: 'cookie-keys' }),
  algorithm: 'sha256',
  cookieName: 'session-cookie',
  userPath: 'passport.user', // the default
  loginIdPath: 'id',
  acceptUntil: Date.UTC(2027, 2, 1) / 1000,
});
