// SPDX-License-Identifier: Apache-2.0
/** Writes what the authorizer reports as one line of CloudWatch's embedded metric format. */
import { METRICS } from '../metrics';
import type { AuthorizerReport } from './answer-requests';

/**
 * The line for one report. It names a reason or a code and the function, and nothing of the request.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function embeddedMetricLine(report: AuthorizerReport, nowMillis: number, functionName: string): string {
  const [metric, dimension, value] =
    report.kind === 'denied'
      ? [METRICS.denied, METRICS.reasonDimension, report.reason]
      : [report.kind === 'storeFault' ? METRICS.storeFault : METRICS.renewalFault, METRICS.codeDimension, report.code];
  return JSON.stringify({
    _aws: {
      Timestamp: nowMillis,
      CloudWatchMetrics: [
        {
          Namespace: METRICS.namespace,
          Dimensions: [[METRICS.functionDimension], [METRICS.functionDimension, dimension]],
          Metrics: [{ Name: metric, Unit: 'Count' }],
        },
      ],
    },
    [METRICS.functionDimension]: functionName,
    [dimension]: value,
    [metric]: 1,
  });
}
