// SPDX-License-Identifier: Apache-2.0
/** The second asset: the deployed authorizer that also admits, read-only, sessions of older systems that have not moved in. */
import { deployAuthorizer } from '../authorizer/deploy-authorizer';
import { legacyAdmission } from '../authorizer/legacy-admission';
import { createSdkSessionReader } from '../authorizer/sdk-session-reader';
import { legacyFrom, legacyModeFrom } from '../legacy/configured-sources';

/** Sessions of our own are read as ever; the AWS SDK is loaded when the first older cookie comes. */
export const { handler } = deployAuthorizer(({ table, endpoint, settings }) => {
  // Not even what is wrong with the sources matters then.
  if (legacyModeFrom(process.env) === 'off') return undefined;
  return legacyAdmission(legacyFrom(process.env, endpoint), createSdkSessionReader({ ...table, endpoint }), settings);
});
