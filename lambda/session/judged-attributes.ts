// SPDX-License-Identifier: Apache-2.0
/** What `validateSessionItem` looks at, beside key and expiry: all that a read needs to fetch in order to judge a session. */
export const JUDGED_ATTRIBUTES = [
  'type',
  'user',
  'user_pk',
  'user_sk',
  'created_at',
  'issued_at',
  'authenticated_at',
  'renewed_at',
  'max_end',
  'generation',
  'version',
  'claims',
  'revoked',
] as const;
