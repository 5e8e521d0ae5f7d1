// SPDX-License-Identifier: Apache-2.0
/** What the functions must know of each older system; the names are those of the session library's sources. */
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IParameter } from 'aws-cdk-lib/aws-ssm';

/** What becomes of the sessions of older systems. In every mode a logout settles the older cookie that came with it. */
export enum LegacyMode {
  /** They are admitted, and move in. */
  ON = 'on',
  /**
   * A rehearsal: they are read, and what would become of them is reported; none is admitted, none moves in, and no request
   * fails because of an older system.
   */
  DRY_RUN = 'dryRun',
  /** They are not even looked at; what has moved in stays. */
  OFF = 'off',
}

/** The package whose table holds the sessions of `express-session`. */
export enum ExpressStorePackage {
  CONNECT_DYNAMODB = 'connect-dynamodb',
  DYNAMODB_STORE = 'dynamodb-store',
  PWRDRVR_DYNAMODB_SESSION_STORE = '@pwrdrvr/dynamodb-session-store',
}

/** The algorithm that signs the cookies of `cookie-session`. */
export enum CookieSignatureAlgorithm {
  SHA1 = 'sha1',
  SHA256 = 'sha256',
}

/** PHP's `session.serialize_handler`. */
export enum PhpSessionFormat {
  PHP = 'php',
  PHP_SERIALIZE = 'php_serialize',
  PHP_BINARY = 'php_binary',
}

/** What all older systems have. */
export interface LegacySessionsProps {
  /**
   * Name of the source in metrics and claims, 1 to 64 characters of `a-z 0-9 -`: what moved in is remembered under it, so
   * give each of several applications its own, and keep it.
   * @default - `express-session`, `cookie-session` or `php`
   */
  readonly sourceName?: string;

  /**
   * Name of the cookie.
   * @default - the older system's own: `connect.sid`, `session` or `PHPSESSID`
   */
  readonly cookieName?: string;

  /**
   * Where the session data says when the login began: names joined by dots.
   * @default - unknown; a user who was ever logged out everywhere then has to log in anew
   */
  readonly createdAtPath?: string;

  /**
   * Where the session data holds the anti-CSRF token that pages already open will send: names joined by dots.
   * @default - none
   */
  readonly csrfTokenPath?: string;

  /**
   * Path that the older cookie was set with: only the same one lets a browser drop it.
   * @default '/'
   */
  readonly cookiePath?: string;

  /**
   * Domain that the older cookie was set with.
   * @default - none
   */
  readonly cookieDomain?: string;
}

/** Where the keys of signed cookies are: exactly one of the two, with one key as text or a JSON array of them. */
export interface LegacyKeysProps {
  /**
   * A secret of Secrets Manager. Each function gets `secretsmanager:GetSecretValue` on it, and reads it every five minutes.
   * @default - the keys are in `parameter`
   */
  readonly secret?: ISecret;

  /**
   * A parameter of Parameter Store, encrypted or not. Each function gets `ssm:GetParameter` on it, and reads it every five
   * minutes.
   * @default - the keys are in `secret`
   */
  readonly parameter?: IParameter;
}

/**
 * Sessions of `express-session` in a table of DynamoDB, in the account and region of the functions. Their ids are 16 to 128
 * characters of `A-Z a-z 0-9 _ -`, as express-session makes them itself; others, of a `genid` of your own, are refused.
 */
export interface ExpressSessionsProps extends LegacySessionsProps, LegacyKeysProps {
  /**
   * The table. On keys that begin with `prefix` the authorizer gets `dynamodb:GetItem`, what ends sessions
   * `dynamodb:DeleteItem`, and what moves them in both.
   */
  readonly table: ITable;

  /** The package that wrote it. */
  readonly storePackage: ExpressStorePackage;

  /**
   * The package's option of this name.
   * @default - the package's
   */
  readonly hashKey?: string;

  /**
   * The package's option of this name.
   * @default - the package's
   */
  readonly prefix?: string;

  /**
   * Where the session data holds the user's id: names joined by dots.
   * @default 'passport.user'
   */
  readonly userPath?: string;

  /**
   * From then on none of these sessions is accepted.
   * @default - as long as the functions know them
   */
  readonly acceptUntil?: Date;
}

/** Sessions of `cookie-session`, which are in the cookie itself. */
export interface CookieSessionsProps extends LegacySessionsProps, LegacyKeysProps {
  /**
   * What signs them.
   * @default CookieSignatureAlgorithm.SHA1
   */
  readonly algorithm?: CookieSignatureAlgorithm;

  /**
   * Where the session data holds the user's id: names joined by dots.
   * @default 'passport.user'
   */
  readonly userPath?: string;

  /**
   * Where the session data holds what each login has of its own and keeps, such as `id`: names joined by dots. A login moves in
   * once by it, and is logged out by it, whatever else of its data changes; sessions without it go by the cookie's value.
   * @default - all go by the cookie's value, so that each change of the data makes another session
   */
  readonly loginIdPath?: string;

  /** From then on none of these sessions is accepted: nothing in the cookie says when it ends. */
  readonly acceptUntil: Date;
}

/** Signed sessions, which are in the cookie itself and in no table; the same as `createSignedSessions` is told. */
export interface SignedSessionsProps extends LegacyKeysProps {
  /**
   * Treat them as those of an older system: `connectLegacy` lets handlers move them in, a logout by the routes of a `SessionApi`
   * ends them for good, and so do "log out everywhere" and a ban of their user. For that the authorizer reads what has moved in
   * or was logged out, and the user: two reads.
   * @default false - they stay in their cookies, which the authorizer admits without a read and nothing but their end revokes
   */
  readonly movesIn?: boolean;

  /**
   * Name of the source in metrics and claims, 1 to 64 characters of `a-z 0-9 -`: what moved in is remembered under it, so keep it.
   * @default 'signed-session'
   */
  readonly sourceName?: string;

  /**
   * Name of the cookie.
   * @default '__Host-signed'
   */
  readonly cookieName?: string;

  /**
   * A new value ends every session at once.
   * @default - none
   */
  readonly epoch?: string;
}

/** Sessions of PHP's handler in a table of DynamoDB, in the account and region of the functions. */
export interface PhpSessionsProps extends LegacySessionsProps {
  /**
   * The table. On keys that begin with `sessionName` the authorizer gets `dynamodb:GetItem`, what ends sessions or moves them in
   * also `dynamodb:DeleteItem`.
   */
  readonly table: ITable;

  /** Where the session data holds the user's id: names joined by dots, such as `Auth.User.id`. */
  readonly userPath: string;

  /**
   * What the keys begin with.
   * @default - the cookie's name
   */
  readonly sessionName?: string;

  /**
   * How PHP wrote the data.
   * @default PhpSessionFormat.PHP
   */
  readonly format?: PhpSessionFormat;

  /**
   * Where the data holds an end that the application keeps itself, such as CakePHP 2's `Config.time`.
   * @default - none
   */
  readonly expiresAtPath?: string;

  /**
   * Name of the partition key.
   * @default 'id'
   */
  readonly hashKey?: string;

  /**
   * Name of the attribute with the data.
   * @default 'data'
   */
  readonly dataAttribute?: string;

  /**
   * Name of the attribute with the end.
   * @default 'expires'
   */
  readonly sessionLifetimeAttribute?: string;

  /**
   * From then on none of these sessions is accepted.
   * @default - as long as the functions know them
   */
  readonly acceptUntil?: Date;
}
