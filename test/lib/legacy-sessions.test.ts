// SPDX-License-Identifier: Apache-2.0
/** What an authorizer with older systems puts into the template: one named statement for each thing it needs. */
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import {
  CookieSignatureAlgorithm,
  ExpressStorePackage,
  HttpSessionAuthorizer,
  LegacySessions,
  PhpSessionFormat,
  RestSessionAuthorizer,
  SessionApi,
  SessionAuthorizerFunction,
  SessionStack,
  SessionTable,
  WebSocketSessionAuthorizer,
} from '../../lib';
import {
  DESCRIPTION,
  express,
  legacyOf,
  OLD_TABLE_ARN,
  onKeys,
  SECRET_ARN,
  sourcesOf,
  synthesizeFunction,
  type World,
} from './older-systems';
import { createApp, createStack, messagesOf, onlyResource, resourcesOf, statementsOf } from './synthesis';

const { CONNECT_DYNAMODB } = ExpressStorePackage;

test('an authorizer without older systems stays the first asset, and is told nothing of them', () => {
  const one = synthesizeFunction(() => []).stack;
  const other = synthesizeFunction(express).stack;

  const variables = onlyResource(one, 'AWS::Lambda::Function').Environment.Variables;
  expect(variables).not.toHaveProperty('SESSIONGATE_LEGACY');
  expect(onlyResource(one, 'AWS::Lambda::Function').Code).not.toEqual(
    onlyResource(other, 'AWS::Lambda::Function').Code,
  );
  expect(statementsOf(one, DESCRIPTION)).toHaveLength(2);
});

test('an express-session table needs to be read by key, and its secret to be read', () => {
  const { stack } = synthesizeFunction(express);

  const sessionTable = { 'Fn::GetAtt': [Object.keys(resourcesOf(stack, 'AWS::DynamoDB::GlobalTable'))[0], 'Arn'] };
  const read = { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource: sessionTable };
  expect(statementsOf(stack, DESCRIPTION).slice(1)).toEqual([
    { ...read, Condition: onKeys('S#*') },
    { ...read, Sid: 'ReadLegacyClaims', Condition: onKeys('SL#*') },
    { ...read, Sid: 'ReadUsers', Condition: onKeys('SU#*') },
    { ...read, Sid: 'ReadLegacyTable1', Resource: OLD_TABLE_ARN, Condition: onKeys('sess:*') },
    {
      Sid: 'ReadLegacyKeys1',
      Effect: 'Allow',
      Action: ['secretsmanager:GetSecretValue'],
      Resource: SECRET_ARN,
    },
  ]);
  expect(sourcesOf(stack)).toEqual([
    {
      kind: 'expressSession',
      package: 'connect-dynamodb',
      tableName: 'old-sessions',
      secretId: SECRET_ARN,
    },
  ]);
});

test('cookie-session needs its keys and no table', () => {
  const { stack } = synthesizeFunction(({ stack: scope }) => [
    LegacySessions.cookieSession({
      parameter: StringParameter.fromSecureStringParameterAttributes(scope, 'Keys', { parameterName: '/old/keys' }),
      algorithm: CookieSignatureAlgorithm.SHA256,
      loginIdPath: 'login.id',
      acceptUntil: new Date('2030-01-01T00:00:00Z'),
    }),
  ]);

  const statements = statementsOf(stack, DESCRIPTION).filter(({ Sid }) => Sid?.endsWith('1'));
  expect(statements).toEqual([
    {
      Sid: 'ReadLegacyKeys1',
      Effect: 'Allow',
      Action: ['ssm:GetParameter'],
      Resource: expect.anything(),
    },
  ]);
  expect(JSON.stringify(statements)).toContain('parameter/old/keys');
  expect(sourcesOf(stack)).toEqual([
    {
      kind: 'cookieSession',
      algorithm: 'sha256',
      loginIdPath: 'login.id',
      acceptUntil: 1_893_456_000,
      parameterName: '/old/keys',
    },
  ]);
});

test('signed sessions need their keys and nothing else', () => {
  const { stack } = synthesizeFunction(({ stack: scope }) => [
    LegacySessions.signedSession({
      secret: Secret.fromSecretCompleteArn(scope, 'Keys', SECRET_ARN),
      cookieName: '__Host-app',
      epoch: 'two',
    }),
  ]);

  expect(statementsOf(stack, DESCRIPTION).filter(({ Sid }) => Sid?.endsWith('1'))).toEqual([
    { Sid: 'ReadLegacyKeys1', Effect: 'Allow', Action: ['secretsmanager:GetSecretValue'], Resource: SECRET_ARN },
  ]);
  expect(sourcesOf(stack)).toEqual([
    { kind: 'signedSession', cookieName: '__Host-app', epoch: 'two', secretId: SECRET_ARN },
  ]);
});

test("PHP's table is read with the names of its attributes", () => {
  const { stack } = synthesizeFunction(({ table }) => [
    LegacySessions.php({
      table,
      userPath: 'Auth.User.id',
      format: PhpSessionFormat.PHP_SERIALIZE,
      hashKey: 'sid',
    }),
  ]);

  expect(sourcesOf(stack)).toEqual([
    {
      kind: 'php',
      userPath: 'Auth.User.id',
      format: 'php_serialize',
      attributeNames: { hashKey: 'sid' },
      tableName: 'old-sessions',
    },
  ]);
  expect(statementsOf(stack, DESCRIPTION).map(({ Sid }) => Sid)).toContain('ReadLegacyTable1');
});

test.each([
  ['neither a secret nor a parameter', {}],
  ['both', { secret: true, parameter: true }],
])('%s is refused', (_, { secret, parameter }: { secret?: boolean; parameter?: boolean }) => {
  expect(() =>
    synthesizeFunction(({ stack, table }) => [
      LegacySessions.expressSession({
        table,
        storePackage: CONNECT_DYNAMODB,
        ...(secret ? { secret: Secret.fromSecretNameV2(stack, 'S', 'express') } : {}),
        ...(parameter ? { parameter: StringParameter.fromStringParameterName(stack, 'P', '/old/keys') } : {}),
      }),
    ]),
  ).toThrow('give one of the two');
});

test('a line for all older sessions is passed on in seconds', () => {
  const { stack } = synthesizeFunction(express, { legacyStartedAfter: new Date('2030-01-01T00:00:00Z') });

  expect(legacyOf(stack).startedAfter).toBe(1_893_456_000);
});

test('a user record comes with a warning: it is not read for older sessions', () => {
  const stack = createStack();
  const sessionTable = new SessionTable(stack, 'Sessions', { userRecordAttribute: 'sessions_valid_after' });
  const table = Table.fromTableArn(stack, 'OldSessions', OLD_TABLE_ARN);
  new SessionAuthorizerFunction(stack, 'AuthorizerFunction', {
    sessionTable,
    legacySessions: express({ stack, table }),
  });

  expect(messagesOf(stack, 'warning').join()).toContain('userRecordAttribute is not read for legacySessions');
});

test('all three kinds of APIs can be put behind it', () => {
  const { stack, authorizerFunction } = synthesizeFunction(express);
  const restApi = RestApi.fromRestApiId(stack, 'RestApi', 'rest');
  const httpApi = HttpApi.fromHttpApiAttributes(stack, 'HttpApi', { httpApiId: 'http' });
  const webSocketApi = WebSocketApi.fromWebSocketApiAttributes(stack, 'WebSocketApi', { webSocketId: 'socket' });
  new RestSessionAuthorizer(stack, 'Rest', { authorizerFunction, restApi });
  new HttpSessionAuthorizer(stack, 'Http', { authorizerFunction, httpApi });
  new WebSocketSessionAuthorizer(stack, 'WebSocket', { authorizerFunction, webSocketApi });

  expect(Object.keys(resourcesOf(stack, 'AWS::Lambda::Function'))).toHaveLength(1);
});

describe('the session routes of an API whose authorizer admits older sessions', () => {
  const ROUTES = 'Answers /session and /sessions';

  function synthesizeApi(sessionsOf: (world: World) => LegacySessions[]) {
    const { stack, authorizerFunction, sessionTable } = synthesizeFunction(sessionsOf);
    const sessionApi = new SessionApi(stack, 'SessionApi', { sessionTable, authorizerFunction });
    const functions = Object.values(resourcesOf(stack, 'AWS::Lambda::Function')).map(({ Properties }) => Properties);
    const variables = functions.find(({ Description }) => Description === ROUTES)?.Environment.Variables;
    return { stack, sessionApi, legacy: variables.SESSIONGATE_LEGACY };
  }

  test('end them at logout, and are allowed to do no more than that', () => {
    const { stack, legacy } = synthesizeApi(express);

    expect(statementsOf(stack, ROUTES).filter(({ Sid }) => Sid !== undefined)).toEqual([
      {
        Sid: 'EndLegacySessions1',
        Effect: 'Allow',
        Action: ['dynamodb:DeleteItem'],
        Resource: OLD_TABLE_ARN,
        Condition: onKeys('sess:*'),
      },
      { Sid: 'ReadLegacyKeys1', Effect: 'Allow', Action: ['secretsmanager:GetSecretValue'], Resource: SECRET_ARN },
    ]);
    expect(JSON.parse(legacy)).toEqual({
      sources: [
        { kind: 'expressSession', package: 'connect-dynamodb', tableName: 'old-sessions', secretId: SECRET_ARN },
      ],
    });
  });

  test('read what nothing signed before they end it', () => {
    const { stack } = synthesizeApi(({ table }) => [LegacySessions.php({ table, userPath: 'user' })]);

    expect(statementsOf(stack, ROUTES).filter(({ Sid }) => Sid !== undefined)).toEqual([
      {
        Sid: 'EndLegacySessions1',
        Effect: 'Allow',
        Action: ['dynamodb:DeleteItem', 'dynamodb:GetItem'],
        Resource: OLD_TABLE_ARN,
        Condition: onKeys('PHPSESSID_*'),
      },
    ]);
  });

  test.each([
    [false, []],
    [true, ['ReadLegacyKeys1']],
  ])('read the keys of signed sessions only where those move in: %p', (movesIn, expected) => {
    const { stack } = synthesizeApi(({ stack: scope }) => [
      LegacySessions.signedSession({ secret: Secret.fromSecretCompleteArn(scope, 'Keys', SECRET_ARN), movesIn }),
    ]);

    expect(statementsOf(stack, ROUTES).flatMap(({ Sid }) => Sid ?? [])).toEqual(expected);
  });

  test('know nothing of older systems where there are none', () => {
    const { stack, legacy } = synthesizeApi(() => []);

    expect(legacy).toBeUndefined();
    expect(statementsOf(stack, ROUTES).filter(({ Sid }) => Sid !== undefined)).toEqual([]);
  });

  test('are told by the stack, too', () => {
    const app = createApp();
    const stack = new SessionStack(app, 'Sessions', {
      legacySessions: [
        LegacySessions.signedSession({
          parameter: StringParameter.fromStringParameterName(createStack(), 'Keys', 'keys'),
        }),
      ],
      legacyStartedAfter: new Date(1_800_000_000_000),
    });

    const told = Object.values(resourcesOf(stack, 'AWS::Lambda::Function'))
      .map(({ Properties }) => Properties.Environment.Variables.SESSIONGATE_LEGACY)
      .map((legacy) => JSON.parse(legacy));
    const sources = [{ kind: 'signedSession', parameterName: 'keys' }];
    expect(told).toEqual(Array(2).fill({ sources, startedAfter: 1_800_000_000 }));
  });
});
