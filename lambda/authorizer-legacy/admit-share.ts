// SPDX-License-Identifier: Apache-2.0
/** A part of the older sessions is admitted, because it moves in; of the rest is reported what would be, as in a dry run. */
import type { LegacyAdmissionOptions } from '../authorizer/legacy-admission';
import type { LegacyVisit } from '../session/migration/legacy-visit';
import type { MigrationReport } from '../session/migration/migration-report';
import { isBeyondShare } from '../session/migration/migration-share';
import { type AdmitBy, type AdmitLegacy, rehearsal } from './rehearsal';

/** All of them with 100 percent, which spares the second look. */
export function admitShare(
  options: LegacyAdmissionOptions,
  sharePercent: number,
  admitBy: AdmitBy,
  report: (report: MigrationReport) => void,
): AdmitLegacy | undefined {
  const isBeyond = (visit: LegacyVisit): boolean => isBeyondShare(visit, sharePercent);
  const admit = admitBy({
    ...options,
    isAsked: (visit) => !isBeyond(visit),
    onAdmitted: (source) => report({ kind: 'admitted', source }),
  });
  if (sharePercent === 100) return admit;
  const rehearse = rehearsal({ ...options, isAsked: isBeyond }, admitBy, report);
  return async (lines, now) => {
    await rehearse(lines, now);
    return admit?.(lines, now);
  };
}
