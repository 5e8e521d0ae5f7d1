// SPDX-License-Identifier: Apache-2.0
/** The deployed authorizer, for sessions of our own only. */
import { deployAuthorizer } from './deploy-authorizer';

export const { handler, warmUp } = deployAuthorizer();
