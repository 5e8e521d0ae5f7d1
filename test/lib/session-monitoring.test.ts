// SPDX-License-Identifier: Apache-2.0
/** SessionMonitoring: a dashboard, alarms only when asked for, and the names under which the authorizer reports. */
import { embeddedMetricLine } from '../../lambda/authorizer/emf';
import { SessionAuthorizerFunction, SessionMonitoring, SessionTable } from '../../lib';
import { textOf } from './attaching';
import { createStack, onlyResource, resourcesOf } from './synthesis';

const ALARM = 'AWS::CloudWatch::Alarm';

function createMonitoring() {
  const stack = createStack();
  const sessionTable = new SessionTable(stack, 'Sessions');
  const authorizerFunction = new SessionAuthorizerFunction(stack, 'AuthorizerFunction', { sessionTable });
  return { stack, monitoring: new SessionMonitoring(stack, 'Monitoring', { authorizerFunction, sessionTable }) };
}

/** Metric, namespace and dimensions as the deployed authorizer writes them for a refusal. */
const reported = JSON.parse(embeddedMetricLine({ kind: 'denied', reason: 'cookieDuplicate' }, 0, 'authorizer'))._aws
  .CloudWatchMetrics[0];

test('shows refusals, faults, durations and the units of the table', () => {
  const body = textOf(onlyResource(createMonitoring().stack, 'AWS::CloudWatch::Dashboard').DashboardBody);

  for (const part of [
    'Refused requests by reason',
    'Faults by code',
    'p99',
    'ConsumedReadCapacityUnits',
    'ReadThrottleEvents',
    'ConcurrentExecutions',
  ])
    expect(body).toContain(part);
});

test('looks for the metrics under the names that the authorizer writes', () => {
  const body = textOf(onlyResource(createMonitoring().stack, 'AWS::CloudWatch::Dashboard').DashboardBody);

  expect(reported.Dimensions).toContainEqual(['FunctionName', 'Reason']);
  expect(body).toContain(
    `SEARCH('{${reported.Namespace},FunctionName,Reason} MetricName=\\"${reported.Metrics[0].Name}\\" `,
  );
});

test('has no alarm that was not asked for', () => {
  expect(resourcesOf(createMonitoring().stack, ALARM)).toEqual({});
});

test('alarms at the first request that the table fails', () => {
  const { stack, monitoring } = createMonitoring();
  monitoring.addStoreFaultAlarm();

  expect(onlyResource(stack, ALARM)).toMatchObject({
    Namespace: 'Sessiongate',
    MetricName: 'StoreFault',
    Statistic: 'Sum',
    Threshold: 1,
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    TreatMissingData: 'notBreaching',
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: Object.keys(resourcesOf(stack, 'AWS::Lambda::Function'))[0] } }],
  });
});

test("alarms of planted cookies and of slowness, by thresholds of one's own", () => {
  const { stack, monitoring } = createMonitoring();
  monitoring.addDuplicateCookieAlarm({ threshold: 100, evaluationPeriods: 3 });
  monitoring.addLatencyAlarm({ threshold: 250 });

  const alarms = Object.values(resourcesOf(stack, ALARM)).map(({ Properties }) => Properties);
  expect(alarms).toContainEqual(
    expect.objectContaining({ MetricName: 'Denied', Threshold: 100, EvaluationPeriods: 3 }),
  );
  expect(alarms.find(({ MetricName }) => MetricName === 'Denied').Dimensions).toContainEqual({
    Name: 'Reason',
    Value: 'cookieDuplicate',
  });
  expect(alarms).toContainEqual(
    expect.objectContaining({ MetricName: 'Duration', ExtendedStatistic: 'p99', Threshold: 250 }),
  );
});
