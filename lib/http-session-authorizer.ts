// SPDX-License-Identifier: Apache-2.0
/** Puts the session authorizer in front of the routes of an HTTP API. */
import { Annotations, type Duration } from 'aws-cdk-lib';
import {
  CfnAuthorizer,
  HttpApi,
  type HttpRouteAuthorizerBindOptions,
  type HttpRouteAuthorizerConfig,
  type IHttpApi,
  type IHttpRouteAuthorizer,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { ApiAttachment } from './private/api-attachment';
import { openRoutes } from './private/api-routes';
import { resultsCacheSeconds } from './private/authorizer-wiring';
import type { ISessionAuthorizerFunction } from './session-authorizer-function';

/** Props of `HttpSessionAuthorizer`. */
export interface HttpSessionAuthorizerProps {
  /** Verifies the sessions; the same one may serve other APIs too. */
  readonly authorizerFunction: ISessionAuthorizerFunction;

  /**
   * The API, owned or imported, of any stack.
   * @default - the API of the first route that uses the authorizer
   */
  readonly httpApi?: IHttpApi;

  /**
   * How long API Gateway may give an answer again without asking. Logout and revocation lag by as much. At most 60
   * seconds, and only with csrf 'off' and without an idle timeout.
   * @default Duration.seconds(0) - every request is verified
   */
  readonly resultsCacheTtl?: Duration;

  /**
   * Routes that this app may add to an imported API without any authorization, such as `GET /health`.
   * @default - none: such a route fails synthesis
   */
  readonly openRoutes?: string[];
}

/**
 * A request authorizer for one HTTP API: payload 2.0, answered with a policy. A request without a Cookie header gets
 * 401 without an invocation, one without a live session 403: an HTTP API has no gateway responses to change that.
 *
 * @example
 * const authorizer = new HttpSessionAuthorizer(this, 'Authorizer', { authorizerFunction });
 * const api = new HttpApi(this, 'Api', { defaultAuthorizer: authorizer });
 */
export class HttpSessionAuthorizer extends Construct implements IHttpRouteAuthorizer {
  readonly authorizationType = 'CUSTOM';
  readonly authorizerId: string;
  private readonly attachment: ApiAttachment<IHttpApi, CfnAuthorizer>;

  constructor(scope: Construct, id: string, props: HttpSessionAuthorizerProps) {
    super(scope, id);
    const { authorizerFunction } = props;
    const cacheSeconds = resultsCacheSeconds(this, authorizerFunction, props.resultsCacheTtl);
    this.attachment = new ApiAttachment(this, {
      kind: 'HTTP',
      authorizerFunction,
      apiId: (api) => api.apiId,
      create: (place, parts, api) => {
        if (!(api instanceof HttpApi)) this.guardImported(api, props.openRoutes);
        return new CfnAuthorizer(place, 'Resource', {
          ...parts,
          authorizerType: 'REQUEST',
          identitySource: ['$request.header.Cookie'],
          authorizerPayloadFormatVersion: '2.0',
          enableSimpleResponses: false,
          authorizerResultTtlInSeconds: cacheSeconds,
        });
      },
    });
    this.authorizerId = this.attachment.authorizerId;
    if (props.httpApi !== undefined) this.attachment.attach(props.httpApi);
  }

  /** Called by each route that uses the authorizer. */
  bind({ route }: HttpRouteAuthorizerBindOptions): HttpRouteAuthorizerConfig {
    if (route.path === undefined)
      Annotations.of(this).addWarningV2(
        'sessiongate:defaultRoute',
        'the $default route also catches OPTIONS, whose preflight never carries a cookie: add an OPTIONS /{proxy+} route with HttpNoneAuthorizer',
      );
    this.attachment.attach(route.httpApi);
    return { authorizerId: this.authorizerId, authorizationType: this.authorizationType };
  }

  private guardImported(api: IHttpApi, allowed: string[] = []): void {
    this.node.addValidation({
      validate: () => {
        const open = openRoutes(api, api.apiId, allowed);
        if (open.length === 0) return [];
        return [
          `routes added to the imported API without authorization: ${open.join(', ')}; pass authorizer, or name them in openRoutes`,
        ];
      },
    });
  }
}
