// SPDX-License-Identifier: Apache-2.0
/** Older systems are asked and what would be is reported; no request is answered differently for it. */
import type { DecisionDeps } from '../authorizer/decision';
import type { LegacyAdmissionOptions } from '../authorizer/legacy-admission';
import { fault, type MigrationReport } from '../session/migration/migration-report';

export type AdmitLegacy = NonNullable<DecisionDeps['admitLegacy']>;

/** Makes what asks the older systems; `undefined` where there are none. */
export type AdmitBy = (options: LegacyAdmissionOptions) => AdmitLegacy | undefined;

/** Sessions that do not move in are left out: they are admitted by their cookies in every mode but `off`. */
export function rehearsal(
  options: LegacyAdmissionOptions,
  admitBy: AdmitBy,
  report: (report: MigrationReport) => void,
): (...request: Parameters<AdmitLegacy>) => Promise<void> {
  const ask = admitBy({
    ...options,
    sources: options.sources.filter(({ isStateless }) => isStateless !== true),
    onAdmitted: (source, createdAt) => {
      report({ kind: 'wouldMoveIn', source });
      if (createdAt === 0) report({ kind: 'ageUnknown', source });
    },
    onRefused: (source, reason) => report({ kind: 'refused', source, reason }),
  });
  return async (lines, now) => {
    try {
      await ask?.(lines, now);
    } catch (failure) {
      report(fault(failure));
    }
  };
}
