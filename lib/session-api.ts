// SPDX-License-Identifier: Apache-2.0
/** A REST API whose every route wants a session, with the routes by which a page manages its sessions. */
import { Duration } from 'aws-cdk-lib';
import {
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../lambda/environment';
import { accessLogFormat } from './private/access-log';
import { addGatewayResponses } from './private/gateway-responses';
import { openRoutes } from './private/open-routes';
import { addShippedFunction } from './private/shipped-function';
import { RestSessionAuthorizer } from './rest-session-authorizer';
import type { SessionAuthorizerFunction } from './session-authorizer-function';
import { type ISessionTable, sessionEnvironment } from './session-table';

/** What can be chosen of a `SessionApi`. */
export interface SessionApiOptions {
  /**
   * Checks the credentials and creates the session; becomes `POST /login`, open, and is connected to the table.
   * @default - no login route; see also `addLoginHandler`
   */
  readonly loginHandler?: IFunction;

  /**
   * Host name of the API, such as `api.example.com`, on the site of the pages that call it: the generated
   * `execute-api` name is another site to every page, so that browsers do not send it a `SameSite=Lax` cookie. The
   * generated endpoint is switched off. Needs `certificate`.
   * @default - the generated endpoint
   */
  readonly domainName?: string;

  /**
   * Certificate of the host name, in the region of the API.
   * @default - none
   */
  readonly certificate?: ICertificate;

  /**
   * Routes besides `POST /login` that may have no authorizer, such as `GET /health`.
   * @default - none: such a route fails synthesis
   */
  readonly publicRoutes?: string[];

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

/** Props of `SessionApi`. */
export interface SessionApiProps extends SessionApiOptions {
  /** Holds the sessions. */
  readonly sessionTable: ISessionTable;
  /** Verifies the sessions. */
  readonly authorizerFunction: SessionAuthorizerFunction;
}

/**
 * `GET` and `DELETE /session` (who am I, log out), `GET` and `DELETE /sessions` (devices, log out everywhere) and
 * `DELETE /sessions/{id}`; every route added to `api` gets the authorizer too.
 *
 * @example
 * const sessionApi = new SessionApi(this, 'Api', { sessionTable, authorizerFunction });
 * sessionApi.api.root.addResource('orders').addMethod('GET', new LambdaIntegration(orders));
 */
export class SessionApi extends Construct {
  /** The API itself; methods added to it are protected. */
  readonly api: RestApi;
  readonly authorizer: RestSessionAuthorizer;
  /** Answers the session routes. */
  readonly function: IFunction;
  /** Where the API is reached, with a slash at the end. */
  readonly url: string;
  private readonly sessionTable: ISessionTable;
  private readonly apiOrigin: string | undefined;
  private readonly publicRoutes: Set<string>;

  constructor(scope: Construct, id: string, props: SessionApiProps) {
    super(scope, id);
    this.sessionTable = props.sessionTable;
    this.publicRoutes = new Set(props.publicRoutes);
    this.apiOrigin = props.domainName === undefined ? undefined : `https://${props.domainName}`;
    if (this.apiOrigin !== undefined) props.authorizerFunction.addApiOrigin(this.apiOrigin);
    const allowedOrigin = onlyOrigin(props.sessionTable);
    this.authorizer = new RestSessionAuthorizer(this, 'Authorizer', {
      authorizerFunction: props.authorizerFunction,
      resultsCacheTtl: props.resultsCacheTtl,
    });
    this.api = this.createApi(props, allowedOrigin);
    addGatewayResponses(this.api, allowedOrigin);
    this.function = this.addSessionRoutes(props);
    this.url = this.apiOrigin === undefined ? this.api.url : `${this.apiOrigin}/`;
    if (props.loginHandler !== undefined) this.addLoginHandler(props.loginHandler);
    this.node.addValidation({ validate: () => this.validateRoutes() });
  }

  /**
   * Adds `POST /login`, open to everyone, and connects its function to the table.
   * @throws Error for a function whose environment cannot be changed, such as an imported one
   */
  addLoginHandler(handler: IFunction): void {
    this.sessionTable.connect(handler);
    if (this.apiOrigin !== undefined)
      (handler as LambdaFunction).addEnvironment(ENVIRONMENT.apiOrigins, JSON.stringify([this.apiOrigin]));
    this.api.root
      .addResource('login')
      .addMethod('POST', integration(handler), { authorizationType: AuthorizationType.NONE });
    this.publicRoutes.add('POST /login');
  }

  private createApi(props: SessionApiProps, allowedOrigin: string | undefined): RestApi {
    const { domainName, certificate } = props;
    if ((domainName === undefined) !== (certificate === undefined))
      throw new Error('domainName and certificate must be given together');
    return new RestApi(this, 'Api', {
      description: 'Every route wants a session',
      endpointTypes: [EndpointType.REGIONAL],
      domainName:
        domainName === undefined || certificate === undefined
          ? undefined
          : { domainName, certificate, endpointType: EndpointType.REGIONAL },
      disableExecuteApiEndpoint: domainName === undefined ? undefined : true,
      cloudWatchRole: props.cloudWatchRole ?? false,
      defaultMethodOptions: { authorizer: this.authorizer, authorizationType: AuthorizationType.CUSTOM },
      defaultCorsPreflightOptions:
        allowedOrigin === undefined
          ? undefined
          : {
              allowOrigins: [allowedOrigin],
              allowCredentials: true,
              allowHeaders: ['Content-Type', 'X-CSRF-Token'],
              maxAge: Duration.minutes(10),
            },
      deployOptions: {
        stageName: props.stageName ?? 'prod',
        throttlingRateLimit: props.throttlingRateLimit ?? 1000,
        throttlingBurstLimit: props.throttlingBurstLimit ?? 1000,
        // The execution log can hold headers, and with them the cookie.
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
        accessLogDestination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', { retention: props.logRetention ?? RetentionDays.THREE_MONTHS }),
        ),
        accessLogFormat: accessLogFormat(),
      },
    });
  }

  private addSessionRoutes(props: SessionApiProps): IFunction {
    const { function: handler } = addShippedFunction(new Construct(this, 'SessionFunction'), {
      asset: 'session-api',
      description: 'Answers /session and /sessions',
      environment: {
        ...sessionEnvironment(props.sessionTable),
        ...(this.apiOrigin === undefined ? {} : { [ENVIRONMENT.apiOrigins]: JSON.stringify([this.apiOrigin]) }),
      },
      timeout: Duration.seconds(10),
      logRetention: props.logRetention,
    });
    props.sessionTable.grants.manageSessions(handler);
    const session = this.api.root.addResource('session');
    const sessions = this.api.root.addResource('sessions');
    for (const method of ['GET', 'DELETE']) {
      session.addMethod(method, integration(handler));
      sessions.addMethod(method, integration(handler));
    }
    sessions.addResource('{id}').addMethod('DELETE', integration(handler));
    return handler;
  }

  private validateRoutes(): string[] {
    const open = openRoutes(this.api).filter((route) => !this.publicRoutes.has(route));
    if (open.length === 0) return [];
    return [
      `routes without the session authorizer: ${open.join(', ')}; remove their authorizationType NONE, or name them in publicRoutes`,
    ];
  }
}

/** One permission per function and API, whatever the number of routes: a function's policy has a size limit. */
function integration(handler: IFunction): LambdaIntegration {
  return new LambdaIntegration(handler, { scopePermissionToMethod: false });
}

/** A REST API answers refusals and preflights with fixed headers, and those can name one origin. */
function onlyOrigin(sessionTable: ISessionTable): string | undefined {
  const { allowedOrigins } = sessionTable.settings;
  if (allowedOrigins.length > 1)
    throw new Error(
      `allowedOrigins has ${allowedOrigins.length} origins, and a REST API can answer only one of them; serve the pages ` +
        'from one origin, put the API under a custom domain of that site, or use an HTTP API with HttpSessionAuthorizer',
    );
  return allowedOrigins[0];
}
