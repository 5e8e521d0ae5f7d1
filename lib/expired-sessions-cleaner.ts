// SPDX-License-Identifier: Apache-2.0
/** Deletes expired sessions on a schedule, for tables whose time to live is off or another application's. */
import { Duration, Token } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { sessionEnvironment } from './private/connected-function';
import { requireDuration } from './private/seconds';
import { addShippedFunction } from './private/shipped-function';
import type { ISessionTable } from './session-table';

/** Props of `ExpiredSessionsCleaner`. */
export interface ExpiredSessionsCleanerProps {
  /** Whose expired sessions are deleted; items of other kinds stay. */
  readonly sessionTable: ISessionTable;

  /**
   * Time from one run to the next, at least 15 minutes: for so long a run may last.
   * @default Duration.days(1)
   */
  readonly interval?: Duration;

  /**
   * Read units per second, on average over a run.
   * @default 100
   */
  readonly maxReadUnitsPerSecond?: number;

  /**
   * Write units per second, on average over a run.
   * @default 100
   */
  readonly maxWriteUnitsPerSecond?: number;

  /**
   * How long its log is kept.
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;
}

/** The longest that Lambda runs a function. */
const TIMEOUT = Duration.minutes(15);

/**
 * Each run reads the whole table, other applications' items included, and is charged for all of it; where time to live is
 * on, DynamoDB does the same for nothing. Expired sessions are refused in either case. What one run does not reach in 15
 * minutes, a later one does.
 *
 * @example
 * new ExpiredSessionsCleaner(this, 'Cleaner', { sessionTable, interval: Duration.days(7) });
 */
export class ExpiredSessionsCleaner extends Construct {
  /** The function itself; a run that failed counts as one of its errors. */
  readonly function: LambdaFunction;
  readonly rule: Rule;

  constructor(scope: Construct, id: string, props: ExpiredSessionsCleanerProps) {
    super(scope, id);
    const { sessionTable, interval = Duration.days(1), maxReadUnitsPerSecond, maxWriteUnitsPerSecond } = props;
    requireDuration('interval', interval);
    if (!interval.isUnresolved() && interval.toSeconds() < TIMEOUT.toSeconds())
      throw new Error(
        `interval must be at least 15 minutes, got ${interval.toHumanString()}: for so long a run may last`,
      );
    requireRate('maxReadUnitsPerSecond', maxReadUnitsPerSecond);
    requireRate('maxWriteUnitsPerSecond', maxWriteUnitsPerSecond);
    const shipped = addShippedFunction(this, {
      asset: 'maintenance',
      description: 'Deletes expired sessions',
      environment: sessionEnvironment(sessionTable),
      timeout: TIMEOUT,
      memorySize: 256,
      logRetention: props.logRetention,
      // Two runs at once would read twice and share nothing.
      reservedConcurrentExecutions: 1,
    });
    this.function = shipped.function;
    // The next run goes on where a failed one stopped.
    this.function.configureAsyncInvoke({ retryAttempts: 0 });
    sessionTable.grants.deleteExpired(shipped.role);
    this.rule = new Rule(this, 'Schedule', {
      description: 'Runs the deletion of expired sessions',
      schedule: Schedule.rate(interval),
      targets: [
        new LambdaTarget(this.function, {
          event: RuleTargetInput.fromObject({ deleteExpired: { maxReadUnitsPerSecond, maxWriteUnitsPerSecond } }),
        }),
      ],
    });
  }
}

function requireRate(prop: string, value: number | undefined): void {
  if (value === undefined || Token.isUnresolved(value)) return;
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${prop} must be a whole number from 1, got ${value}`);
}
