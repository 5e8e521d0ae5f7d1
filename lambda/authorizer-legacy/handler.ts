// SPDX-License-Identifier: Apache-2.0
/** The second asset: the deployed authorizer that also admits, read-only, sessions of older systems that have not moved in. */
import { deployAuthorizer } from '../authorizer/deploy-authorizer';
import { type LegacyAdmissionOptions, legacyAdmission } from '../authorizer/legacy-admission';
import { createSdkSessionReader } from '../authorizer/sdk-session-reader';
import { legacyFrom, legacyModeFrom, legacySharePercentFrom } from '../legacy/configured-sources';
import { reportToLog } from '../session/migration/migration-report';
import { admitDry } from './admit-dry';
import { admitShare } from './admit-share';

/** Sessions of our own are read as ever; the AWS SDK is loaded when the first older cookie comes. */
export const { handler } = deployAuthorizer(({ table, endpoint, settings }) => {
  const mode = legacyModeFrom(process.env);
  // Not even what is wrong with the sources matters then.
  if (mode === 'off') return undefined;
  const reader = createSdkSessionReader({ ...table, endpoint });
  const configured = (onFault?: (failure: unknown) => void) => legacyFrom(process.env, endpoint, onFault);
  const admitBy = (options: LegacyAdmissionOptions) => legacyAdmission(options, reader, settings);
  if (mode === 'dryRun') return admitDry(configured, admitBy, reportToLog);
  return admitShare(configured(), legacySharePercentFrom(process.env), admitBy, reportToLog);
});
