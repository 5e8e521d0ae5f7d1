// SPDX-License-Identifier: Apache-2.0
/** `sessiongate/express`: Express applications whose sessions the gateway knows. */
export type { ExpressData, LoginDetails, SessiongateStoreOptions } from './express-sessions';
export { type MiddlewareOptions, SessiongateStore } from './sessiongate-store';
