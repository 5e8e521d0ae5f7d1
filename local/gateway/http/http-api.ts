// SPDX-License-Identifier: Apache-2.0
/** Reads an HTTP API out of a template: its routes, authorizers and CORS. */
import type { Properties, Resolver } from '../../template/resolver';
import { TemplateError } from '../../template/template';
import { functionArnOf } from '../integration-uri';
import { type CorsConfiguration, readCors } from './http-cors';

export interface HttpApi {
  readonly id: string;
  readonly stage: string;
  readonly stageVariables: Readonly<Record<string, string>>;
  readonly routes: readonly HttpRoute[];
  readonly cors?: CorsConfiguration;
}

export interface HttpRoute {
  /** Such as `GET /sessions/{id}`, `ANY /{proxy+}` or `$default`. */
  readonly routeKey: string;
  /** Absent: anyone may call. */
  readonly authorizer?: HttpAuthorizer;
  readonly integration: HttpIntegration;
}

export type PayloadVersion = '1.0' | '2.0';

export interface HttpIntegration {
  readonly functionArn: string;
  readonly payloadVersion: PayloadVersion;
  readonly timeoutMillis: number;
}

export interface HttpAuthorizer {
  readonly id: string;
  readonly functionArn: string;
  readonly payloadVersion: PayloadVersion;
  /** It answers `isAuthorized` instead of a policy. */
  readonly isSimple: boolean;
  /** Such as `$request.header.Cookie`; all must be present. */
  readonly identitySources: readonly string[];
  /** 0: its results are not kept. Unlike on REST APIs that is the default. */
  readonly cacheSeconds: number;
}

/** An HTTP API waits 30 seconds for an integration (quotas of HTTP APIs). */
const DEFAULT_TIMEOUT_MILLIS = 30_000;
const IDENTITY_SOURCE = /^\$(request\.(header|querystring)\.|stageVariables\.|context\.)./;

/** @throws TemplateError for what the local gateway does not emulate */
export function readHttpApis(resolver: Resolver): readonly HttpApi[] {
  return resolver
    .resourcesOf('AWS::ApiGatewayV2::Api')
    .filter(({ properties }) => properties.ProtocolType === 'HTTP')
    .map(({ logicalId, properties }) => {
      if (properties.Body !== undefined)
        throw new TemplateError(`the local gateway does not emulate Body of ${logicalId}`);
      const id = resolver.physicalName(logicalId);
      const ofThisApi = (type: string) => resolver.resourcesOf(type).filter((entry) => entry.properties.ApiId === id);
      const stage = ofThisApi('AWS::ApiGatewayV2::Stage')[0]?.properties;
      if (stage === undefined)
        throw new TemplateError(`the HTTP API ${logicalId} has no stage, so nothing of it is live`);
      const integrations = mapById(ofThisApi('AWS::ApiGatewayV2::Integration'), readIntegration);
      const authorizers = mapById(ofThisApi('AWS::ApiGatewayV2::Authorizer'), readAuthorizer);
      const cors = readCors(properties.CorsConfiguration as Properties | undefined);
      return {
        id,
        stage: String(stage.StageName),
        stageVariables: (stage.StageVariables ?? {}) as Record<string, string>,
        routes: ofThisApi('AWS::ApiGatewayV2::Route').map((entry) => readRoute(entry, integrations, authorizers)),
        ...(cors === undefined ? {} : { cors }),
      };
    });
}

export interface Entry {
  readonly logicalId: string;
  readonly properties: Properties;
}

/** Read where it is used: one that no route uses may be of any kind. */
export function mapById<Value>(
  entries: readonly Entry[],
  read: (entry: Entry) => Value,
): ReadonlyMap<string, () => Value> {
  return new Map(entries.map((entry) => [entry.logicalId, () => read(entry)]));
}

function readRoute(
  { logicalId, properties }: Entry,
  integrations: ReadonlyMap<string, () => HttpIntegration>,
  authorizers: ReadonlyMap<string, () => HttpAuthorizer>,
): HttpRoute {
  const integration = integrations.get(String(properties.Target).replace(/^integrations\//, ''))?.();
  if (integration === undefined) throw new TemplateError(`the route ${logicalId} has no integration`);
  const { AuthorizationType: type = 'NONE', AuthorizerId: authorizerId } = properties;
  const authorizer = type === 'CUSTOM' ? authorizers.get(String(authorizerId))?.() : undefined;
  if (type !== 'NONE' && authorizer === undefined)
    throw new TemplateError(`the route ${logicalId} has an authorization that is not emulated: ${type}`);
  return {
    routeKey: String(properties.RouteKey),
    integration,
    ...(authorizer === undefined ? {} : { authorizer }),
  };
}

function readIntegration({ logicalId, properties }: Entry): HttpIntegration {
  if (properties.IntegrationType !== 'AWS_PROXY' || properties.IntegrationSubtype !== undefined)
    throw new TemplateError(
      `the local gateway does not emulate the integration ${logicalId} of type ${properties.IntegrationType}`,
    );
  const uri = String(properties.IntegrationUri);
  return {
    functionArn: /^arn:[^:]+:lambda:[^/]+$/.test(uri) ? uri : functionArnOf(uri, logicalId),
    payloadVersion: readPayloadVersion(properties.PayloadFormatVersion, logicalId),
    timeoutMillis: Number(properties.TimeoutInMillis ?? DEFAULT_TIMEOUT_MILLIS),
  };
}

function readAuthorizer({ logicalId, properties }: Entry): HttpAuthorizer {
  if (properties.AuthorizerType !== 'REQUEST')
    throw new TemplateError(
      `the local gateway does not emulate the authorizer ${logicalId} of type ${properties.AuthorizerType}`,
    );
  const identitySources = (properties.IdentitySource ?? []) as string[];
  const unknown = identitySources.find((source) => !IDENTITY_SOURCE.test(source));
  if (unknown !== undefined) throw new TemplateError(`the identity source ${unknown} of ${logicalId} is not emulated`);
  const cacheSeconds = Number(properties.AuthorizerResultTtlInSeconds ?? 0);
  if (cacheSeconds > 0 && identitySources.length === 0)
    throw new TemplateError(`the authorizer ${logicalId} caches its results, and so needs an identity source`);
  return {
    id: logicalId,
    functionArn: functionArnOf(properties.AuthorizerUri, logicalId),
    payloadVersion: readPayloadVersion(properties.AuthorizerPayloadFormatVersion, logicalId),
    isSimple: properties.EnableSimpleResponses === true,
    identitySources,
    cacheSeconds,
  };
}

function readPayloadVersion(value: unknown, logicalId: string): PayloadVersion {
  if (value !== '1.0' && value !== '2.0')
    throw new TemplateError(`the payload format version of ${logicalId} must be 1.0 or 2.0, got ${value}`);
  return value;
}
