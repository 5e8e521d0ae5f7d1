// SPDX-License-Identifier: Apache-2.0
/** What became of the sessions of older systems, in graphs. */
import type { GraphWidget, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { LEGACY_METRIC_NAMES } from '../../lambda/legacy-settings';
import { graph, search } from './graphs';

type LegacyMetric = keyof typeof LEGACY_METRIC_NAMES;

/** Of every function of the account and region: these metrics name none. */
export function legacyGraphs(): GraphWidget[] {
  const sessions = searches(
    ['Source'],
    ['movedIn', 'confirmed', 'admitted', 'wouldMoveIn', 'ageUnknown', 'handedOutAgain', 'servedLate'],
  );
  return [
    graph('Moving in: sessions', ...sessions),
    graph('Moving in: refused by reason', ...searches(['Source', 'Reason'], ['refused'])),
    graph('Moving in: faults by code', ...searches(['Code'], ['fault', 'confirmationFault'])),
  ];
}

/** Labels are spelled out: the lines of two searches may differ in nothing but the metric. */
function searches(dimensions: readonly string[], metrics: readonly LegacyMetric[]): IMetric[] {
  const label = ['MetricName', ...dimensions.map((dimension) => `Dim.${dimension}`)].map(propertyOf).join(' ');
  return metrics.map((metric) => search({ metricName: LEGACY_METRIC_NAMES[metric], dimensions, label }));
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/graph-dynamic-labels.html */
function propertyOf(name: string): string {
  return `\${PROP('${name}')}`;
}
