// SPDX-License-Identifier: Apache-2.0
/** A REST API whose every route wants a session, with the routes by which a page manages its sessions. */
import { Duration, Names } from 'aws-cdk-lib';
import {
  AuthorizationType,
  type DomainNameOptions,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../lambda/environment';
import { accessLogFormat } from './private/access-log';
import { acknowledgeFindings } from './private/acknowledged-findings';
import { routesOf } from './private/api-routes';
import { addVariable, sessionEnvironment } from './private/connected-function';
import { addGatewayResponses } from './private/gateway-responses';
import { addShippedFunction } from './private/shipped-function';
import { RestSessionAuthorizer } from './rest-session-authorizer';
import type { SessionApiOptions } from './session-api-options';
import type { SessionAuthorizerFunction } from './session-authorizer-function';
import type { ISessionTable } from './session-table';

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
  private readonly routesWithoutSession: Set<string>;

  constructor(scope: Construct, id: string, props: SessionApiProps) {
    super(scope, id);
    this.sessionTable = props.sessionTable;
    this.routesWithoutSession = new Set(props.routesWithoutSession);
    this.apiOrigin = props.domainName === undefined ? undefined : `https://${props.domainName}`;
    if (this.apiOrigin !== undefined) props.authorizerFunction.addApiOrigin(this.apiOrigin);
    const allowedOrigin = onlyOrigin(props.sessionTable);
    this.authorizer = new RestSessionAuthorizer(this, 'Authorizer', {
      authorizerFunction: props.authorizerFunction,
      resultsCacheTtl: props.resultsCacheTtl,
    });
    this.api = this.createApi(props, allowedOrigin);
    addGatewayResponses(this.api, allowedOrigin);
    acknowledgeFindings(this.api, 'APIG2', 'APIG3', 'APIG6', 'COG4');
    this.function = this.addSessionRoutes(props);
    this.url = this.apiOrigin === undefined ? this.api.url : `${this.apiOrigin}/`;
    if (props.loginHandler !== undefined) this.addLoginHandler(props.loginHandler);
    this.node.addValidation({ validate: () => this.validateRoutes() });
  }

  /**
   * Adds `POST /login`, open to everyone, and connects its function to the table.
   * @throws Error for a second one, or for a function whose environment cannot be changed, such as an imported one
   */
  addLoginHandler(handler: IFunction): void {
    if (this.routesWithoutSession.has(LOGIN))
      throw new Error(
        `${this.node.path} has a login handler already; give it once, as loginHandler or by addLoginHandler`,
      );
    this.sessionTable.connect(handler);
    if (this.apiOrigin !== undefined) addVariable(handler, ENVIRONMENT.apiOrigins, JSON.stringify([this.apiOrigin]));
    const login = this.api.root
      .addResource('login')
      .addMethod('POST', integration(handler), { authorizationType: AuthorizationType.NONE });
    acknowledgeFindings(login, 'APIG4');
    this.routesWithoutSession.add(LOGIN);
  }

  private createApi(props: SessionApiProps, allowedOrigin: string | undefined): RestApi {
    return new RestApi(this, 'Api', {
      restApiName: Names.uniqueResourceName(this, { maxLength: 100 }),
      description: 'Every route wants a session',
      endpointTypes: [EndpointType.REGIONAL],
      domainName: this.domainNameOptions(props),
      disableExecuteApiEndpoint: props.domainName === undefined ? undefined : true,
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

  private domainNameOptions({ domainName, certificateArn }: SessionApiProps): DomainNameOptions | undefined {
    if ((domainName === undefined) !== (certificateArn === undefined))
      throw new Error('domainName and certificateArn must be given together');
    if (domainName === undefined || certificateArn === undefined) return undefined;
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    return { domainName, certificate, endpointType: EndpointType.REGIONAL };
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
    const unintended = routesOf(this.api, this.api.restApiId)
      .filter(({ authorizerId }) => authorizerId !== this.authorizer.authorizerId)
      .map(({ name }) => name)
      .filter((name) => !this.routesWithoutSession.has(name));
    if (unintended.length === 0) return [];
    return [
      `routes without the session authorizer: ${unintended.join(', ')}; leave their authorization to the API, or name ` +
        'them in routesWithoutSession',
    ];
  }
}

const LOGIN = 'POST /login';

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
