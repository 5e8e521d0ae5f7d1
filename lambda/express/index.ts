// SPDX-License-Identifier: Apache-2.0
/** `sessiongate/express`: Express applications whose sessions the gateway knows. */
export type { ExpressData, LoginDetails, MiddlewareOptions, SessiongateStoreOptions } from './options';
export { SessiongateStore } from './sessiongate-store';
