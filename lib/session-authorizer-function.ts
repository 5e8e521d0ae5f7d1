// SPDX-License-Identifier: Apache-2.0
/** The Lambda function that verifies the session cookie; one can serve any number of APIs. */
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { CfnPermission, type IFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct, type IConstruct } from 'constructs';
import { ENVIRONMENT } from '../lambda/environment';
import type { SessionSettings } from '../lambda/settings';
import type { LegacySessions } from './legacy-sessions';
import type { LegacyMode } from './legacy-sessions-props';
import { isConnected, sessionEnvironment } from './private/connected-function';
import type { LegacyUse } from './private/legacy-permissions';
import { LegacyWiring } from './private/legacy-wiring';
import { addShippedFunction } from './private/shipped-function';
import type { ISessionTable } from './session-table';

/** An authorizer function, defined here or elsewhere. */
export interface ISessionAuthorizerFunction extends IConstruct {
  readonly functionArn: string;
  /** Settings of the sessions it verifies; absent where it is known by its ARN only. */
  readonly settings?: SessionSettings;
}

/** Props of `SessionAuthorizerFunction`. */
export interface SessionAuthorizerFunctionProps {
  /** Holds the sessions, and their settings. */
  readonly sessionTable: ISessionTable;

  /**
   * Say no by throwing `Unauthorized`, which REST and WebSocket APIs answer with 401 but Lambda counts as an error of
   * the function. For APIs whose gateway responses are not yours.
   * @default false - an explicit Deny, which counts as no error
   */
  readonly denyByThrowing?: boolean;

  /**
   * Older systems whose sessions are admitted too, in this order, where a request has no live session of our own; what has
   * moved in or was logged out is refused. Such a request costs up to three reads: the claim, the older session, the user;
   * one more while it is moving in. All others cost what they did. The user record of the settings is not read for them.
   * @default - none
   */
  readonly legacySessions?: LegacySessions[];

  /**
   * What becomes of `legacySessions`, in this function, in the routes of a `SessionApi` and in the handlers of
   * `connectLegacy`: each has it in its variable `SESSIONGATE_LEGACY_MODE`, where it can be changed without a deployment,
   * until the next one. `DRY_RUN` reads and reports, and admits none but signed sessions, which do not move in. `OFF` does not
   * even look, at signed sessions either: whoever relies on such a session has to log in.
   * @default LegacyMode.ON
   */
  readonly legacyMode?: LegacyMode;

  /**
   * How much of `legacySessions` is admitted and moves in with `LegacyMode.ON`, in percent, above 0 and up to 100. The rest is
   * left to the older system and reported, as in a dry run. Which ones is decided by a hash of each session: the same in every
   * function, and a larger part holds all of a smaller one. Each function has it in its variable
   * `SESSIONGATE_LEGACY_SHARE_PERCENT`, where it can be changed as the mode can.
   * @default 100
   */
  readonly legacySharePercent?: number;

  /**
   * Older sessions that began by then are refused, and those that do not tell their beginning. Set it together with a new
   * `epoch`, which by itself ends our own sessions only.
   * @default - no such line
   */
  readonly legacyStartedAfter?: Date;

  /**
   * Memory in MiB, and with it the share of CPU.
   * @default 512
   */
  readonly memorySize?: number;

  /**
   * How many instances may run at once.
   * @default - the account's limit
   */
  readonly reservedConcurrentExecutions?: number;

  /**
   * How long its log is kept.
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;
}

/** An API of another account or region, see `SessionAuthorizerFunction.allowApi`. */
export interface ForeignApi {
  readonly account: string;
  readonly region: string;
  readonly apiId: string;
  /**
   * The one authorizer that may call.
   * @default - every authorizer of the API
   */
  readonly authorizerId?: string;
}

/**
 * Verifies the session cookie with one strongly consistent read. Its role may read session items of the one table and
 * write its own log; with an idle timeout it may also update session items, with a user record read those too, with
 * `legacySessions` read claims, user items and what each of them needs.
 *
 * @example
 * const authorizerFunction = new SessionAuthorizerFunction(this, 'AuthorizerFunction', { sessionTable });
 * const authorizer = new RestSessionAuthorizer(this, 'Authorizer', { authorizerFunction });
 */
export class SessionAuthorizerFunction extends Construct implements ISessionAuthorizerFunction {
  /** A function of another stack, account or region. Result caching cannot be checked for it, so that it stays off. */
  static fromFunctionArn(scope: Construct, id: string, functionArn: string): ISessionAuthorizerFunction {
    class Imported extends Construct implements ISessionAuthorizerFunction {
      readonly functionArn = functionArn;
    }
    return new Imported(scope, id);
  }

  /** The function itself. */
  readonly function: LambdaFunction;
  readonly role: IRole;
  readonly functionArn: string;
  readonly settings: SessionSettings;
  /** Older systems whose sessions it admits; `SessionApi` ends them at logout. */
  readonly legacySessions: LegacySessions[];
  private readonly sessionTable: ISessionTable;
  private readonly legacy: LegacyWiring;
  private readonly apiOrigins: string[] = [];
  private longestCacheSeconds = 0;

  constructor(scope: Construct, id: string, props: SessionAuthorizerFunctionProps) {
    super(scope, id);
    const { sessionTable } = props;
    this.sessionTable = sessionTable;
    this.settings = sessionTable.settings;
    this.legacy = new LegacyWiring(this, sessionTable, props);
    this.legacySessions = this.legacy.sessions;
    const admitsLegacy = this.legacySessions.length > 0;
    const shipped = addShippedFunction(this, {
      asset: admitsLegacy ? 'authorizer-legacy' : 'authorizer',
      description: 'Verifies the session cookie of an API request',
      environment: {
        ...sessionEnvironment(sessionTable),
        // Of this region and partition: the function carries no table of them.
        [ENVIRONMENT.endpoint]: `https://dynamodb.${Stack.of(this).region}.${Stack.of(this).urlSuffix}`,
        ...(props.denyByThrowing === true ? { [ENVIRONMENT.deny]: 'throw' } : {}),
      },
      memorySize: props.memorySize,
      timeout: Duration.seconds(5),
      logRetention: props.logRetention,
      reservedConcurrentExecutions: props.reservedConcurrentExecutions,
    });
    this.function = shipped.function;
    this.role = shipped.role;
    this.functionArn = this.function.functionArn;
    sessionTable.grants.readSession(this.role);
    if (this.settings.idleTimeoutSeconds !== undefined) sessionTable.grants.renewSession(this.role);
    if (this.settings.userRecordAttribute !== undefined) sessionTable.grants.readUserRecord(this.role);
    if (!admitsLegacy) return;
    sessionTable.grants.readLegacyClaims(this.role);
    this._connectLegacy(this.function, 'admit');
  }

  /**
   * Adds an origin under which browsers reach an API that this function serves, such as `https://api.example.com`, to
   * those that the CSRF check takes for the API's own. Without any, it is the domain name of each request.
   */
  addApiOrigin(origin: string): void {
    this.apiOrigins.push(origin);
    this.function.addEnvironment(ENVIRONMENT.apiOrigins, Stack.of(this).toJsonString(this.apiOrigins));
  }

  /**
   * Lets a handler of the application move the sessions of `legacySessions` in: the environment variables by which
   * `legacyFromEnvironment()` of `sessiongate/legacy` finds them, and for each a statement `MoveInLegacySessions1`
   * (`dynamodb:GetItem` and `dynamodb:DeleteItem` on its table's sessions) and `ReadLegacyKeys1`. Signed sessions move in only if they were
   * given with `movesIn`. A function can be connected to one set of `legacySessions`; a second call changes nothing.
   *
   * It connects the session table too, as `sessionTable.connect` does, unless a session table was connected before: where a
   * reference to this one would make stacks depend on each other in a circle, connect one from `fromSessionTableAttributes`
   * first. The login handler of a `SessionApi` needs no such call.
   *
   * In its code the handler passes them on: `createSessions({ legacy: legacyFromEnvironment() })`.
   *
   * @example
   * authorizerFunction.connectLegacy(handler);
   * @throws Error without legacySessions that move in, for a function that is connected to others, or for one whose
   * environment cannot be changed, such as an imported one
   */
  connectLegacy(handler: IFunction): void {
    this.legacy.refuseWithoutMoving(handler);
    if (!isConnected(handler)) this.sessionTable.connect(handler);
    this._connectLegacy(handler, 'moveIn');
  }

  /**
   * Lets an API of another account or region invoke this function. There, use `fromFunctionArn` with the literal ARN;
   * APIs of the same account and region need no such call. A second call for the same API changes nothing.
   */
  allowApi(api: ForeignApi): void {
    const id = `Allow-${api.account}-${api.region}-${api.apiId}-${api.authorizerId ?? 'any'}`;
    if (this.node.tryFindChild(id) !== undefined) return;
    new CfnPermission(this, id, {
      action: 'lambda:InvokeFunction',
      functionName: this.functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: Stack.of(this).formatArn({
        service: 'execute-api',
        account: api.account,
        region: api.region,
        resource: api.apiId,
        resourceName: `authorizers/${api.authorizerId ?? '*'}`,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
    });
  }

  /** @internal Whether some of the older systems' sessions move in, so that a login has to know of their cookies. */
  get _movesLegacyIn(): boolean {
    return this.legacy.moving.length > 0;
  }

  /** @internal Tells a function of the older systems, and allows it what it is for. */
  _connectLegacy(handler: IFunction, use: LegacyUse): void {
    this.legacy.connect(handler, use);
  }

  /** @internal Tells the function for how long gateways keep its answers. */
  _announceCache(seconds: number): void {
    if (seconds <= this.longestCacheSeconds) return;
    this.longestCacheSeconds = seconds;
    this.function.addEnvironment(ENVIRONMENT.cacheSeconds, String(seconds));
  }
}
