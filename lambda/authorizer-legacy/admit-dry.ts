// SPDX-License-Identifier: Apache-2.0
/**
 * A dry run at the gateway: older systems are asked, what would be is reported, and no request is answered differently for it.
 * Signed sessions without a table do not move in, so that they are admitted as ever.
 */
import type { DecisionDeps } from '../authorizer/decision';
import type { LegacyAdmissionOptions } from '../authorizer/legacy-admission';
import { fault, type MigrationReport } from '../session/migration/migration-report';

type AdmitLegacy = DecisionDeps['admitLegacy'];

/**
 * @param configured which systems there are; may fail
 * @param admitBy makes what asks them
 */
export function admitDry(
  configured: () => LegacyAdmissionOptions,
  admitBy: (options: LegacyAdmissionOptions) => AdmitLegacy,
  report: (report: MigrationReport) => void,
): NonNullable<AdmitLegacy> {
  let parts: { readonly dry: AdmitLegacy; readonly stateless: AdmitLegacy } | undefined;

  function setUp() {
    const options = configured();
    const of = (isStateless: boolean) =>
      options.sources.filter((source) => (source.isStateless === true) === isStateless);
    return {
      dry: admitBy({
        ...options,
        sources: of(false),
        onAdmitted: (source) => report({ kind: 'wouldMoveIn', source }),
        onRefused: (source, reason) => report({ kind: 'refused', source, reason }),
      }),
      stateless: admitBy({ ...options, sources: of(true) }),
    };
  }

  return async (lines, now) => {
    try {
      parts ??= setUp();
      await parts.dry?.(lines, now);
    } catch (failure) {
      report(fault(failure));
    }
    return parts?.stateless?.(lines, now);
  };
}
