// SPDX-License-Identifier: Apache-2.0
/** Synthesis refuses what would make the authorizer refuse to work, and with it every request. */
import { type Environment, Lazy, Stack } from 'aws-cdk-lib';
import { AttributeType, type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import {
  createCookieSessionSource,
  createExpressSessionSource,
  createPhpSessionSource,
  createSignedSessionSource,
} from '../../lambda/legacy';
import { LEGACY_NAMES } from '../../lambda/legacy-settings';
import {
  type CookieSessionsProps,
  type ExpressSessionsProps,
  ExpressStorePackage,
  type LegacyMode,
  LegacySessions,
  type PhpSessionsProps,
  SessionAuthorizerFunction,
  SessionTable,
  type SignedSessionsProps,
} from '../../lib';
import { OLD_TABLE_ARN, SECRET_ARN, synthesizeFunction, type World } from './older-systems';
import { createFunction, createStack, messagesOf } from './synthesis';

const END = new Date('2040-01-01T00:00:00Z');

/** A secret with an id of its own, whatever else the stack has. */
const secretIn = (stack: Stack) =>
  Secret.fromSecretCompleteArn(stack, `Secret${stack.node.children.length}`, SECRET_ARN);

const express = ({ stack, table }: World, props: Partial<ExpressSessionsProps> = {}) =>
  LegacySessions.expressSession({
    table,
    storePackage: ExpressStorePackage.CONNECT_DYNAMODB,
    secret: secretIn(stack),
    ...props,
  });
const cookieSession = ({ stack }: World, props: Partial<CookieSessionsProps> = {}) =>
  LegacySessions.cookieSession({ secret: secretIn(stack), acceptUntil: END, ...props });
const signed = ({ stack }: World, props: Partial<SignedSessionsProps> = {}) =>
  LegacySessions.signedSession({ secret: secretIn(stack), ...props });
const php = ({ table }: World, props: Partial<PhpSessionsProps> = {}) =>
  LegacySessions.php({ table, userPath: 'user_id', ...props });

const COOKIE_NAME = 'cookieName must be 1 to 128 characters';
const SOURCE_NAME = 'sourceName must be 1 to 64 characters of a-z, 0-9 and hyphen';
const PATH = 'must say where the data holds it: names joined by single dots';

test.each<[string, (world: World) => LegacySessions, string]>([
  ['a cookie name with a space', (world) => express(world, { cookieName: 'a b' }), COOKIE_NAME],
  ['an empty cookie name', (world) => cookieSession(world, { cookieName: '' }), COOKIE_NAME],
  ['a cookie name with a semicolon', (world) => php(world, { cookieName: 'a;b' }), COOKIE_NAME],
  ['a long name of a signed cookie', (world) => signed(world, { cookieName: 'a'.repeat(65) }), '1 to 64 characters'],
  ['a PHP name that begins with _', (world) => php(world, { cookieName: '_php' }), 'cookieName must not begin with _'],
  ['a PHP session name of digits', (world) => php(world, { sessionName: '12' }), 'sessionName must be 1 to 64'],
  ['a source name in capitals', (world) => express(world, { sourceName: 'Shop' }), SOURCE_NAME],
  ['an empty source name', (world) => php(world, { sourceName: '' }), SOURCE_NAME],
  ['a long source name', (world) => cookieSession(world, { sourceName: 'a'.repeat(65) }), SOURCE_NAME],
  ['an empty userPath', (world) => php(world, { userPath: '' }), `userPath ${PATH}`],
  ['no userPath where it has no default', (world) => php(world, { userPath: undefined as never }), `userPath ${PATH}`],
  ['a userPath with an empty part', (world) => express(world, { userPath: 'a..b' }), `userPath ${PATH}`],
  ['a userPath that ends with a dot', (world) => cookieSession(world, { userPath: 'a.' }), `userPath ${PATH}`],
  ['an empty createdAtPath', (world) => express(world, { createdAtPath: '' }), `createdAtPath ${PATH}`],
  ['an empty csrfTokenPath', (world) => express(world, { csrfTokenPath: '' }), `csrfTokenPath ${PATH}`],
  ['an odd expiresAtPath', (world) => php(world, { expiresAtPath: '.time' }), `expiresAtPath ${PATH}`],
  ['a relative cookie path', (world) => express(world, { cookiePath: 'app' }), 'cookiePath must be the path'],
  [
    'a cookie domain with a path',
    (world) => express(world, { cookieDomain: 'a/b' }),
    'cookieDomain must be the domain',
  ],
  [
    'seconds for a date',
    (world) => express(world, { acceptUntil: 1_900_000_000 as never }),
    "acceptUntil must be a Date, got a number; pass new Date('2030-01-31T00:00:00Z'), or new Date(seconds * 1000)",
  ],
  [
    'text for a date',
    (world) => php(world, { acceptUntil: '2030' as never }),
    'acceptUntil must be a Date, got a string',
  ],
  ['a date that is none', (world) => php(world, { acceptUntil: new Date('soon') }), 'acceptUntil must be a valid date'],
  [
    'a date made of seconds',
    (world) => express(world, { acceptUntil: new Date(1_900_000_000) }),
    'acceptUntil must be a date of today',
  ],
  [
    'a date before the functions take any',
    (world) => php(world, { acceptUntil: new Date('2001-09-09T01:46:39Z') }),
    'acceptUntil must be a date of today',
  ],
  ['an empty loginIdPath', (world) => cookieSession(world, { loginIdPath: '' }), `loginIdPath ${PATH}`],
  ['a loginIdPath that ends with a dot', (world) => cookieSession(world, { loginIdPath: 'a.' }), `loginIdPath ${PATH}`],
  ['a source name of signed sessions', (world) => signed(world, { sourceName: 'Signed' }), SOURCE_NAME],
  [
    'no cut-off date where there must be one',
    (world) => cookieSession(world, { acceptUntil: undefined as never }),
    'acceptUntil must be given',
  ],
])('%s is refused', (_, sessionsOf, message) => {
  expect(() => synthesizeFunction((world) => [sessionsOf(world)])).toThrow(message);
});

test.each<[string, (world: World) => LegacySessions[], string | undefined]>([
  ['two by default', (world) => [express(world), express(world, { cookieName: 'b' })], 'express-session'],
  ['one by default', (world) => [php(world), express(world, { sourceName: 'php' })], 'php'],
  ['two that were given', (world) => [php(world, { sourceName: 'a' }), express(world, { sourceName: 'a' })], 'a'],
  ['those of two applications', (world) => [express(world), express(world, { sourceName: 'other' })], undefined],
  [
    'signed sessions, which are not remembered',
    (world) => [signed(world), signed(world, { cookieName: 'b' })],
    undefined,
  ],
])('names of sources must differ: %s', (_, sessionsOf, twice) => {
  const synthesize = () => synthesizeFunction(sessionsOf);

  if (twice === undefined) expect(synthesize).not.toThrow();
  else expect(synthesize).toThrow(`sourceName must differ from source to source, and two are called ${twice};`);
});

test.each<[string, string, (world: World) => LegacySessions]>([
  ['given', 'app', (world) => express(world, { cookieName: 'app' })],
  ['the default', 'session', (world) => cookieSession(world)],
  ['that of a signature', 'app.sig', (world) => cookieSession(world, { cookieName: 'app' })],
])('a cookie that has the name of the session cookie is refused: %s', (_, cookieName, sessionsOf) => {
  const stack = createStack();
  const table = Table.fromTableArn(stack, 'Old', OLD_TABLE_ARN);
  const sessionTable = new SessionTable(stack, 'Sessions', { cookieName });

  expect(
    () =>
      new SessionAuthorizerFunction(stack, 'Authorizer', {
        sessionTable,
        legacySessions: [sessionsOf({ stack, table })],
      }),
  ).toThrow(`both are ${cookieName}`);
});

test.each([
  [{ legacyStartedAfter: 1_900_000_000 as never }, 'legacyStartedAfter must be a Date, got a number'],
  [{ legacyStartedAfter: new Date(1_900_000_000) }, 'legacyStartedAfter must be a date of today'],
  [{ legacyMode: 'Off' as LegacyMode }, 'legacyMode must be on, dryRun or off'],
  [{ legacySharePercent: 0 }, 'legacySharePercent must be a number above 0 and up to 100'],
  [{ legacySharePercent: 101 }, 'legacySharePercent must be a number above 0 and up to 100'],
  [{ legacySharePercent: '10' as never }, 'legacySharePercent must be a number above 0 and up to 100'],
])('%p is refused', (props, message) => {
  expect(() => synthesizeFunction((world) => [express(world)], props)).toThrow(message);
});

test.each([
  ['an object', {}],
  ['an object of another kind', [{ kind: 'expressSession' }]],
  ['nothing', [undefined]],
])('legacySessions that hold %s are refused', (_, sessions) => {
  expect(() => synthesizeFunction(() => sessions as never)).toThrow(
    'legacySessions must be a list of what LegacySessions makes',
  );
});

test.each([
  ['ahead', '2100-01-01T00:00:00Z', 1],
  ['past', '2020-01-01T00:00:00Z', 0],
])('a line for all that lies %s', (_, date, warnings) => {
  const { stack } = synthesizeFunction((world) => [express(world)], { legacyStartedAfter: new Date(date) });

  expect(messagesOf(stack, 'warning').filter((text) => text.includes('legacyStartedAfter lies ahead'))).toHaveLength(
    warnings,
  );
});

test('a cut-off date that is past comes with a warning', () => {
  const past = synthesizeFunction((world) => [express(world, { acceptUntil: new Date('2020-01-01T00:00:00Z') })]).stack;
  const future = synthesizeFunction((world) => [express(world, { acceptUntil: END })]).stack;

  expect(messagesOf(past, 'warning').join()).toContain(
    'acceptUntil of express-session is past (2020-01-01T00:00:00.000Z)',
  );
  expect(messagesOf(future, 'warning').join()).not.toContain('acceptUntil');
});

describe('a table in another place than the function, which is told its name only', () => {
  const HERE = { account: '123456789012', region: 'eu-central-1' };

  function synthesizeWith(tableIn: (stack: Stack) => ITable, env: Environment = HERE) {
    const stack = createStack({ env });
    const authorizerFunction = new SessionAuthorizerFunction(stack, 'Authorizer', {
      sessionTable: new SessionTable(stack, 'Sessions'),
      legacySessions: [php({ stack, table: tableIn(stack) })],
    });
    return { stack, authorizerFunction };
  }

  const imported = (arn: string) => (stack: Stack) => Table.fromTableArn(stack, 'Old', arn);
  const defined = (env: Environment) => (stack: Stack) =>
    new Table(new Stack(stack.node.root as never, 'OldStack', { env }), 'Old', {
      tableName: 'old',
      partitionKey: { name: 'id', type: AttributeType.STRING },
    });

  test.each([
    [
      'an imported one of another region',
      imported(OLD_TABLE_ARN.replace('eu-central-1', 'us-east-1')),
      'region us-east-1',
    ],
    [
      'an imported one of another account',
      imported(OLD_TABLE_ARN.replace('123456789012', '210987654321')),
      'account 210987654321',
    ],
    ['a defined one of another region', defined({ ...HERE, region: 'us-east-1' }), 'region us-east-1'],
  ])('is refused: %s', (_, tableIn, message) => {
    expect(() => synthesizeWith(tableIn)).toThrow(message);
  });

  test.each([
    ['it is here', imported(OLD_TABLE_ARN), HERE],
    ['it is known by its name', (stack: Stack) => Table.fromTableName(stack, 'Old', 'old'), HERE],
    ['it is defined here', defined(HERE), HERE],
    ['nobody knows where the function will be', imported(OLD_TABLE_ARN), {}],
  ])('is not refused where %s', (_, tableIn, env) => {
    expect(() => synthesizeWith(tableIn, env)).not.toThrow();
  });

  test('is refused for a handler elsewhere, too', () => {
    const { stack, authorizerFunction } = synthesizeWith(imported(OLD_TABLE_ARN));
    const elsewhere = new Stack(stack.node.root as never, 'Elsewhere', { env: { ...HERE, region: 'us-east-1' } });

    expect(() => authorizerFunction.connectLegacy(createFunction(elsewhere))).toThrow('region eu-central-1');
  });
});

test('a secret of another region is refused, as the function reads it in its own', () => {
  const stack = createStack({ env: { account: '123456789012', region: 'eu-central-1' } });
  const synthesizeWith = (region: string) =>
    new SessionAuthorizerFunction(stack, `Authorizer-${region}`, {
      sessionTable: new SessionTable(stack, `Sessions-${region}`),
      legacySessions: [
        LegacySessions.signedSession({
          secret: Secret.fromSecretCompleteArn(
            stack,
            `Secret-${region}`,
            `arn:aws:secretsmanager:${region}:123456789012:secret:keys-AbCdEf`,
          ),
        }),
      ],
    });

  expect(() => synthesizeWith('eu-central-1')).not.toThrow();
  expect(() => synthesizeWith('us-east-1')).toThrow(/is in region us-east-1, .* in eu-central-1: replicate it there/);
});

test('what is only known at deployment is passed on unchecked', () => {
  const later = (value: string) => Lazy.string({ produce: () => value });

  expect(() =>
    synthesizeFunction((world) => [
      express(world, { cookieName: later('b c'), sourceName: later('B'), userPath: later('a..b') }),
    ]),
  ).not.toThrow();
});

test('the names by default are those of the sources', () => {
  const keys = ['secret'];
  const store = { read: async () => undefined, end: async () => {} };
  const table = { get: async () => undefined, delete: async () => {} };
  const sources = {
    expressSession: createExpressSessionSource({ store, secrets: keys }),
    cookieSession: createCookieSessionSource({ keys, acceptUntil: 2_000_000_000 }),
    signedSession: createSignedSessionSource({ keys }),
    php: createPhpSessionSource({ table, userPath: 'user_id' }),
  };

  for (const [kind, { name, cookieNames }] of Object.entries(sources))
    expect(LEGACY_NAMES[kind as keyof typeof LEGACY_NAMES]).toEqual({ sourceName: name, cookieName: cookieNames[0] });
});
