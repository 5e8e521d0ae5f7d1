// SPDX-License-Identifier: Apache-2.0
/** What became of a session of an older system, as counters: when nothing moves in any more, the old code can go. */
import { LEGACY_METRIC_NAMES } from '../../legacy-settings';
import { ConfigurationError } from '../../settings';
import { SessionError } from '../errors';
import type { LegacyRefusal } from '../legacy-source';
import type { UnprovenReason } from './legacy-visit';
import type { UserRefusal } from './user-refusal';

/**
 * Why an old session did not move in: what the older system says (see `LegacyRefusal`), or else. `settled`: it did before, or
 * was logged out; `unproven`, `duplicate`: its cookie's signature is wrong, or the
 * request has it twice (told as long as not all move in); `over`: it is older than the absolute timeout allows; `unfit`: what it
 * carries does not fit into an item; `ended`: the session that moved in was ended before its cookie came back.
 */
export type MoveRefusal =
  | LegacyRefusal['refused']
  | 'settled'
  | 'ended'
  | UnprovenReason
  | 'over'
  | 'unfit'
  | UserRefusal;

/** Holds no id, user, token or hash. */
export type MigrationReport =
  /** A session moved in, and its cookie is on the way. */
  | { readonly kind: 'movedIn'; readonly source: string }
  /** Its cookie was handed out again: an answer was lost, or several requests came at once. */
  | { readonly kind: 'handedOutAgain'; readonly source: string }
  /** Let in by the authorizer, which moves nothing in: as long as there are such, the old code is needed. */
  | { readonly kind: 'admitted'; readonly source: string }
  /** Served with the old cookie alone, just after the new one had come back in another request; no cookie was handed out. */
  | { readonly kind: 'servedLate'; readonly source: string }
  /** Its cookie has come back; the old session is ended. */
  | { readonly kind: 'confirmed'; readonly source: string }
  /** It would move in, were it not for `dryRun` or `sharePercent`. */
  | { readonly kind: 'wouldMoveIn'; readonly source: string }
  /** Beside `movedIn` or `wouldMoveIn`: nothing tells when its login began, so that any log-out-everywhere of its user ends it. */
  | { readonly kind: 'ageUnknown'; readonly source: string }
  | { readonly kind: 'refused'; readonly source: string; readonly reason: MoveRefusal }
  /** What would have failed this request: in a dry run, or at a logout while sessions do not move in. */
  | { readonly kind: 'fault'; readonly source?: string | undefined; readonly code: string; readonly message: string }
  /** The confirmation failed and will be tried again at the next request, which is let in like this one. */
  | { readonly kind: 'confirmationFault'; readonly code: string };

/**
 * One line of CloudWatch's embedded metric format, in the namespace of the authorizer's metrics. Dimensions: `Source`, for
 * refusals `Source` and `Reason`, for faults `Code`. Message and source of a fault are in the line, and no dimensions.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function migrationMetricLine(report: MigrationReport, nowMillis: number): string {
  const name = LEGACY_METRIC_NAMES[report.kind];
  const dimensions: Record<string, string> = {
    ...('source' in report && report.kind !== 'fault' ? { Source: report.source } : {}),
    ...('reason' in report ? { Reason: report.reason } : {}),
    ...('code' in report ? { Code: report.code } : {}),
  };
  return JSON.stringify({
    _aws: {
      Timestamp: nowMillis,
      CloudWatchMetrics: [
        {
          Namespace: 'Sessiongate',
          Dimensions: [Object.keys(dimensions)],
          Metrics: [{ Name: name, Unit: 'Count' }],
        },
      ],
    },
    ...dimensions,
    ...(report.kind === 'fault' ? { Source: report.source, Message: report.message } : {}),
    [name]: 1,
  });
}

/** Metrics belong into the log of a function; on a laptop they would only be noise. */
export function reportToLog(report: MigrationReport): void {
  if (process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined) console.log(migrationMetricLine(report, Date.now()));
}

/** What is said of whatever failed and fails no request. Messages of errors that are not the library's may hold anything. */
export function fault(failure: unknown, source?: string): MigrationReport {
  const of = { kind: 'fault', ...(source === undefined ? {} : { source }) } as const;
  if (failure instanceof SessionError) return { ...of, code: failure.code, message: failure.message };
  if (failure instanceof ConfigurationError) return { ...of, code: failure.name, message: failure.message };
  const code = failure instanceof Error ? failure.name : 'Error';
  return {
    ...of,
    code,
    message: 'thrown by code of the application, such as asSession; its own words may hold anything',
  };
}
