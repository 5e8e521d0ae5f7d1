// SPDX-License-Identifier: Apache-2.0
/** What can be chosen of a `SessionApi`, alone or as part of a `SessionStack`. */
import type { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** What can be chosen of a `SessionApi`. */
export interface SessionApiOptions {
  /**
   * Checks the credentials and creates the session; becomes `POST /login`, open, and is connected to the table and to the
   * `legacySessions` that move in. With those its code must call `createSessions({ legacy: legacyFromEnvironment() })`.
   * @default - no login route; see also `addLoginHandler`
   */
  readonly loginHandler?: IFunction;

  /**
   * Host name of the API, such as `api.example.com`, on the site of the pages that call it: the generated
   * `execute-api` name is another site to every page, so that browsers do not send it a `SameSite=Lax` cookie. The
   * generated endpoint is switched off. Needs `certificateArn`. A name that is on another site than the `allowedOrigins` adds
   * a warning at synthesis.
   * @default - the generated endpoint
   */
  readonly domainName?: string;

  /**
   * ARN of the host name's certificate, in the region of the API.
   * @default - none
   */
  readonly certificateArn?: string;

  /**
   * Routes besides `POST /login` that may do without the session authorizer, such as `GET /health`.
   * @default - none: such a route fails synthesis
   */
  readonly routesWithoutSession?: string[];

  /**
   * Requests per second that the stage lets through on average.
   * @default 1000
   */
  readonly throttlingRateLimit?: number;

  /**
   * Requests that the stage lets through at once.
   * @default 1000
   */
  readonly throttlingBurstLimit?: number;

  /**
   * How long API Gateway may give an answer of the authorizer again without asking, see `RestSessionAuthorizer`.
   * @default Duration.seconds(0)
   */
  readonly resultsCacheTtl?: Duration;

  /**
   * Name of the stage.
   * @default 'prod'
   */
  readonly stageName?: string;

  /**
   * How long the access log and the logs of the functions are kept.
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * Also create the role by which API Gateway writes logs in this account and region. It is one setting for all APIs
   * there; where none was ever set, the access log cannot be deployed without it.
   * @default false
   */
  readonly cloudWatchRole?: boolean;
}
