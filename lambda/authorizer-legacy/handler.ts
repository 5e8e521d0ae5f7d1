// SPDX-License-Identifier: Apache-2.0
/** The second asset: the deployed authorizer that also admits, read-only, sessions of older systems that have not moved in. */
import { deployAuthorizer } from '../authorizer/deploy-authorizer';
import { legacyAdmission } from '../authorizer/legacy-admission';
import { createSdkSessionReader } from '../authorizer/sdk-session-reader';
import { legacyFrom, legacyModeFrom } from '../legacy/configured-sources';
import { reportToLog } from '../session/migration/migration-report';

/** Sessions of our own are read as ever; the AWS SDK is loaded when the first older cookie comes. */
export const { handler } = deployAuthorizer(({ table, endpoint, settings }) => {
  // Not even what is wrong with the sources matters then.
  if (legacyModeFrom(process.env) === 'off') return undefined;
  const onAdmitted = (source: string) => reportToLog({ kind: 'admitted', source });
  const options = { ...legacyFrom(process.env, endpoint), onAdmitted };
  return legacyAdmission(options, createSdkSessionReader({ ...table, endpoint }), settings);
});
