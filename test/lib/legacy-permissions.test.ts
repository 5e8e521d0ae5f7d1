// SPDX-License-Identifier: Apache-2.0
/** What the authorizer may do with the tables and keys of older systems: nothing but what it needs of them. */

import { CfnParameter } from 'aws-cdk-lib';
import { AttributeType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { ExpressStorePackage, LegacySessions } from '../../lib';
import {
  DESCRIPTION,
  express,
  legacyStatementsOf,
  onKeys,
  SECRET_ARN,
  synthesizeFunction,
  type World,
} from './older-systems';
import { createFunction, statementsOf } from './synthesis';

const KEY_ARN = 'arn:aws:kms:eu-central-1:123456789012:key/12345678-1234-1234-1234-123456789012';

const { CONNECT_DYNAMODB, DYNAMODB_STORE, PWRDRVR_DYNAMODB_SESSION_STORE } = ExpressStorePackage;

const expressWith = (storePackage: ExpressStorePackage, prefix?: string) => (world: World) =>
  LegacySessions.expressSession({
    table: world.table,
    storePackage,
    secret: Secret.fromSecretCompleteArn(world.stack, 'Secret', SECRET_ARN),
    ...(prefix === undefined ? {} : { prefix }),
  });
const php =
  (props: object = {}) =>
  ({ table }: World) =>
    LegacySessions.php({ table, userPath: 'user_id', ...props });
const parameter = ({ stack }: World) => new CfnParameter(stack, 'Prefix').valueAsString;

test.each<[string, unknown, (world: World) => LegacySessions]>([
  ['connect-dynamodb', 'sess:*', expressWith(CONNECT_DYNAMODB)],
  ['dynamodb-store', 'sess:*', expressWith(DYNAMODB_STORE)],
  ['@pwrdrvr/dynamodb-session-store', 'session#*', expressWith(PWRDRVR_DYNAMODB_SESSION_STORE)],
  ['a prefix of its own', 'shop:*', expressWith(CONNECT_DYNAMODB, 'shop:')],
  ['a prefix with wildcards', `\${*}a\${?}b\${$}c*`, expressWith(CONNECT_DYNAMODB, '*a?b$c')],
  [
    'a prefix that the deployment knows',
    { 'Fn::Join': ['', [{ Ref: 'Prefix' }, '*']] },
    (world) => expressWith(CONNECT_DYNAMODB, parameter(world))(world),
  ],
  ['PHP', 'PHPSESSID_*', php()],
  ['PHP with a cookie of its own', 'shop_*', php({ cookieName: 'shop' })],
  ['PHP with a session name of its own', 'app_*', php({ cookieName: 'shop', sessionName: 'app' })],
])('of the table of %s it may read the keys that begin with %j', (_, expected, sessionsOf) => {
  const { stack } = synthesizeFunction((world) => [sessionsOf(world)]);

  const statement = statementsOf(stack, DESCRIPTION).find(({ Sid }) => Sid === 'ReadLegacyTable1');
  expect(statement?.Condition).toEqual(onKeys(expected));
});

test('of a table whose keys begin with anything it may read all', () => {
  const { stack } = synthesizeFunction((world) => [expressWith(CONNECT_DYNAMODB, '')(world)]);

  const statement = statementsOf(stack, DESCRIPTION).find(({ Sid }) => Sid === 'ReadLegacyTable1');
  expect(statement).not.toHaveProperty('Condition');
});

test('several older systems each have statements of their own', () => {
  const { stack } = synthesizeFunction((world) => [
    ...express(world),
    LegacySessions.php({ table: world.table, userPath: 'user_id' }),
  ]);

  expect(statementsOf(stack, DESCRIPTION).flatMap(({ Sid }) => Sid ?? [])).toEqual([
    'ReadLegacyClaims',
    'ReadUsers',
    'ReadLegacyTable1',
    'ReadLegacyKeys1',
    'ReadLegacyTable2',
  ]);
});

test('keys of their own decrypt the older table and the secret', () => {
  const { stack } = synthesizeFunction(({ stack: scope }) => [
    LegacySessions.expressSession({
      table: new Table(scope, 'Encrypted', {
        partitionKey: { name: 'id', type: AttributeType.STRING },
        encryption: TableEncryption.CUSTOMER_MANAGED,
      }),
      storePackage: CONNECT_DYNAMODB,
      secret: new Secret(scope, 'OwnSecret', { encryptionKey: new Key(scope, 'Key') }),
    }),
  ]);

  const onKms = statementsOf(stack, DESCRIPTION).filter(({ Action }) => Action.some((name) => name.startsWith('kms:')));
  expect(JSON.stringify(onKms).match(/GetAtt/g)?.length).toBe(2);
  // It reads, and writes nothing there.
  expect(new Set(onKms.flatMap(({ Action }) => Action))).toEqual(new Set(['kms:Decrypt']));
});

test('a key of its own decrypts a parameter', () => {
  const { stack } = synthesizeFunction(({ stack: scope, table }) => [
    LegacySessions.expressSession({
      table,
      storePackage: CONNECT_DYNAMODB,
      parameter: StringParameter.fromSecureStringParameterAttributes(scope, 'Secure', {
        parameterName: '/old/keys',
        encryptionKey: Key.fromKeyArn(scope, 'Key', KEY_ARN),
      }),
    }),
  ]);

  expect(statementsOf(stack, DESCRIPTION)).toContainEqual({
    Effect: 'Allow',
    Action: ['kms:Decrypt'],
    Resource: KEY_ARN,
  });
});

test('a handler in which sessions move in may not read the keys of those that stay in their cookies', () => {
  const { stack, authorizerFunction } = synthesizeFunction((world) => [
    LegacySessions.signedSession({ secret: Secret.fromSecretNameV2(world.stack, 'Signing', 'signing') }),
    ...express(world),
  ]);
  authorizerFunction.connectLegacy(createFunction(stack, 'Orders', { description: 'Orders' }));

  expect(legacyStatementsOf(stack, 'Orders').map(({ Sid }) => Sid)).toEqual([
    'MoveInLegacySessions2',
    'ReadLegacyKeys2',
  ]);
});

test('a secret known by its name only is readable under the ARN that it has', () => {
  const { stack } = synthesizeFunction(({ stack: scope, table }) => [
    LegacySessions.expressSession({
      table,
      storePackage: CONNECT_DYNAMODB,
      secret: Secret.fromSecretNameV2(scope, 'Named', 'express'),
    }),
  ]);

  const statement = statementsOf(stack, DESCRIPTION).find(({ Sid }) => Sid === 'ReadLegacyKeys1');
  expect(JSON.stringify(statement?.Resource)).toContain(':secret:express-??????');
});
