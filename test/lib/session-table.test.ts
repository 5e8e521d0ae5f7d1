// SPDX-License-Identifier: Apache-2.0
/** What SessionTable puts into the template. */
import { Aws, CfnParameter, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Alias, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SessionTable, type SessionTableProps } from '../../lib';
import { createFunction, createStack, messagesOf, onlyResource, resourcesOf } from './synthesis';

const TABLE = 'AWS::DynamoDB::GlobalTable';

function synthesizeTable(props: SessionTableProps = {}) {
  const stack = createStack();
  const sessionTable = new SessionTable(stack, 'Sessions', props);
  return { stack, sessionTable, table: onlyResource(stack, TABLE) };
}

describe('the table', () => {
  test('has the two string keys of the items', () => {
    const { table } = synthesizeTable();

    expect(table.KeySchema).toEqual([
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ]);
    expect(table.AttributeDefinitions).toEqual([
      { AttributeName: 'PK', AttributeType: 'S' },
      { AttributeName: 'SK', AttributeType: 'S' },
    ]);
  });

  test('takes other names for the keys and the time to live, and tells them to the functions', () => {
    const { table, sessionTable } = synthesizeTable({
      partitionKeyName: 'pk',
      sortKeyName: 'sk',
      timeToLiveAttribute: 'ttl',
    });

    expect(table.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(table.TimeToLiveSpecification).toEqual({ AttributeName: 'ttl', Enabled: true });
    expect(sessionTable.settings.attributeNames).toEqual({ partitionKey: 'pk', sortKey: 'sk', expiresAt: 'ttl' });
  });

  test('removes ended sessions by the attribute that the store writes', () => {
    const { table, sessionTable } = synthesizeTable();

    expect(table.TimeToLiveSpecification).toEqual({
      AttributeName: sessionTable.settings.attributeNames.expiresAt,
      Enabled: true,
    });
    expect(table.TimeToLiveSpecification.AttributeName).toBe('expires_at');
  });

  test('survives the stack, refuses deletion, keeps backups, has one region and no index', () => {
    const { stack, table } = synthesizeTable();

    const [resource] = Object.values(resourcesOf(stack, TABLE));
    expect(resource).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(table.Replicas).toEqual([
      {
        Region: { Ref: 'AWS::Region' },
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    ]);
    expect(table.GlobalSecondaryIndexes).toBeUndefined();
    expect(table.LocalSecondaryIndexes).toBeUndefined();
  });

  test('can be made to go with its stack', () => {
    const { stack, table } = synthesizeTable({ removalPolicy: RemovalPolicy.DESTROY, deletionProtection: false });

    expect(Object.values(resourcesOf(stack, TABLE))[0]).toMatchObject({ DeletionPolicy: 'Delete' });
    expect(table.Replicas[0].DeletionProtectionEnabled).toBe(false);
  });

  test('is billed on demand, without a ceiling unless one is given', () => {
    const { table } = synthesizeTable();

    expect(table.BillingMode).toBe('PAY_PER_REQUEST');
    expect(table.WriteOnDemandThroughputSettings).toBeUndefined();
    expect(table.Replicas[0].ReadOnDemandThroughputSettings).toBeUndefined();
  });

  test('takes a ceiling for reads and writes', () => {
    const { table } = synthesizeTable({ maxReadRequestUnits: 500, maxWriteRequestUnits: 50 });

    expect(table.WriteOnDemandThroughputSettings).toEqual({ MaxWriteRequestUnits: 50 });
    expect(table.Replicas[0].ReadOnDemandThroughputSettings).toEqual({ MaxReadRequestUnits: 500 });
  });

  test("is encrypted with DynamoDB's own key, or with yours, which connected functions may then use", () => {
    expect(synthesizeTable().table.SSESpecification).toBeUndefined();

    const stack = createStack({ env: { account: '111122223333', region: 'eu-west-1' } });
    const sessionTable = new SessionTable(stack, 'Sessions', { encryptionKey: new Key(stack, 'Key') });
    sessionTable.connect(createFunction(stack));

    const table = onlyResource(stack, TABLE);
    expect(table.SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
    const actions = Object.values(resourcesOf(stack, 'AWS::IAM::Policy'))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .flatMap(({ Action }) => Action);
    expect(actions).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt']));
  });
});

test('refuses a key in a stack whose region is not known, where it cannot be written into the template', () => {
  const stack = createStack();
  const encryptionKey = new Key(stack, 'Key');

  expect(() => new SessionTable(stack, 'Sessions', { encryptionKey })).toThrow(
    /^encryptionKey needs a stack with a known/,
  );
});

describe('connect', () => {
  function connected(props: SessionTableProps = {}) {
    const stack = createStack();
    const sessionTable = new SessionTable(stack, 'Sessions', props);
    sessionTable.connect(createFunction(stack));
    return { stack, sessionTable };
  }

  test('gives the environment variables by which createSessions() finds the table and its settings', () => {
    const { stack, sessionTable } = connected({ idleTimeout: Duration.hours(2), epoch: 'v2' });

    const { SESSIONGATE_TABLE_NAME, SESSIONGATE_SETTINGS, ...others } = onlyResource(stack, 'AWS::Lambda::Function')
      .Environment.Variables;
    expect(SESSIONGATE_TABLE_NAME).toEqual({ Ref: Object.keys(resourcesOf(stack, TABLE))[0] });
    expect(JSON.parse(SESSIONGATE_SETTINGS)).toEqual(sessionTable.settings);
    expect(JSON.parse(SESSIONGATE_SETTINGS)).toMatchObject({ idleTimeoutSeconds: 7200, epoch: 'v2' });
    expect(others).toEqual({});
  });

  test('allows six actions on the table alone: no scan, no index, no wildcard', () => {
    const { stack } = connected();

    const statements = onlyResource(stack, 'AWS::IAM::Policy').PolicyDocument.Statement;
    expect(statements).toEqual([
      {
        Effect: 'Allow',
        Action: [
          'dynamodb:BatchGetItem',
          'dynamodb:DeleteItem',
          'dynamodb:GetItem',
          'dynamodb:PutItem',
          'dynamodb:Query',
          'dynamodb:UpdateItem',
        ],
        Resource: { 'Fn::GetAtt': [Object.keys(resourcesOf(stack, TABLE))[0], 'Arn'] },
      },
    ]);
  });

  test('passes a value that is only known at deployment on to the functions', () => {
    const stack = createStack();
    const epoch = new CfnParameter(stack, 'Epoch');
    const sessionTable = new SessionTable(stack, 'Sessions', {
      epoch: epoch.valueAsString,
      allowedOrigins: [`https://app.${Aws.URL_SUFFIX}`],
    });
    sessionTable.connect(createFunction(stack));

    const settings = onlyResource(stack, 'AWS::Lambda::Function').Environment.Variables.SESSIONGATE_SETTINGS;
    expect(JSON.stringify(settings)).toContain('{"Ref":"Epoch"}');
    expect(JSON.stringify(settings)).toContain('{"Ref":"AWS::URLSuffix"}');
  });

  test.each([
    [
      'an imported function',
      (stack: ReturnType<typeof createStack>) =>
        LambdaFunction.fromFunctionArn(stack, 'Imported', 'arn:aws:lambda:eu-west-1:111122223333:function:login'),
    ],
    [
      'an alias',
      (stack: ReturnType<typeof createStack>) =>
        new Alias(stack, 'Live', { aliasName: 'live', version: createFunction(stack).currentVersion }),
    ],
  ])('refuses %s, whose environment it cannot change', (_name, handlerOf) => {
    const stack = createStack();
    const sessionTable = new SessionTable(stack, 'Sessions');

    expect(() => sessionTable.connect(handlerOf(stack))).toThrow(/cannot connect .*; connect the function where it is/);
  });
});

describe('settings at synthesis', () => {
  test.each<[string, SessionTableProps, RegExp]>([
    ['an absolute timeout of zero', { absoluteTimeout: Duration.seconds(0) }, /^absoluteTimeout must .* got 0$/],
    [
      'an absolute timeout above 400 days',
      { absoluteTimeout: Duration.days(401) },
      /^absoluteTimeout must .* 400 days/,
    ],
    ['a timeout of part of a second', { absoluteTimeout: Duration.millis(1500) }, /^absoluteTimeout must be a whole/],
    [
      'an idle timeout above the absolute one',
      { absoluteTimeout: Duration.days(1), idleTimeout: Duration.days(2) },
      /^idleTimeout must .* the absolute timeout/,
    ],
    [
      'a renewal interval without an idle timeout',
      { renewalInterval: Duration.minutes(1) },
      /^renewalInterval must come with idleTimeout$/,
    ],
    [
      'a number for a timeout',
      { absoluteTimeout: 86_400 as never },
      /^absoluteTimeout must be a Duration, got a number; pass Duration.seconds\(86400\) of aws-cdk-lib$/,
    ],
    ['text for a timeout', { idleTimeout: '1h' as never }, /^idleTimeout must be a Duration, got a string; pass/],
    ['a timeout that is a token', { idleTimeout: tokenDuration() }, /^idleTimeout must be known/],
    ['a wildcard origin', { allowedOrigins: ['*'] }, /^allowedOrigins must name each origin in full, no wildcard$/],
    ['an origin with a path', { allowedOrigins: ['https://app.example.com/'] }, /^allowedOrigins must hold origins/],
    ['an unknown CSRF profile', { csrf: 'on' }, /^csrf must be compatible, strict or off$/],
    ['a key attribute that sessions use', { partitionKeyName: 'user' }, /^partitionKeyName must not be/],
    ['two names that are one', { sortKeyName: 'PK' }, /^partitionKeyName, sortKeyName and timeToLiveAttribute must/],
    ['a cookie name with a misspelt prefix', { cookieName: '__host-session' }, /^cookieName must spell its prefix/],
    ['an epoch with a separator', { epoch: 'a#b' }, /^epoch must/],
    ['insecureLocalhost', { insecureLocalhost: true } as never, /^insecureLocalhost cannot be deployed/],
  ])('refuses %s in the words of the prop', (_name, props, message) => {
    expect(() => new SessionTable(createStack(), 'Sessions', props)).toThrow(message);
  });

  test('still checks the other settings when one is a token', () => {
    const stack = createStack();
    const epoch = new CfnParameter(stack, 'Epoch').valueAsString;

    expect(
      () => new SessionTable(stack, 'Sessions', { epoch, allowedOrigins: [`https://${Aws.REGION}`, '*'] }),
    ).toThrow(/no wildcard/);
  });

  test('warns of a cookie name that a sibling subdomain can plant', () => {
    const { stack } = synthesizeTable({ cookieName: 'session' });

    expect(messagesOf(stack, 'warning')).toEqual([expect.stringMatching(/cookieName session has no __Host- prefix/)]);
    expect(messagesOf(synthesizeTable().stack, 'warning')).toEqual([]);
  });
});

function tokenDuration(): Duration {
  return Duration.seconds(new CfnParameter(createStack(), 'Seconds', { type: 'Number' }).valueAsNumber);
}
