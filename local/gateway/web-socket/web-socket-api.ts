// SPDX-License-Identifier: Apache-2.0
/** Reads a WebSocket API out of a template: its routes and the authorizer of `$connect`. */
import type { Resolver } from '../../template/resolver';
import { TemplateError } from '../../template/template';
import { type Entry, mapById } from '../http/http-api';
import { functionArnOf } from '../integration-uri';

export interface WebSocketApi {
  readonly id: string;
  readonly stage: string;
  readonly stageVariables: Readonly<Record<string, string>>;
  /** Name of the property of a message that names its route. */
  readonly routeProperty: string;
  /** Function ARNs by route key. */
  readonly routes: ReadonlyMap<string, string>;
  /** Absent: anyone may connect. */
  readonly authorizer?: WebSocketAuthorizer;
}

export interface WebSocketAuthorizer {
  readonly functionArn: string;
  /** Such as `route.request.header.Cookie`; all must be present. */
  readonly identitySources: readonly string[];
}

const IDENTITY_SOURCE = /^route\.request\.(header|querystring)\../;

/** @throws TemplateError for what the local gateway does not emulate */
export function readWebSocketApis(resolver: Resolver): readonly WebSocketApi[] {
  return resolver
    .resourcesOf('AWS::ApiGatewayV2::Api')
    .filter(({ properties }) => properties.ProtocolType === 'WEBSOCKET')
    .map(({ logicalId, properties }) => {
      const id = resolver.physicalName(logicalId);
      const ofThisApi = (type: string) => resolver.resourcesOf(type).filter((entry) => entry.properties.ApiId === id);
      const stage = ofThisApi('AWS::ApiGatewayV2::Stage')[0]?.properties;
      if (stage === undefined)
        throw new TemplateError(`the WebSocket API ${logicalId} has no stage, so nothing of it is live`);
      const integrations = mapById(ofThisApi('AWS::ApiGatewayV2::Integration'), readIntegration);
      const authorizers = mapById(ofThisApi('AWS::ApiGatewayV2::Authorizer'), readAuthorizer);
      const routes = ofThisApi('AWS::ApiGatewayV2::Route');
      const connect = routes.find((route) => route.properties.RouteKey === '$connect');
      const authorizer = connect === undefined ? undefined : authorizerOf(connect, authorizers);
      return {
        id,
        stage: String(stage.StageName),
        stageVariables: (stage.StageVariables ?? {}) as Record<string, string>,
        routeProperty: readRouteProperty(logicalId, properties.RouteSelectionExpression),
        routes: new Map(routes.map((route) => [String(route.properties.RouteKey), functionOf(route, integrations)])),
        ...(authorizer === undefined ? {} : { authorizer }),
      };
    });
}

function readRouteProperty(logicalId: string, expression: unknown): string {
  const property = /^\$request\.body\.(\w+)$/.exec(String(expression))?.[1];
  if (property === undefined)
    throw new TemplateError(`the route selection expression ${expression} of ${logicalId} is not emulated`);
  return property;
}

function functionOf({ logicalId, properties }: Entry, integrations: ReadonlyMap<string, () => string>): string {
  const functionArn = integrations.get(String(properties.Target).replace(/^integrations\//, ''))?.();
  if (functionArn === undefined) throw new TemplateError(`the route ${logicalId} has no integration`);
  return functionArn;
}

function authorizerOf(
  { logicalId, properties }: Entry,
  authorizers: ReadonlyMap<string, () => WebSocketAuthorizer>,
): WebSocketAuthorizer | undefined {
  const { AuthorizationType: type = 'NONE', AuthorizerId: id } = properties;
  if (type === 'NONE') return undefined;
  const authorizer = type === 'CUSTOM' ? authorizers.get(String(id))?.() : undefined;
  if (authorizer === undefined)
    throw new TemplateError(`the route ${logicalId} has an authorization that is not emulated: ${type}`);
  return authorizer;
}

function readIntegration({ logicalId, properties }: Entry): string {
  if (properties.IntegrationType !== 'AWS_PROXY')
    throw new TemplateError(
      `the local gateway does not emulate the integration ${logicalId} of type ${properties.IntegrationType}`,
    );
  return functionArnOf(properties.IntegrationUri, logicalId);
}

function readAuthorizer({ logicalId, properties }: Entry): WebSocketAuthorizer {
  const identitySources = (properties.IdentitySource ?? []) as string[];
  const unknown = identitySources.find((source) => !IDENTITY_SOURCE.test(source));
  if (unknown !== undefined) throw new TemplateError(`the identity source ${unknown} of ${logicalId} is not emulated`);
  return { functionArn: functionArnOf(properties.AuthorizerUri, logicalId), identitySources };
}
