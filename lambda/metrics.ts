// SPDX-License-Identifier: Apache-2.0
/** Names under which the authorizer reports what it refused and what failed; dashboards and alarms use the same. */

export const METRICS = {
  namespace: 'Sessiongate',
  /** Requests refused; dimension `Reason`, see `DenialReason` in `authorizer/decision.ts`. */
  denied: 'Denied',
  /** Requests answered with a fault because the table could not be asked; dimension `Code` (`ERR_SESSION_STORE…`). */
  storeFault: 'StoreFault',
  /** Slides of the idle timeout that failed; the request was let in all the same. Dimension `Code`. */
  renewalFault: 'RenewalFault',
  /** Every metric is there per function, and per function and reason or code. */
  functionDimension: 'FunctionName',
  reasonDimension: 'Reason',
  codeDimension: 'Code',
} as const;
