// SPDX-License-Identifier: Apache-2.0
/** What is measured: this project's authorizer, the floor below it, and what people use instead. */

export interface Variant {
  readonly name: string;
  /** The module that exports `handler`, from the root of the checkout. */
  readonly source: string;
  /** `asset`: bundled as it is shipped; `bundle`: as its users bundle it; `packages`: not bundled at all. */
  readonly build: 'asset' | 'bundle' | 'packages';
  readonly format?: 'esm' | 'cjs';
  /** Oldest major version of Node that its packages say they run on. */
  readonly fromNode?: number;
}

export const EMPTY = 'empty handler';
export const BARE = 'bare node:https';
export const SHIPPED = 'sessiongate';
export const WITHOUT_WARM_UP = 'sessiongate, connecting at the first call';
export const DOCUMENT_CLIENT = 'DocumentClient, bundled ESM';

/** What is compared most stands together: it runs close in time, and meets the same machine. */
export const VARIANTS: readonly Variant[] = [
  { name: EMPTY, source: 'bench/peers/empty.mjs', build: 'bundle' },
  { name: BARE, source: 'bench/peers/bare.mjs', build: 'bundle' },
  { name: SHIPPED, source: 'lambda/authorizer/asset.mts', build: 'asset' },
  { name: DOCUMENT_CLIENT, source: 'bench/peers/document-client.mjs', build: 'bundle' },
  { name: WITHOUT_WARM_UP, source: 'lambda/authorizer/handler.ts', build: 'asset' },
  { name: 'AWS SDK client, bundled ESM', source: 'bench/peers/sdk-client.mjs', build: 'bundle' },
  { name: 'AWS SDK client, bundled CJS', source: 'bench/peers/sdk-client.mjs', build: 'bundle', format: 'cjs' },
  { name: 'DocumentClient, not bundled', source: 'bench/peers/document-client.mjs', build: 'packages' },
  { name: 'middy + DocumentClient', source: 'bench/peers/middy.mjs', build: 'bundle', fromNode: 22 },
  { name: 'express-session + connect-dynamodb', source: 'bench/peers/express-session.mjs', build: 'bundle' },
  { name: 'aws-jwt-verify (no table)', source: 'bench/peers/jwt.mjs', build: 'bundle' },
  { name: 'cookie-session (no table)', source: 'bench/peers/cookie-session.mjs', build: 'bundle' },
  { name: 'iron-session (no table)', source: 'bench/peers/iron-session.mjs', build: 'bundle', fromNode: 22 },
];
