// SPDX-License-Identifier: Apache-2.0
/** As in docs/migration-express.md. */
import { createExpressSessionSource, createSecrets } from 'sessiongate/legacy';
import { collection } from './collection';

/** The switch: a variable of each function, the authorizer included. */
export const mode = process.env.OLD_SESSIONS as 'dryRun' | 'on' | 'off';
if (!['dryRun', 'on', 'off'].includes(mode)) throw new Error('OLD_SESSIONS must be dryRun, on or off');

export const oldSessions = createExpressSessionSource({
  store: {
    async read(id) {
      const found = await collection.findOne({ _id: id });
      return found === null ? undefined : { session: found.session, expiresAt: found.expires };
    },
    async end(id) {
      await collection.deleteOne({ _id: id });
    },
  },
  secrets: createSecrets({ secretId: 'express-secrets' }), // or ['the option secret', 'an older one']
  userPath: 'passport.user', // the default; such as 'userId' where the application keeps it itself
  createdAtPath: 'loginAt', // without it any log-out-everywhere of the user ends the old session
  acceptUntil: Date.UTC(2027, 2, 1) / 1000, // Unix seconds; leave it out until you know the day
});
