// SPDX-License-Identifier: Apache-2.0
/** `sessiongate sessions create`: a first cookie, to try a deployed stack with before it has a login. */
import { parseArgs } from 'node:util';
import { ENVIRONMENT } from '../lambda/environment';
import { createSessions, DynamoDbSessionStore, type IssuedCookie } from '../lambda/session';
import { resolveSettings, type SessionSettings } from '../lambda/settings';
import { connectionTo, type Environment, settingsVariable, tableNameFrom } from './table-options';
import { UsageError } from './usage-error';

export const CREATE_SESSION_USAGE = `sessiongate sessions create --user <name> --table <name>
      --user         whose session it is
      --table        the table; default ${ENVIRONMENT.tableName}
      --url          where the API is reached, for the curl line
      --region       region of the table; default: the AWS configuration's
      --endpoint     another DynamoDB than the region's own, such as a local one
      --cookie-name  --epoch  --partition-key-name  --sort-key-name  --time-to-live-attribute
                     as given to SessionTable; default ${ENVIRONMENT.settings}, else the defaults of SessionTable`;

/**
 * Creates the session and returns what to print.
 * @throws UsageError naming the option, or what the session library throws
 */
export async function createSessionCommand(words: readonly string[], environment: Environment): Promise<string> {
  const options = parseOptions(words);
  if (options.help === true) return CREATE_SESSION_USAGE;
  const { user } = options;
  if (user === undefined || user === '')
    throw new UsageError('--user is missing; name the user to create a session for');
  const tableName = tableNameFrom(options.table, environment);
  const settings = settingsFrom(options, environment);
  const endpoint = options.endpoint ?? environment[ENVIRONMENT.endpoint];
  const store = new DynamoDbSessionStore({
    tableName,
    attributeNames: settings.attributeNames,
    ...connectionTo(endpoint, options.region),
  });
  return describe(await createSessions({ ...settings, store }).create({ user }), options.url);
}

function parseOptions(words: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...words],
      options: {
        user: text,
        table: text,
        url: text,
        region: text,
        endpoint: text,
        'cookie-name': text,
        epoch: text,
        'partition-key-name': text,
        'sort-key-name': text,
        'time-to-live-attribute': text,
        help: { type: 'boolean' },
      },
    }).values;
  } catch (failure) {
    // The first sentence names the option; what follows is advice on positional arguments, of which there are none.
    throw new UsageError(`${(failure as Error).message.split(/[.\n]/)[0]}; see sessiongate --help`);
  }
}

type Options = ReturnType<typeof parseOptions>;

/** The settings of a connected function where they are at hand; what the command line says goes before. */
function settingsFrom(options: Options, environment: Environment): SessionSettings {
  const base = resolveSettings(settingsVariable(environment));
  const { partitionKey, sortKey, expiresAt } = base.attributeNames;
  const local = isPlainLocalhost(options.url) ? { cookieName: 'session', insecureLocalhost: true } : {};
  return resolveSettings({
    ...base,
    ...local,
    cookieName: options['cookie-name'] ?? local.cookieName ?? base.cookieName,
    epoch: options.epoch ?? base.epoch,
    attributeNames: {
      partitionKey: options['partition-key-name'] ?? partitionKey,
      sortKey: options['sort-key-name'] ?? sortKey,
      expiresAt: options['time-to-live-attribute'] ?? expiresAt,
    },
  });
}

/** The stack of `npm start`, whose cookie browsers would refuse with Secure. */
function isPlainLocalhost(url: string | undefined): boolean {
  return url !== undefined && /^http:\/\/localhost(?=[:/]|$)/.test(url);
}

function describe({ setCookie, session }: IssuedCookie<unknown>, url: string | undefined): string {
  const [cookie] = setCookie.split(';');
  const target =
    url === undefined ? '<ApiUrl of the stack>session' : new URL('session', url.endsWith('/') ? url : `${url}/`).href;
  return [
    `A session for ${session.user}, until ${new Date(session.expiresAt * 1000).toISOString()}. Whoever has the cookie is signed in.`,
    '',
    `Set-Cookie: ${setCookie}`,
    '',
    `curl -H 'Cookie: ${cookie}' ${target}`,
  ].join('\n');
}
