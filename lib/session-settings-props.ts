// SPDX-License-Identifier: Apache-2.0
/** The session settings as construct props: given once, to the table, and read by everything that is connected to it. */
import type { Duration } from 'aws-cdk-lib';

/** How sessions of one table behave. Every function connected to the table receives these settings. */
export interface SessionSettingsProps {
  /**
   * Name of the session cookie. Without the `__Host-` prefix a sibling subdomain can plant a cookie of this name
   * (RFC 6265bis, section 4.1.3), so that another name adds a warning at synthesis.
   * @default '__Host-session'
   */
  readonly cookieName?: string;

  /**
   * Longest life of a login, counted from when the credentials were checked; rotation does not extend it.
   * 1 second to 400 days, where RFC 6265bis caps a cookie.
   * @default Duration.days(30)
   */
  readonly absoluteTimeout?: Duration;

  /**
   * Ends a session that was not used for this long; at most the absolute timeout. The authorizer then also renews
   * sessions, at most once per renewal interval, and its role may update session items.
   * @default - no idle timeout
   */
  readonly idleTimeout?: Duration;

  /**
   * Shortest time between two renewals of one session: each is one write. Needs an idle timeout.
   * @default - a tenth of the idle timeout
   */
  readonly renewalInterval?: Duration;

  /**
   * Part of every session key. A new value ends every session at once, which is also how to recover from a restored
   * backup. 1 to 64 characters of `A-Z a-z 0-9 . _ -`.
   * @default - none
   */
  readonly epoch?: string;

  /**
   * Attribute that holds the partition key.
   * @default 'PK'
   */
  readonly partitionKeyName?: string;

  /**
   * Attribute that holds the sort key.
   * @default 'SK'
   */
  readonly sortKeyName?: string;

  /**
   * Attribute that holds the end of a session in Unix seconds and by which DynamoDB removes what has ended. A table has
   * one such attribute, so a shared table dictates it.
   * @default 'expires_at'
   */
  readonly timeToLiveAttribute?: string;

  /**
   * Origins of the pages that may call the API, such as `https://app.example.com`. They feed CORS, the origin check of
   * WebSocket connections and the trusted origins of the CSRF check. No wildcard.
   * @default - none: only pages of the API's own origin
   */
  readonly allowedOrigins?: string[];

  /**
   * CSRF check of unsafe methods: `compatible` lets clients through that send neither `Origin` nor `Sec-Fetch-Site`,
   * `strict` does not, `off` checks nothing.
   * @default 'compatible'
   */
  readonly csrf?: string;

  /**
   * Attribute of the application's own user record that holds its "sessions valid after" line in Unix seconds. The
   * authorizer then makes a second read, of the record whose key stands on the session.
   * @default - no second read
   */
  readonly userRecordAttribute?: string;

  /**
   * A login beyond this number ends the user's oldest session. 1 to 1,000.
   * @default 100
   */
  readonly maxSessionsPerUser?: number;

  /**
   * Largest session item in bytes, 1,024 to 409,600. Each started 4,096 bytes cost one more read unit per request.
   * @default 4096
   */
  readonly maxItemBytes?: number;
}
