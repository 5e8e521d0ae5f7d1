// SPDX-License-Identifier: Apache-2.0
/** Older systems on emulated tables, a user of each logged in, and what the constructs write of them for the deployed functions. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { LegacySourceConfiguration } from '../../lambda/legacy/configured-sources';
import { signSessionId } from '../../lambda/legacy/express-session/unsign-express-cookie';
import { signCookie } from '../../lambda/legacy/signed-cookie/cookie-signature';
import { resolveSettings } from '../../lambda/settings';
import type { EmulatedTable } from '../session/emulated-table';
import { createOldTable } from './express-app';

export const NOW = Math.floor(Date.now() / 1000);
export const END = NOW + 86_400;
const EXPRESS_ID = 'abcDEF-_0123456789abcDEF-_012345';
const PHP_ID = 'abcdefghijklmnopqrstuv';
const COOKIE_VALUE = Buffer.from('{"passport":{"user":"carol"}}').toString('base64');
export const SECRETS = ['new-secret', 'old-secret'];

/** Of a signed session, with whatever else its data hold. */
export function signedCookiesOf(name: string, data: object = {}, user = 'dave'): string {
  const value = Buffer.from(JSON.stringify({ user, iat: NOW - 1, exp: END, ...data })).toString('base64');
  return `${name}=${value}; ${name}.sig=${signCookie(name, value, 'old-secret', 'sha256')}`;
}

const MOVING_NAME = '__Host-app';
const MOVING_COOKIES = signedCookiesOf(MOVING_NAME);

/** Signed sessions that move in, as those of an older system. */
export const MOVING_SIGNED: LegacySourceConfiguration = {
  kind: 'signedSession',
  cookieName: MOVING_NAME,
  sourceName: 'app',
  isStateless: false,
  secrets: SECRETS,
};

/** Each kind: what the constructs write, the cookie of a logged-in browser, its user, and its id in the older system. */
export const KINDS: readonly {
  readonly configuration: LegacySourceConfiguration;
  readonly name: string;
  readonly cookie: string;
  readonly user: string;
  readonly id: string;
}[] = [
  {
    configuration: {
      kind: 'expressSession',
      package: 'dynamodb-store',
      tableName: 'express',
      prefix: 'app:',
      secrets: SECRETS,
    },
    name: 'express-session',
    cookie: `connect.sid=${encodeURIComponent(`s:${EXPRESS_ID}.${signSessionId(EXPRESS_ID, 'old-secret')}`)}`,
    user: 'alice',
    id: EXPRESS_ID,
  },
  {
    configuration: { kind: 'php', tableName: 'php', userPath: 'user_id', attributeNames: undefined },
    name: 'php',
    cookie: `PHPSESSID=${PHP_ID}`,
    user: '42',
    id: PHP_ID,
  },
  {
    configuration: { kind: 'cookieSession', algorithm: 'sha256', acceptUntil: END, secrets: SECRETS },
    name: 'cookie-session',
    cookie: `session=${COOKIE_VALUE}; session.sig=${signCookie('session', COOKIE_VALUE, 'old-secret', 'sha256')}`,
    user: 'carol',
    id: COOKIE_VALUE,
  },
  {
    configuration: MOVING_SIGNED,
    name: 'signed-session',
    cookie: MOVING_COOKIES,
    user: 'dave',
    id: MOVING_COOKIES.slice(MOVING_NAME.length + 1, MOVING_COOKIES.indexOf(';')),
  },
];

/** The cookies of a signed session, which is in no table and stays where it is. */
export const SIGNED_COOKIES = signedCookiesOf('__Host-signed');

/** Where each system keeps its session. */
export const OLD_ITEMS: Readonly<
  Record<string, { readonly TableName: string; readonly Key: Record<string, { S: string }> }>
> = {
  'express-session': { TableName: 'express', Key: { sessionId: { S: `app:${EXPRESS_ID}` } } },
  php: { TableName: 'php', Key: { id: { S: `PHPSESSID_${PHP_ID}` } } },
};

export async function createOldTables({ client }: EmulatedTable): Promise<void> {
  await createOldTable(client, 'express', 'sessionId');
  await createOldTable(client, 'php', 'id');
}

/** Logs the users in to the older systems, again if need be. */
export async function logInToOlderSystems({ client }: EmulatedTable): Promise<void> {
  const contents = {
    'express-session': { sess: { M: { cookie: { M: {} }, passport: { M: { user: { S: 'alice' } } } } } },
    php: { data: { S: 'user_id|i:42;' } },
  };
  for (const [name, { TableName, Key }] of Object.entries(OLD_ITEMS)) {
    const content = contents[name as keyof typeof contents];
    await client.send(new PutItemCommand({ TableName, Item: { ...Key, expires: { N: String(END) }, ...content } }));
  }
}

/** The environment of a deployed function. `sources` are written as a list; anything else as it is; absent: not at all. */
export function deployedEnvironment(
  { emulator }: EmulatedTable,
  sources: unknown,
  more: object = {},
): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    SESSIONGATE_TABLE_NAME: 'sessions',
    SESSIONGATE_SETTINGS: JSON.stringify(resolveSettings()),
    SESSIONGATE_ENDPOINT: emulator.endpoint,
    ...(sources === undefined
      ? {}
      : { SESSIONGATE_LEGACY: JSON.stringify(Array.isArray(sources) ? { sources, ...more } : sources) }),
  };
}
