// SPDX-License-Identifier: Apache-2.0
/**
 * A dry run at the gateway: no older session is admitted. Signed sessions without a table do not move in, so that they are
 * admitted as ever.
 */
import type { LegacyAdmissionOptions } from '../authorizer/legacy-admission';
import { fault, type MigrationReport } from '../session/migration/migration-report';
import { type AdmitBy, type AdmitLegacy, rehearsal } from './rehearsal';

/** @param configured which systems there are; tells what is wrong with one of them, and may fail */
export function admitDry(
  configured: (onFault: (failure: unknown) => void) => LegacyAdmissionOptions,
  admitBy: AdmitBy,
  report: (report: MigrationReport) => void,
): AdmitLegacy {
  let parts: ReturnType<typeof setUp> | undefined;

  function setUp() {
    const faults: unknown[] = [];
    const options = configured((failure) => faults.push(failure));
    const onAdmitted = (source: string): void => report({ kind: 'admitted', source });
    const sources = options.sources.filter(({ isStateless }) => isStateless === true);
    return {
      faults,
      rehearse: rehearsal(options, admitBy, report),
      admit: admitBy({ ...options, sources, onAdmitted }),
    };
  }

  return async (lines, now) => {
    try {
      parts ??= setUp();
    } catch (failure) {
      report(fault(failure));
      return undefined;
    }
    for (const failure of parts.faults) report(fault(failure));
    await parts.rehearse(lines, now);
    return parts.admit?.(lines, now);
  };
}
