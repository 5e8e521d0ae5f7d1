// SPDX-License-Identifier: Apache-2.0
/** What ExpiredSessionsCleaner puts into the template: one function, its schedule, and no more than it may do. */
import { Duration } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { ExpiredSessionsCleaner, type ExpiredSessionsCleanerProps, SessionTable } from '../../lib';
import { createStack, onlyResource, resourcesOf, statementsOf } from './synthesis';

const DESCRIPTION = 'Deletes expired sessions';
const TABLE_ARN = 'arn:aws:dynamodb:eu-central-1:123456789012:table/application';

function synthesizeCleaner(props: Partial<ExpiredSessionsCleanerProps> = {}) {
  const stack = createStack();
  const sessionTable = SessionTable.fromSessionTableAttributes(stack, 'Sessions', {
    tableArn: TABLE_ARN,
    timeToLiveAttribute: 'ends_at',
  });
  new ExpiredSessionsCleaner(stack, 'Cleaner', { sessionTable, ...props });
  return stack;
}

test('the function may scan the one table, write to it in batches, and write its log', () => {
  const stack = synthesizeCleaner();

  expect(statementsOf(stack, DESCRIPTION)).toEqual([
    expect.objectContaining({ Action: ['logs:CreateLogStream', 'logs:PutLogEvents'] }),
    { Effect: 'Allow', Action: ['dynamodb:BatchWriteItem', 'dynamodb:Scan'], Resource: TABLE_ARN },
  ]);
});

test('it may use the key of the table', () => {
  const stack = createStack({ env: { account: '123456789012', region: 'eu-central-1' } });
  const sessionTable = new SessionTable(stack, 'Sessions', { encryptionKey: new Key(stack, 'Key') });
  new ExpiredSessionsCleaner(stack, 'Cleaner', { sessionTable });

  const actions = statementsOf(stack, DESCRIPTION).flatMap(({ Action }) => Action);
  expect(actions).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt']));
});

test('it runs once at a time, for as long as Lambda lets it, and a failed run is not repeated', () => {
  const stack = synthesizeCleaner();

  expect(onlyResource(stack, 'AWS::Lambda::Function')).toMatchObject({
    Handler: 'index.handler',
    Timeout: 900,
    ReservedConcurrentExecutions: 1,
  });
  expect(onlyResource(stack, 'AWS::Lambda::EventInvokeConfig')).toMatchObject({ MaximumRetryAttempts: 0 });
});

test('it knows the table and the names of its attributes', () => {
  const variables = onlyResource(synthesizeCleaner(), 'AWS::Lambda::Function').Environment.Variables;

  expect(Object.keys(variables)).toEqual(['SESSIONGATE_TABLE_NAME', 'SESSIONGATE_SETTINGS']);
  expect(variables.SESSIONGATE_TABLE_NAME).toBe('application');
  expect(JSON.parse(variables.SESSIONGATE_SETTINGS).attributeNames.expiresAt).toBe('ends_at');
});

test.each([
  [undefined, 'rate(1 day)'],
  [Duration.hours(6), 'rate(6 hours)'],
])('an interval of %s becomes %s', (interval, expression) => {
  const stack = synthesizeCleaner(interval === undefined ? {} : { interval });

  expect(onlyResource(stack, 'AWS::Events::Rule')).toMatchObject({ ScheduleExpression: expression, State: 'ENABLED' });
  expect(Object.keys(resourcesOf(stack, 'AWS::Lambda::Permission'))).toHaveLength(1);
});

test('its rates reach the function as the input of each run', () => {
  const inputOf = (props: Partial<ExpiredSessionsCleanerProps>) =>
    JSON.parse(onlyResource(synthesizeCleaner(props), 'AWS::Events::Rule').Targets[0].Input);

  expect(inputOf({ maxReadUnitsPerSecond: 500, maxWriteUnitsPerSecond: 50 })).toEqual({
    deleteExpired: { maxReadUnitsPerSecond: 500, maxWriteUnitsPerSecond: 50 },
  });
  expect(inputOf({})).toEqual({ deleteExpired: {} });
});

test.each<[Partial<ExpiredSessionsCleanerProps>, string]>([
  [{ interval: Duration.minutes(14) }, 'interval must be at least 15 minutes'],
  [{ interval: 86_400 as never }, 'interval must be a Duration, got a number; pass Duration.seconds(86400)'],
  [{ maxReadUnitsPerSecond: 0 }, 'maxReadUnitsPerSecond must be a whole number'],
  [{ maxWriteUnitsPerSecond: 1.5 }, 'maxWriteUnitsPerSecond must be a whole number'],
])('%j is refused', (props, message) => {
  expect(() => synthesizeCleaner(props)).toThrow(message);
});
