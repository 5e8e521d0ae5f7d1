// SPDX-License-Identifier: Apache-2.0
/** Graphs of a dashboard, and searches for metrics of which not every dimension is known at synthesis. */
import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../lambda/metrics';

export const PERIOD = Duration.minutes(5);

interface MetricSearch {
  readonly metricName: string;
  /** All dimensions that the metric is written with. */
  readonly dimensions: readonly string[];
  /** Term that narrows the search. */
  readonly filter?: string;
  /** What CloudWatch writes beside each line. Empty: what it takes for the difference between them. */
  readonly label: string;
}

/**
 * One line for each combination of values that occurs.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
 */
export function search({ metricName, dimensions, filter, label }: MetricSearch): IMetric {
  const schema = [METRICS.namespace, ...dimensions].join();
  const terms = [`MetricName="${metricName}"`, ...(filter === undefined ? [] : [filter])].join(' ');
  return new MathExpression({
    expression: `SEARCH('{${schema}} ${terms}', 'Sum', ${PERIOD.toSeconds()})`,
    label,
    period: PERIOD,
  });
}

export function graph(title: string, ...left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 });
}
