// SPDX-License-Identifier: Apache-2.0
/** What `sessiongate/authorizer` exports. */

export type { SessionRenewal } from '../session/renewal';
export type { AuthorizerDeps, AuthorizerReport, AuthorizerResult, SimpleAuthorizerResult } from './answer-requests';
export { createAuthorizer } from './create-authorizer';
export type { DenialReason } from './decision';
export type { AuthorizerOptions } from './options';
export type { AuthorizerPolicy } from './policy';
export type { SessionReader } from './reader';
export { createSdkSessionReader, type SdkSessionReaderOptions } from './sdk-session-reader';
