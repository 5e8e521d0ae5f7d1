// SPDX-License-Identifier: Apache-2.0
/**
 * A dry run at the gateway: no older session is admitted. Signed sessions without a table do not move in, so that they are
 * admitted as ever.
 */
import type { LegacyAdmissionOptions } from '../authorizer/legacy-admission';
import { fault, type MigrationReport } from '../session/migration/migration-report';
import { type AdmitBy, type AdmitLegacy, rehearsal } from './rehearsal';

/** @param configured which systems there are; may fail */
export function admitDry(
  configured: () => LegacyAdmissionOptions,
  admitBy: AdmitBy,
  report: (report: MigrationReport) => void,
): AdmitLegacy {
  let parts: { readonly rehearse: ReturnType<typeof rehearsal>; readonly admit: AdmitLegacy | undefined } | undefined;

  function setUp() {
    const options = configured();
    const sources = options.sources.filter(({ isStateless }) => isStateless === true);
    return { rehearse: rehearsal(options, admitBy, report), admit: admitBy({ ...options, sources }) };
  }

  return async (lines, now) => {
    try {
      parts ??= setUp();
    } catch (failure) {
      report(fault(failure));
      return undefined;
    }
    await parts.rehearse(lines, now);
    return parts.admit?.(lines, now);
  };
}
