// SPDX-License-Identifier: Apache-2.0
/** A REST API whose every route wants a session, with the routes by which a page manages its sessions. */
import { Duration, Stack } from 'aws-cdk-lib';
import { AuthorizationType, LambdaIntegration, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../lambda/environment';
import { acknowledgeFindings } from './private/acknowledged-findings';
import { routesOf } from './private/api-routes';
import { addVariable } from './private/connected-function';
import { warnOfOtherSite } from './private/other-site';
import { createProtectedRestApi } from './private/protected-rest-api';
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
 * `DELETE /sessions/{id}`; every route added to `api` gets the authorizer too. A logout also ends a session of an older
 * system that the authorizer admits (`legacySessions`).
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
  private readonly authorizerFunction: SessionAuthorizerFunction;
  private readonly apiOrigin: string | undefined;
  private readonly routesWithoutSession: Set<string>;
  private hasLogin = false;

  constructor(scope: Construct, id: string, props: SessionApiProps) {
    super(scope, id);
    this.sessionTable = props.sessionTable;
    this.authorizerFunction = props.authorizerFunction;
    this.routesWithoutSession = new Set(props.routesWithoutSession);
    this.apiOrigin = props.domainName === undefined ? undefined : `https://${props.domainName}`;
    if (this.apiOrigin !== undefined) props.authorizerFunction.addApiOrigin(this.apiOrigin);
    const allowedOrigin = onlyOrigin(props.sessionTable);
    warnOfOtherSite(this, props.domainName, props.sessionTable.settings.allowedOrigins);
    this.authorizer = new RestSessionAuthorizer(this, 'Authorizer', {
      authorizerFunction: props.authorizerFunction,
      resultsCacheTtl: props.resultsCacheTtl,
    });
    this.api = createProtectedRestApi(this, { ...props, authorizer: this.authorizer, allowedOrigin });
    this.function = this.addSessionRoutes(props);
    this.url = this.apiOrigin === undefined ? this.api.url : `${this.apiOrigin}/`;
    if (props.loginHandler !== undefined) this.addLoginHandler(props.loginHandler);
    this.node.addValidation({ validate: () => this.validateRoutes() });
  }

  /**
   * Adds `POST /login`, open to everyone, and connects its function to the table; with `legacySessions` that move in also to
   * those, as `authorizerFunction.connectLegacy` does: a login that knew nothing of older cookies would leave that of another
   * user in the browser, which acts for them again once the new session has ended. Then its code must say what it does with
   * them: `createSessions({ legacy: legacyFromEnvironment() })`, of `sessiongate/legacy`.
   * @throws Error for a second one, or for a function whose environment cannot be changed, such as an imported one
   */
  addLoginHandler(handler: IFunction): void {
    if (this.hasLogin)
      throw new Error(
        `${this.node.path} has a login handler already; give it once, as loginHandler or by addLoginHandler`,
      );
    this.refuseCycle(handler);
    this.hasLogin = true;
    this.sessionTable.connect(handler);
    if (this.authorizerFunction._movesLegacyIn) this.authorizerFunction.connectLegacy(handler);
    if (this.apiOrigin !== undefined) addVariable(handler, ENVIRONMENT.apiOrigins, JSON.stringify([this.apiOrigin]));
    const { root } = this.api;
    const login = (root.getResource('login') ?? root.addResource('login')).addMethod('POST', integration(handler), {
      authorizationType: AuthorizationType.NONE,
    });
    acknowledgeFindings(login, 'APIG4');
    this.routesWithoutSession.add(LOGIN);
  }

  /** The handler reads the table and the API refers to the handler: across stacks, two of the three must not share one. */
  private refuseCycle(handler: IFunction): void {
    const [api, table, login] = [this, this.sessionTable, handler].map((construct) => Stack.of(construct));
    if (api === table && login !== api)
      throw new Error(
        `define the login handler ${handler.node.path} in the stack ${api?.node.path}, where table and API are`,
      );
  }

  private addSessionRoutes(props: SessionApiProps): IFunction {
    const handler = this.addSessionFunction(props);
    const session = this.api.root.addResource('session');
    const sessions = this.api.root.addResource('sessions');
    for (const method of ['GET', 'DELETE']) {
      session.addMethod(method, integration(handler));
      sessions.addMethod(method, integration(handler));
    }
    sessions.addResource('{id}').addMethod('DELETE', integration(handler));
    return handler;
  }

  private addSessionFunction({ sessionTable, authorizerFunction, logRetention }: SessionApiProps): IFunction {
    const endsLegacy = authorizerFunction.legacySessions.length > 0;
    const { function: handler } = addShippedFunction(new Construct(this, 'SessionFunction'), {
      asset: endsLegacy ? 'session-api-legacy' : 'session-api',
      description: 'Answers /session and /sessions',
      environment: this.apiOrigin === undefined ? {} : { [ENVIRONMENT.apiOrigins]: JSON.stringify([this.apiOrigin]) },
      timeout: Duration.seconds(10),
      logRetention,
    });
    sessionTable.connect(handler);
    if (endsLegacy) authorizerFunction._connectLegacy(handler, 'end');
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
