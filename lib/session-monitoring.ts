// SPDX-License-Identifier: Apache-2.0
/** A dashboard of what the authorizer refuses and what it costs, and alarms for those who want them. */
import {
  type Alarm,
  ComparisonOperator,
  Dashboard,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRICS } from '../lambda/metrics';
import { graph, PERIOD, search } from './private/graphs';
import { legacyGraphs } from './private/legacy-graphs';
import type { SessionAuthorizerFunction } from './session-authorizer-function';
import type { ISessionTable } from './session-table';

/** Props of `SessionMonitoring`. */
export interface SessionMonitoringProps {
  /** Whose refusals, faults and durations are shown. */
  readonly authorizerFunction: SessionAuthorizerFunction;

  /** Whose reads, writes and throttles are shown. */
  readonly sessionTable: ISessionTable;

  /**
   * Name of the dashboard.
   * @default - CloudFormation chooses one
   */
  readonly dashboardName?: string;
}

/** When an alarm goes off. */
export interface SessionAlarmOptions {
  /**
   * Value of five minutes at which it goes off.
   * @default - see the method
   */
  readonly threshold?: number;

  /**
   * For how many times five minutes in a row.
   * @default 1
   */
  readonly evaluationPeriods?: number;
}

/**
 * The dashboard costs what CloudWatch asks for one, the metrics what it asks for custom metrics: one per reason that
 * occurs. An admitted request writes none, unless it is let in by a session of an older system: that is counted, per source.
 * With `legacySessions` one more row shows what moves in, what is refused and what fails, over every function of the account
 * and region.
 *
 * @example
 * const monitoring = new SessionMonitoring(this, 'Monitoring', { authorizerFunction, sessionTable });
 * monitoring.addStoreFaultAlarm().addAlarmAction(new SnsAction(topic));
 */
export class SessionMonitoring extends Construct {
  readonly dashboard: Dashboard;
  private readonly authorizerFunction: SessionAuthorizerFunction;

  constructor(scope: Construct, id: string, props: SessionMonitoringProps) {
    super(scope, id);
    this.authorizerFunction = props.authorizerFunction;
    const { function: handler } = props.authorizerFunction;
    const { tableName } = props.sessionTable;
    this.dashboard = new Dashboard(this, 'Dashboard', { dashboardName: props.dashboardName });
    this.dashboard.addWidgets(
      graph('Refused requests by reason', this.byDimension(METRICS.denied, METRICS.reasonDimension)),
      graph(
        'Faults by code',
        this.byDimension(METRICS.storeFault, METRICS.codeDimension),
        this.byDimension(METRICS.renewalFault, METRICS.codeDimension),
      ),
      graph(
        'Authorizer: requests',
        handler.metricInvocations({ period: PERIOD }),
        handler.metricErrors({ period: PERIOD }),
      ),
    );
    this.dashboard.addWidgets(
      graph(
        'Authorizer: duration',
        this.duration('p50').with({ label: 'p50' }),
        this.duration('p99').with({ label: 'p99' }),
      ),
      graph('Authorizer: instances at once', concurrency(handler.functionName)),
      graph(
        'Table: units and throttled requests',
        tableMetric(tableName, 'ConsumedReadCapacityUnits'),
        tableMetric(tableName, 'ConsumedWriteCapacityUnits'),
        tableMetric(tableName, 'ReadThrottleEvents'),
        tableMetric(tableName, 'WriteThrottleEvents'),
      ),
    );
    if (props.authorizerFunction.legacySessions.length > 0) this.dashboard.addWidgets(...legacyGraphs());
  }

  /** Goes off when requests are answered with 500 because the table could not be asked. Threshold: 1 request. */
  addStoreFaultAlarm(options: SessionAlarmOptions = {}): Alarm {
    const description = 'The authorizer could not read sessions: nobody is let in. The metric by Code says why';
    return this.addAlarm('StoreFaultAlarm', this.total(METRICS.storeFault), 1, description, options);
  }

  /**
   * Goes off when requests carry two cookies of the session cookie's name, as when a sibling domain plants one (cookie
   * tossing). Threshold: 10 requests.
   */
  addDuplicateCookieAlarm(options: SessionAlarmOptions = {}): Alarm {
    const metric = this.total(METRICS.denied, { [METRICS.reasonDimension]: 'cookieDuplicate' });
    const description = 'Requests with two session cookies are refused: does a sibling domain set one?';
    return this.addAlarm('DuplicateCookieAlarm', metric, 10, description, options);
  }

  /** Goes off when one authorisation in a hundred takes so many milliseconds or longer. Threshold: 1,000 ms. */
  addLatencyAlarm(options: SessionAlarmOptions = {}): Alarm {
    const description = 'The authorizer is slow for one request in a hundred';
    return this.addAlarm('LatencyAlarm', this.duration('p99'), 1000, description, options);
  }

  private addAlarm(
    id: string,
    metric: Metric,
    threshold: number,
    alarmDescription: string,
    options: SessionAlarmOptions,
  ): Alarm {
    return metric.createAlarm(this, id, {
      alarmDescription,
      threshold: options.threshold ?? threshold,
      evaluationPeriods: options.evaluationPeriods ?? 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  private total(metricName: string, dimensions: Record<string, string> = {}): Metric {
    const dimensionsMap = { [METRICS.functionDimension]: this.authorizerFunction.function.functionName, ...dimensions };
    return new Metric({ namespace: METRICS.namespace, metricName, dimensionsMap, statistic: 'Sum', period: PERIOD });
  }

  /** One line for each value of the dimension that occurs; which ones do is not known at synthesis. */
  private byDimension(metricName: string, dimension: string): IMetric {
    const { functionDimension } = METRICS;
    return search({
      metricName,
      dimensions: [functionDimension, dimension],
      filter: `${functionDimension}="${this.authorizerFunction.function.functionName}"`,
      label: '',
    });
  }

  private duration(statistic: string): Metric {
    return this.authorizerFunction.function.metricDuration({ statistic, period: PERIOD });
  }
}

function concurrency(functionName: string): Metric {
  return new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'ConcurrentExecutions',
    dimensionsMap: { FunctionName: functionName },
    statistic: 'Maximum',
    period: PERIOD,
  });
}

function tableMetric(tableName: string, metricName: string): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: tableName },
    statistic: 'Sum',
    period: PERIOD,
  });
}
