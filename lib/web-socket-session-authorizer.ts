// SPDX-License-Identifier: Apache-2.0
/** Puts the session authorizer in front of the `$connect` route of a WebSocket API. */
import {
  CfnAuthorizer,
  type IWebSocketApi,
  type IWebSocketRouteAuthorizer,
  type WebSocketRouteAuthorizerBindOptions,
  type WebSocketRouteAuthorizerConfig,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { ApiAttachment } from './private/api-attachment';
import type { ISessionAuthorizerFunction } from './session-authorizer-function';

/** Props of `WebSocketSessionAuthorizer`. */
export interface WebSocketSessionAuthorizerProps {
  /** Verifies the sessions; its settings name the `allowedOrigins` from which a page may connect. */
  readonly authorizerFunction: ISessionAuthorizerFunction;

  /**
   * The API, owned or imported, of any stack.
   * @default - the API of the `$connect` route that uses the authorizer
   */
  readonly webSocketApi?: IWebSocketApi;
}

/**
 * A request authorizer for one WebSocket API. It is asked once, when a connection opens: a connection outlives the
 * session by up to two hours, so close it yourself when a session ends.
 *
 * @example
 * const authorizer = new WebSocketSessionAuthorizer(this, 'Authorizer', { authorizerFunction });
 * const api = new WebSocketApi(this, 'Api', { connectRouteOptions: { integration, authorizer } });
 */
export class WebSocketSessionAuthorizer extends Construct implements IWebSocketRouteAuthorizer {
  readonly authorizationType = 'CUSTOM';
  readonly authorizerId: string;
  private readonly attachment: ApiAttachment<IWebSocketApi, CfnAuthorizer>;

  constructor(scope: Construct, id: string, props: WebSocketSessionAuthorizerProps) {
    super(scope, id);
    const { authorizerFunction } = props;
    if (authorizerFunction.settings?.allowedOrigins.length === 0)
      throw new Error(
        'a WebSocketSessionAuthorizer needs allowedOrigins on the SessionTable: browsers let any page connect with the ' +
          'cookie, so that only pages of these origins are let in',
      );
    this.attachment = new ApiAttachment(this, {
      kind: 'WebSocket',
      authorizerFunction,
      apiId: (api) => api.apiId,
      create: (place, parts) =>
        new CfnAuthorizer(place, 'Resource', {
          ...parts,
          authorizerType: 'REQUEST',
          identitySource: ['route.request.header.Cookie'],
        }),
    });
    this.authorizerId = this.attachment.authorizerId;
    if (props.webSocketApi !== undefined) this.attachment.attach(props.webSocketApi);
  }

  /** Called by the `$connect` route that uses the authorizer. */
  bind({ route }: WebSocketRouteAuthorizerBindOptions): WebSocketRouteAuthorizerConfig {
    this.attachment.attach(route.webSocketApi);
    return { authorizerId: this.authorizerId, authorizationType: this.authorizationType };
  }
}
