// SPDX-License-Identifier: Apache-2.0
/** What SessionAuthorizerFunction puts into the template, above all what it may do. */
import { Duration, type Stack } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  SessionAuthorizerFunction,
  type SessionAuthorizerFunctionProps,
  SessionTable,
  type SessionTableProps,
} from '../../lib';
import { createStack, onlyResource, resourcesOf, statementsOf } from './synthesis';

const DESCRIPTION = 'Verifies the session cookie of an API request';
const SESSION_KEYS = {
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['S#*'] },
  Null: { 'dynamodb:LeadingKeys': 'false' },
};

function synthesizeFunction(
  tableProps: SessionTableProps = {},
  props: Omit<SessionAuthorizerFunctionProps, 'sessionTable'> = {},
) {
  const stack = createStack();
  const sessionTable = new SessionTable(stack, 'Sessions', tableProps);
  const authorizerFunction = new SessionAuthorizerFunction(stack, 'AuthorizerFunction', { sessionTable, ...props });
  return { stack, sessionTable, authorizerFunction };
}

function arnOfOnly(stack: Stack, type: string) {
  return { 'Fn::GetAtt': [Object.keys(resourcesOf(stack, type))[0], 'Arn'] };
}

describe('permissions', () => {
  test('are to read session items of the one table and to write its own log, nothing else', () => {
    const { stack } = synthesizeFunction();

    expect(statementsOf(stack, DESCRIPTION)).toEqual([
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: arnOfOnly(stack, 'AWS::Logs::LogGroup'),
      },
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem'],
        Resource: arnOfOnly(stack, 'AWS::DynamoDB::GlobalTable'),
        Condition: SESSION_KEYS,
      },
    ]);
  });

  test('include updating session items with an idle timeout', () => {
    const { stack } = synthesizeFunction({ idleTimeout: Duration.hours(1) });

    expect(statementsOf(stack, DESCRIPTION)).toContainEqual({
      Effect: 'Allow',
      Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      Resource: arnOfOnly(stack, 'AWS::DynamoDB::GlobalTable'),
      Condition: SESSION_KEYS,
    });
  });

  test("include reading the application's user records, as a named statement, with a user record", () => {
    const { stack } = synthesizeFunction({ userRecordAttribute: 'sessions_valid_after' });

    const statements = statementsOf(stack, DESCRIPTION);
    expect(statements).toHaveLength(3);
    expect(statements).toContainEqual({
      Sid: 'ReadUserRecord',
      Effect: 'Allow',
      Action: ['dynamodb:GetItem'],
      Resource: arnOfOnly(stack, 'AWS::DynamoDB::GlobalTable'),
    });
  });

  test('keep to session items under an epoch, whose keys begin the same', () => {
    const { stack } = synthesizeFunction({ epoch: 'v2' });

    expect(statementsOf(stack, DESCRIPTION)[1]?.Condition).toEqual(SESSION_KEYS);
  });

  test('come from a role of its own, without a managed policy', () => {
    const { stack } = synthesizeFunction();

    expect(onlyResource(stack, 'AWS::IAM::Role').ManagedPolicyArns).toBeUndefined();
  });
});

describe('the function', () => {
  test('runs the shipped code on arm64 with the newest Node.js, well under the ten seconds of API Gateway', () => {
    const { stack } = synthesizeFunction();

    expect(onlyResource(stack, 'AWS::Lambda::Function')).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Timeout: 5,
      MemorySize: 512,
    });
  });

  test('reads the settings of the table, and has no variable that it does not need', () => {
    const { stack, sessionTable } = synthesizeFunction({
      cookieName: '__Host-id',
      allowedOrigins: ['https://app.example.com'],
    });

    const variables = onlyResource(stack, 'AWS::Lambda::Function').Environment.Variables;
    expect(Object.keys(variables)).toEqual(['SESSIONGATE_TABLE_NAME', 'SESSIONGATE_SETTINGS', 'SESSIONGATE_ENDPOINT']);
    expect(JSON.stringify(variables.SESSIONGATE_ENDPOINT)).toContain('https://dynamodb.');
    expect(JSON.parse(variables.SESSIONGATE_SETTINGS)).toEqual(sessionTable.settings);
  });

  test('keeps its log for three months, or as long as it is told', () => {
    expect(onlyResource(synthesizeFunction().stack, 'AWS::Logs::LogGroup').RetentionInDays).toBe(90);

    const { stack } = synthesizeFunction({}, { logRetention: RetentionDays.ONE_WEEK });
    expect(onlyResource(stack, 'AWS::Logs::LogGroup').RetentionInDays).toBe(7);
  });

  test('is told to deny by throwing only if asked', () => {
    const { stack } = synthesizeFunction({}, { denyByThrowing: true });

    expect(onlyResource(stack, 'AWS::Lambda::Function').Environment.Variables.SESSIONGATE_DENY).toBe('throw');
  });

  test("is told the API's own origins", () => {
    const { stack, authorizerFunction } = synthesizeFunction();
    authorizerFunction.addApiOrigin('https://api.example.com');
    authorizerFunction.addApiOrigin('https://api.example.org');

    const { SESSIONGATE_API_ORIGINS } = onlyResource(stack, 'AWS::Lambda::Function').Environment.Variables;
    expect(JSON.parse(SESSIONGATE_API_ORIGINS)).toEqual(['https://api.example.com', 'https://api.example.org']);
  });
});

describe('allowApi', () => {
  test('lets the authorizers of an API of another account and region invoke the function, and nothing else', () => {
    const { stack, authorizerFunction } = synthesizeFunction();
    authorizerFunction.allowApi({ account: '444455556666', region: 'us-east-1', apiId: 'abc123' });

    expect(onlyResource(stack, 'AWS::Lambda::Permission')).toEqual({
      Action: 'lambda:InvokeFunction',
      FunctionName: arnOfOnly(stack, 'AWS::Lambda::Function'),
      Principal: 'apigateway.amazonaws.com',
      SourceArn: {
        'Fn::Join': [
          '',
          ['arn:', { Ref: 'AWS::Partition' }, ':execute-api:us-east-1:444455556666:abc123/authorizers/*'],
        ],
      },
    });
  });

  test('can be called again for the same API', () => {
    const { stack, authorizerFunction } = synthesizeFunction();
    for (const _ of [1, 2])
      authorizerFunction.allowApi({ account: '444455556666', region: 'us-east-1', apiId: 'abc123' });

    expect(Object.keys(resourcesOf(stack, 'AWS::Lambda::Permission'))).toHaveLength(1);
  });

  test('can name the one authorizer', () => {
    const { stack, authorizerFunction } = synthesizeFunction();
    authorizerFunction.allowApi({
      account: '444455556666',
      region: 'us-east-1',
      apiId: 'abc123',
      authorizerId: 'q1w2e3',
    });

    expect(JSON.stringify(onlyResource(stack, 'AWS::Lambda::Permission').SourceArn)).toContain(
      'abc123/authorizers/q1w2e3',
    );
  });
});
