// SPDX-License-Identifier: Apache-2.0
/** `sessiongate/express`: Express applications whose sessions the gateway knows. */
export {
  type ExpressData,
  type LoginDetails,
  type MiddlewareOptions,
  SessiongateStore,
  type SessiongateStoreOptions,
} from './sessiongate-store';
