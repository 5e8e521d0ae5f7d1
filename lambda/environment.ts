// SPDX-License-Identifier: Apache-2.0
/** Names of the environment variables by which the constructs speak to the functions they connect. */

/** Every variable a function may be given; the value side is what stands in the template. */
export const ENVIRONMENT = {
  /** Name of the table that holds the sessions. Required. */
  tableName: 'SESSIONGATE_TABLE_NAME',
  /** The shared settings as one JSON object, see `settings.ts`. Required. */
  settings: 'SESSIONGATE_SETTINGS',
  /** Endpoint of DynamoDB, scheme included; absent: the region's own. */
  endpoint: 'SESSIONGATE_ENDPOINT',
  /** Origins of the API itself (its custom domain), a JSON array; absent: the event's domain name. */
  apiOrigins: 'SESSIONGATE_API_ORIGINS',
  /** How the authorizer says no: `policy` (default) or `throw`. */
  deny: 'SESSIONGATE_DENY',
  /** Seconds for which the gateway caches the authorizer's answer; absent: 0. */
  cacheSeconds: 'SESSIONGATE_CACHE_SECONDS',
  /** The older systems whose sessions are admitted, moved in and ended, a JSON object; read only by what works with them. */
  legacy: 'SESSIONGATE_LEGACY',
  /** What becomes of them: `on`, `dryRun` or `off`; absent: `on`. May be changed without a deployment. */
  legacyMode: 'SESSIONGATE_LEGACY_MODE',
  /** How much of them moves in while the mode is `on`, in percent; absent: 100. May be changed without a deployment. */
  legacySharePercent: 'SESSIONGATE_LEGACY_SHARE_PERCENT',
} as const;
