// SPDX-License-Identifier: Apache-2.0
/** What a compiler says of the props of older systems, synthesis says too: not everybody has one. */
import type { Stack } from 'aws-cdk-lib';
import { AttributeType, type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import {
  CookieSignatureAlgorithm,
  ExpressStorePackage,
  type ISessionTable,
  LegacySessions,
  PhpSessionFormat,
  SessionAuthorizerFunction,
  SessionTable,
} from '../../lib';
import { createStack } from './synthesis';

const stack = createStack();
const table = Table.fromTableName(stack, 'Old', 'old-sessions');
const secret = Secret.fromSecretNameV2(stack, 'Keys', 'keys');
const parameter = StringParameter.fromStringParameterName(stack, 'Parameter', 'keys');
const acceptUntil = new Date('2040-01-01T00:00:00Z');

const KINDS = {
  expressSession: { table, storePackage: ExpressStorePackage.CONNECT_DYNAMODB, secret },
  cookieSession: { parameter, acceptUntil, algorithm: CookieSignatureAlgorithm.SHA256 },
  signedSession: { secret, movesIn: true },
  php: { table, userPath: 'user_id', format: PhpSessionFormat.PHP },
} as const;

test.each<[keyof typeof KINDS, object, string]>([
  [
    'expressSession',
    { storePackage: 'connect-redis' },
    'storePackage must be one of connect-dynamodb, dynamodb-store, @pwrdrvr/dynamodb-session-store, got connect-redis; ' +
      'pass one of ExpressStorePackage',
  ],
  ['expressSession', { storePackage: undefined }, 'storePackage must be one of connect-dynamodb'],
  ['expressSession', { storePackge: 'dynamodb-store' }, 'storePackge must be one of the options: table, storePackage,'],
  ['expressSession', { tableName: 'old' }, 'tableName must be one of the options (the table is table, such as'],
  [
    'expressSession',
    { table: 'old-sessions' },
    "table must be a table of aws-cdk-lib, got a value of type string; pass Table.fromTableName(this, 'OldSessions', 'name')",
  ],
  ['expressSession', { table: undefined }, 'table must be a table of aws-cdk-lib, got nothing'],
  [
    'expressSession',
    { secret: 'text' },
    'secret must be a secret of aws-cdk-lib, got a value of type string; pass Secret.fromSecretNameV2',
  ],
  ['expressSession', { secret: parameter }, 'secret must be a secret of aws-cdk-lib, got a value of type object'],
  ['expressSession', { prefix: 7 }, 'prefix must be text, got a value of type number'],
  ['cookieSession', { algorithm: 'sha512' }, 'algorithm must be one of sha1, sha256, got sha512'],
  ['cookieSession', { keys: ['a'] }, 'keys must be one of the options (the keys are in secret or in parameter)'],
  ['cookieSession', { parameter: '/keys' }, 'parameter must be a parameter of aws-cdk-lib, got a value of type string'],
  ['signedSession', { moveIn: true }, 'moveIn must be one of the options: secret, parameter, movesIn'],
  ['signedSession', { movesIn: 'yes' }, 'movesIn must be true or false, got a value of type string'],
  ['php', { format: 'json' }, 'format must be one of php, php_serialize, php_binary, got json'],
  ['php', { secret }, 'secret must be one of the options: table,'],
  ['php', { dataAttribute: 1 }, 'dataAttribute must be text, got a value of type number'],
])('%s is refused with %p', (kind, props, message) => {
  expect(() => LegacySessions[kind]({ ...KINDS[kind], ...props } as never)).toThrow(message);
});

test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('%s is taken with what it wants', (kind) => {
  expect(() => LegacySessions[kind](KINDS[kind] as never)).not.toThrow();
});

test('a secret that was given as text is not told', () => {
  const given = () => LegacySessions.signedSession({ secret: 'hunter2' as never });

  expect(given).toThrow(/^(?!.*hunter2)/);
});

describe('a table of older sessions', () => {
  const keyOnly = { partitionKey: { name: 'id', type: AttributeType.STRING } };
  const own = (scope: Stack, tableName?: string) => new SessionTable(scope, 'Sessions', { tableName });
  const imported = (scope: Stack, tableName: string) =>
    SessionTable.fromSessionTableAttributes(scope, 'Sessions', { tableName });

  function admit(tablesIn: (scope: Stack) => [ISessionTable, ITable]) {
    const scope = createStack();
    const [sessionTable, old] = tablesIn(scope);
    return new SessionAuthorizerFunction(scope, 'Authorizer', {
      sessionTable,
      legacySessions: [LegacySessions.php({ table: old, userPath: 'user_id' })],
    });
  }

  test.each<[string, (scope: Stack) => [ISessionTable, ITable]]>([
    [
      'the same construct',
      (scope) => {
        const sessions = own(scope);
        return [sessions, sessions.table];
      },
    ],
    [
      'an import of it',
      (scope) => {
        const sessions = own(scope);
        return [sessions, Table.fromTableName(scope, 'Old', sessions.tableName)];
      },
    ],
    ['one of its name', (scope) => [own(scope, 'app'), Table.fromTableName(scope, 'Old', 'app')]],
    [
      'one created with its name',
      (scope) => [imported(scope, 'app'), new Table(scope, 'Old', { ...keyOnly, tableName: 'app' })],
    ],
    ['both known by one name', (scope) => [imported(scope, 'app'), Table.fromTableName(scope, 'Old', 'app')]],
  ])('is refused as that of the sessions: %s', (_, tablesIn) => {
    expect(() => admit(tablesIn)).toThrow(
      /^table of php must be the one that the older system keeps .* SessionTable Stack\/Sessions; give the sessions a table of their own$/,
    );
  });

  test.each<[string, (scope: Stack) => [ISessionTable, ITable]]>([
    ['another name', (scope) => [own(scope, 'app'), Table.fromTableName(scope, 'Old', 'old')]],
    ['no name yet', (scope) => [own(scope), new Table(scope, 'Old', keyOnly)]],
    [
      'an ARN',
      (scope) => [
        imported(scope, 'app'),
        Table.fromTableArn(scope, 'Old', 'arn:aws:dynamodb:eu-west-1:111122223333:table/old'),
      ],
    ],
  ])('is taken with %s', (_, tablesIn) => {
    expect(() => admit(tablesIn)).not.toThrow();
  });
});
