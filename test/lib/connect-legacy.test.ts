// SPDX-License-Identifier: Apache-2.0
/** Handlers in which older sessions move in, and the one mode that all functions have in a variable. */
import { CfnParameter, Duration, type Stack } from 'aws-cdk-lib';
import { AttributeType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { legacyFromEnvironment } from '../../lambda/legacy';
import {
  ExpressStorePackage,
  LegacyMode,
  LegacySessions,
  SessionApi,
  SessionAuthorizerFunction,
  SessionStack,
} from '../../lib';
import {
  express,
  legacyStatementsOf,
  OLD_TABLE_ARN,
  onKeys,
  SECRET_ARN,
  synthesizeFunction,
  variablesOfFunction,
  type World,
} from './older-systems';
import { createApp, createFunction, createStack, messagesOf, resourcesOf, statementsOf } from './synthesis';

const DESCRIPTION = 'Orders';

const signed = ({ stack }: World) => [
  LegacySessions.signedSession({ parameter: StringParameter.fromStringParameterName(stack, 'Signed', 'keys') }),
];

function synthesizeHandler(sessionsOf: (world: World) => LegacySessions[], connections = 1) {
  const { stack, authorizerFunction } = synthesizeFunction(sessionsOf, {
    legacyMode: LegacyMode.DRY_RUN,
    legacySharePercent: 12.5,
    legacyStartedAfter: new Date('2030-01-01T00:00:00Z'),
  });
  const handler = createFunction(stack, 'Orders', { description: DESCRIPTION });
  for (let count = 0; count < connections; count++) authorizerFunction.connectLegacy(handler);
  return stack;
}

function toldTo(stack: Stack) {
  return variablesOfFunction(stack, DESCRIPTION);
}

function variablesOf(stack: Stack): Record<string, string>[] {
  return Object.values(resourcesOf(stack, 'AWS::Lambda::Function')).map(
    ({ Properties }) => Properties.Environment?.Variables ?? {},
  );
}

test('a connected handler may read and end the older sessions, and read the keys, by statements of these names', () => {
  const stack = synthesizeHandler((world) => [
    ...express(world),
    LegacySessions.php({ table: world.table, userPath: 'user_id' }),
  ]);

  expect(legacyStatementsOf(stack, DESCRIPTION)).toEqual([
    {
      Sid: 'MoveInLegacySessions1',
      Effect: 'Allow',
      Action: ['dynamodb:DeleteItem', 'dynamodb:GetItem'],
      Resource: OLD_TABLE_ARN,
      Condition: onKeys('sess:*'),
    },
    { Sid: 'ReadLegacyKeys1', Effect: 'Allow', Action: ['secretsmanager:GetSecretValue'], Resource: SECRET_ARN },
    {
      Sid: 'MoveInLegacySessions2',
      Effect: 'Allow',
      Action: ['dynamodb:DeleteItem', 'dynamodb:GetItem'],
      Resource: OLD_TABLE_ARN,
      Condition: onKeys('PHPSESSID_*'),
    },
  ]);
});

test('what the template tells a handler is all that legacyFromEnvironment wants', () => {
  const stack = synthesizeHandler((world) => [
    LegacySessions.expressSession({
      table: world.table,
      storePackage: ExpressStorePackage.CONNECT_DYNAMODB,
      secret: Secret.fromSecretCompleteArn(world.stack, 'Secret', SECRET_ARN),
      sourceName: 'shop',
      cookieName: 'shop.sid',
      cookiePath: '/shop',
      cookieDomain: 'example.com',
      userPath: 'user.id',
      createdAtPath: 'user.since',
      csrfTokenPath: '_csrf',
      acceptUntil: new Date('2031-01-01T00:00:00Z'),
    }),
    ...signed(world),
  ]);

  const { sources, ...rest } = legacyFromEnvironment(toldTo(stack));
  expect(rest).toEqual({ mode: 'dryRun', sharePercent: 100, startedAfter: 1_893_456_000 });
  expect(sources).toEqual([
    expect.objectContaining({
      name: 'shop',
      cookieNames: ['shop.sid'],
      acceptUntil: 1_924_992_000,
      clearCookies: [expect.stringContaining('Path=/shop; Domain=example.com;')],
    }),
  ]);
});

describe('a handler that is connected to two authorizer functions', () => {
  function connectToBoth(
    sessionsOfOther: (world: World, one: LegacySessions[]) => LegacySessions[],
    mode?: LegacyMode,
  ) {
    let shared: LegacySessions[] = [];
    const { stack, sessionTable, authorizerFunction } = synthesizeFunction((world) => {
      shared = express(world);
      return shared;
    });
    const table = Table.fromTableArn(stack, 'OtherOld', OLD_TABLE_ARN);
    const other = new SessionAuthorizerFunction(stack, 'Other', {
      sessionTable,
      legacySessions: sessionsOfOther({ stack, table }, shared),
      ...(mode === undefined ? {} : { legacyMode: mode }),
    });
    const handler = createFunction(stack, 'Orders', { description: DESCRIPTION });
    authorizerFunction.connectLegacy(handler);
    other.connectLegacy(handler);
    return stack;
  }
  const php = ({ table }: World) => LegacySessions.php({ table, userPath: 'user_id' });

  test.each<[string, (world: World, one: LegacySessions[]) => LegacySessions[], LegacyMode | undefined]>([
    ['other sessions', (world) => [php(world)], undefined],
    ['more sessions', (world, one) => [...one, php(world)], undefined],
    ['another place of the same', (world, one) => [...signed(world), ...one], undefined],
    ['another mode', (_, one) => one, LegacyMode.OFF],
  ])('is refused with %s: the last variables would win', (_, sessionsOf, mode) => {
    expect(() => connectToBoth(sessionsOf, mode)).toThrow(
      'Stack/Orders is connected to the legacySessions of another authorizer function already; connect it to one',
    );
  });

  test('is as if it were connected to one with the same sessions', () => {
    expect(
      statementsOf(
        connectToBoth((_, one) => one),
        DESCRIPTION,
      ),
    ).toEqual(statementsOf(synthesizeHandler(express), DESCRIPTION));
  });
});

test('the session routes may be connected to move in, too: they are told the same', () => {
  const { stack, authorizerFunction, sessionTable } = synthesizeFunction(express);
  const sessionApi = new SessionApi(stack, 'SessionApi', { sessionTable, authorizerFunction });

  expect(() => authorizerFunction.connectLegacy(sessionApi.function)).not.toThrow();
});

describe('signed sessions that move in', () => {
  const moving = ({ stack }: World) => [
    LegacySessions.signedSession({
      secret: Secret.fromSecretCompleteArn(stack, 'Keys', SECRET_ARN),
      cookieName: '__Host-app',
      epoch: 'two',
      sourceName: 'app',
      movesIn: true,
    }),
  ];

  test('are handed on to a connected handler, which may read their keys', () => {
    const stack = synthesizeHandler(moving);

    const { sources } = legacyFromEnvironment(toldTo(stack));
    expect(sources).toEqual([expect.objectContaining({ name: 'app', cookieNames: ['__Host-app', '__Host-app.sig'] })]);
    expect(sources[0]?.isStateless).toBeUndefined();
    expect(legacyStatementsOf(stack, DESCRIPTION).map(({ Sid }) => Sid)).toEqual(['ReadLegacyKeys1']);
  });

  test('are known as such to all three functions', () => {
    const { stack, authorizerFunction, sessionTable } = synthesizeFunction(moving);
    new SessionApi(stack, 'SessionApi', { sessionTable, authorizerFunction });
    authorizerFunction.connectLegacy(createFunction(stack));

    const told = variablesOf(stack).map(({ SESSIONGATE_LEGACY }) => JSON.parse(stack.resolve(SESSIONGATE_LEGACY)));
    const source = { kind: 'signedSession', cookieName: '__Host-app', epoch: 'two', sourceName: 'app' };
    expect(told).toEqual(Array(3).fill({ sources: [{ ...source, isStateless: false, secretId: SECRET_ARN }] }));
  });

  test('need a name of their own, as what moved in is remembered under it', () => {
    expect(() => synthesizeFunction((world) => [...moving(world), ...namesake(world)])).toThrow('two are called app');
  });

  const namesake = ({ table }: World) => [LegacySessions.php({ table, userPath: 'user_id', sourceName: 'app' })];
});

test('connecting a handler twice changes nothing', () => {
  expect(statementsOf(synthesizeHandler(express, 2), DESCRIPTION)).toEqual(
    statementsOf(synthesizeHandler(express), DESCRIPTION),
  );
});

test('a key of its own decrypts the older table, and encrypts what is left of it', () => {
  const stack = synthesizeHandler(({ stack: scope }) => [
    LegacySessions.php({
      table: new Table(scope, 'Encrypted', {
        partitionKey: { name: 'id', type: AttributeType.STRING },
        encryption: TableEncryption.CUSTOMER_MANAGED,
      }),
      userPath: 'user_id',
    }),
  ]);

  expect(JSON.stringify(statementsOf(stack, DESCRIPTION))).toContain('kms:Encrypt');
});

test.each([
  [
    'an imported function',
    (stack: Stack) => LambdaFunction.fromFunctionName(stack, 'Imported', 'orders'),
    'connect the function where it is defined',
  ],
  ['an alias', (stack: Stack) => createFunction(stack).addAlias('live'), 'connect the function where it is defined'],
])('%s cannot be connected', (_, handlerIn, message) => {
  const { stack, authorizerFunction } = synthesizeFunction(express);

  expect(() => authorizerFunction.connectLegacy(handlerIn(stack))).toThrow(message);
});

test.each<[string, Duration | undefined, number]>([
  ["Lambda's default", undefined, 1],
  ['nine seconds', Duration.seconds(9), 1],
  ['ten seconds', Duration.seconds(10), 0],
])('a handler with a timeout of %s', (_, timeout, warnings) => {
  const { stack, authorizerFunction } = synthesizeFunction(express);
  authorizerFunction.connectLegacy(createFunction(stack, 'Orders', timeout === undefined ? {} : { timeout }));

  expect(messagesOf(stack, 'warning').filter((text) => text.includes('give it 10 while users move in'))).toHaveLength(
    warnings,
  );
});

test.each([
  ['no older systems', () => []],
  ['signed sessions only', signed],
])('with %s there is nothing to connect to', (_, sessionsOf: (world: World) => LegacySessions[]) => {
  expect(() => synthesizeHandler(sessionsOf)).toThrow('there are no legacySessions that move in');
});

test.each([
  [LegacyMode.ON, undefined],
  ['on', LegacyMode.ON],
  ['dryRun', LegacyMode.DRY_RUN],
  ['off', LegacyMode.OFF],
])('every function that knows older systems has the mode %s in a variable where legacyMode is %s', (expected, mode) => {
  const { stack, authorizerFunction, sessionTable } = synthesizeFunction(express, { legacyMode: mode });
  new SessionApi(stack, 'SessionApi', { sessionTable, authorizerFunction });
  authorizerFunction.connectLegacy(createFunction(stack));

  expect(variablesOf(stack).map(({ SESSIONGATE_LEGACY_MODE }) => SESSIONGATE_LEGACY_MODE)).toEqual(
    Array(3).fill(expected),
  );
});

test.each<[string | object, number | 'parameter' | undefined]>([
  ['100', undefined],
  ['0.5', 0.5],
  [{ Ref: 'Share' }, 'parameter'],
])('and the share %j where legacySharePercent is %p', (expected, given) => {
  const stack = createStack();
  const legacySharePercent =
    given === 'parameter' ? new CfnParameter(stack, 'Share', { type: 'Number' }).valueAsNumber : given;
  const { authorizerFunction, sessionTable } = synthesizeFunction(express, { legacySharePercent }, stack);
  new SessionApi(stack, 'SessionApi', { sessionTable, authorizerFunction });
  authorizerFunction.connectLegacy(createFunction(stack));

  expect(variablesOf(stack).map(({ SESSIONGATE_LEGACY_SHARE_PERCENT: share }) => share)).toEqual(
    Array(3).fill(expected),
  );
});

test('the stack passes the mode on', () => {
  const old = synthesizeFunction(() => []).stack;
  const stack = new SessionStack(createApp(), 'Sessions', {
    legacySessions: express({ stack: old, table: Table.fromTableArn(old, 'Old', OLD_TABLE_ARN) }),
    legacyMode: LegacyMode.OFF,
  });

  expect(variablesOf(stack).map(({ SESSIONGATE_LEGACY_MODE }) => SESSIONGATE_LEGACY_MODE)).toEqual(['off', 'off']);
});

test('functions that know no older systems have no mode', () => {
  const { stack, authorizerFunction, sessionTable } = synthesizeFunction(() => []);
  new SessionApi(stack, 'SessionApi', { sessionTable, authorizerFunction });

  for (const variables of variablesOf(stack)) expect(variables).not.toHaveProperty('SESSIONGATE_LEGACY_MODE');
});
