// SPDX-License-Identifier: Apache-2.0
/** SessionTable.fromSessionTableAttributes: sessions in a table that is defined elsewhere. */
import { Duration, Fn } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SessionAuthorizerFunction, SessionTable, type SessionTableAttributes } from '../../lib';
import { textOf } from './attaching';
import { createFunction, createStack, messagesOf, onlyResource, resourcesOf, statementsOf } from './synthesis';

const TABLE_ARN = 'arn:aws:dynamodb:eu-west-1:111122223333:table/application';

function importTable(attributes: SessionTableAttributes, stack = createStack()) {
  return { stack, sessionTable: SessionTable.fromSessionTableAttributes(stack, 'Sessions', attributes) };
}

test('makes no table', () => {
  const { stack } = importTable({ tableName: 'application' });

  expect(resourcesOf(stack, 'AWS::DynamoDB::GlobalTable')).toEqual({});
  expect(resourcesOf(stack, 'AWS::DynamoDB::Table')).toEqual({});
});

test('is known by its name, in this account and region', () => {
  const { stack, sessionTable } = importTable({ tableName: 'application' });

  expect(textOf(stack.resolve(sessionTable.tableArn))).toBe(
    'arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table/application',
  );
});

test('is known by its ARN, also one that is only known at deployment', () => {
  expect(importTable({ tableArn: TABLE_ARN }).sessionTable.tableName).toBe('application');

  const { stack, sessionTable } = importTable({ tableArn: Fn.importValue('TableArn') });
  expect(JSON.stringify(stack.resolve(sessionTable.tableName))).toContain('TableArn');
});

test('carries its own key names and settings to the functions, and the permissions on the one table', () => {
  const { stack, sessionTable } = importTable({
    tableArn: TABLE_ARN,
    partitionKeyName: 'pk',
    sortKeyName: 'sk',
    timeToLiveAttribute: 'ttl',
    idleTimeout: Duration.hours(1),
  });
  sessionTable.connect(createFunction(stack));
  new SessionAuthorizerFunction(stack, 'AuthorizerFunction', { sessionTable });

  for (const { Properties } of Object.values(resourcesOf(stack, 'AWS::Lambda::Function'))) {
    expect(Properties.Environment.Variables.SESSIONGATE_TABLE_NAME).toBe('application');
    expect(JSON.parse(Properties.Environment.Variables.SESSIONGATE_SETTINGS)).toMatchObject({
      attributeNames: { partitionKey: 'pk', sortKey: 'sk', expiresAt: 'ttl' },
      idleTimeoutSeconds: 3600,
    });
  }
  const onTable = statementsOf(stack, 'Verifies the session cookie of an API request').slice(1);
  expect(onTable).toEqual([
    expect.objectContaining({ Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'], Resource: TABLE_ARN }),
  ]);
});

test('lets functions use the key that encrypts it', () => {
  const stack = createStack();
  const { sessionTable } = importTable({ tableArn: TABLE_ARN, encryptionKey: new Key(stack, 'Key') }, stack);
  new SessionAuthorizerFunction(stack, 'AuthorizerFunction', { sessionTable });

  const actions = statementsOf(stack, 'Verifies the session cookie of an API request').flatMap(({ Action }) => Action);
  expect(actions).toContain('kms:Decrypt');
  expect(actions).not.toContain('kms:Encrypt');
  expect(onlyResource(stack, 'AWS::Lambda::Function')).toBeDefined();
});

test.each<[string, SessionTableAttributes, RegExp]>([
  ['neither name nor ARN', {}, /tableName or by tableArn; give one of the two/],
  ['both', { tableName: 'application', tableArn: TABLE_ARN }, /give one of the two/],
  ['an ARN of something else', { tableArn: 'arn:aws:s3:::bucket' }, /^tableArn must be arn:<partition>:dynamodb/],
  ['wrong settings', { tableName: 'application', csrf: 'on' }, /^csrf must be/],
])('refuses %s', (_name, attributes, message) => {
  expect(() => importTable(attributes)).toThrow(message);
});

test('warns of a cookie name without the prefix, as the table itself does', () => {
  const { stack } = importTable({ tableName: 'application', cookieName: 'session' });

  expect(messagesOf(stack, 'warning')).toHaveLength(1);
});
