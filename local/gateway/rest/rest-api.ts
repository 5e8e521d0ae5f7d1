// SPDX-License-Identifier: Apache-2.0
/** Reads a REST API out of a template: its routes, authorizers and gateway responses. */

import type { Properties, Resolver } from '../../template/resolver';
import { rootResourceId } from '../../template/resource-names';
import { TemplateError } from '../../template/template';
import { functionArnOf } from '../integration-uri';
import { type GatewayResponse, readGatewayResponse } from './gateway-response';
import { readIdentitySources } from './identity-source';
import { type Integration, readIntegration } from './integration';

export interface RestApi {
  readonly id: string;
  readonly stage: string;
  readonly stageVariables: Readonly<Record<string, string>>;
  readonly deploymentId: string;
  readonly routes: readonly RestRoute[];
  readonly gatewayResponses: ReadonlyMap<string, GatewayResponse>;
}

export interface RestRoute {
  /** Template of the path, such as `/sessions/{id}`. */
  readonly resourcePath: string;
  readonly resourceId: string;
  /** A method, or `ANY`. */
  readonly method: string;
  /** Absent: anyone may call. */
  readonly authorizer?: RestAuthorizer;
  readonly integration: Integration;
}

export interface RestAuthorizer {
  readonly id: string;
  readonly functionArn: string;
  /** Such as `method.request.header.Cookie`; all must be present. */
  readonly identitySources: readonly string[];
  /** 0: its results are not kept. */
  readonly cacheSeconds: number;
}

/** Caching is on unless it is switched off (CloudFormation reference, AWS::ApiGateway::Authorizer). */
const DEFAULT_CACHE_SECONDS = 300;

/** @throws TemplateError for what the local gateway does not emulate */
export function readRestApis(resolver: Resolver): readonly RestApi[] {
  return resolver.resourcesOf('AWS::ApiGateway::RestApi').map(({ logicalId, properties }) => {
    refuse(logicalId, properties, ['Policy', 'Body', 'BodyS3Location', 'BinaryMediaTypes']);
    const id = resolver.physicalName(logicalId);
    const ofThisApi = (type: string) => resolver.resourcesOf(type).filter((entry) => entry.properties.RestApiId === id);
    const stage = ofThisApi('AWS::ApiGateway::Stage')[0]?.properties;
    if (stage === undefined)
      throw new TemplateError(`the REST API ${logicalId} has no stage, so nothing of it is live`);
    const authorizers = new Map(
      ofThisApi('AWS::ApiGateway::Authorizer').map((entry) => [entry.logicalId, readAuthorizer(entry)]),
    );
    const paths = resourcePaths(rootResourceId(logicalId), ofThisApi('AWS::ApiGateway::Resource'));
    return {
      id,
      stage: String(stage.StageName),
      stageVariables: (stage.Variables ?? {}) as Record<string, string>,
      deploymentId: String(stage.DeploymentId),
      routes: ofThisApi('AWS::ApiGateway::Method').map((entry) => readRoute(entry, paths, authorizers)),
      gatewayResponses: new Map(
        ofThisApi('AWS::ApiGateway::GatewayResponse').map((entry) => [
          String(entry.properties.ResponseType),
          readGatewayResponse(entry.logicalId, entry.properties),
        ]),
      ),
    };
  });
}

interface Entry {
  readonly logicalId: string;
  readonly properties: Properties;
}

function readAuthorizer({ logicalId, properties }: Entry): RestAuthorizer {
  if (properties.Type !== 'REQUEST')
    throw new TemplateError(
      `the local gateway does not emulate the authorizer ${logicalId} of type ${properties.Type}`,
    );
  const identitySources = readIdentitySources(logicalId, properties.IdentitySource);
  const cacheSeconds = Number(properties.AuthorizerResultTtlInSeconds ?? DEFAULT_CACHE_SECONDS);
  if (cacheSeconds > 0 && identitySources.length === 0)
    throw new TemplateError(`the authorizer ${logicalId} caches its results, and so needs an identity source`);
  return {
    id: logicalId,
    functionArn: functionArnOf(properties.AuthorizerUri, logicalId),
    identitySources,
    cacheSeconds,
  };
}

function readRoute(
  { logicalId, properties }: Entry,
  paths: ReadonlyMap<string, string>,
  authorizers: ReadonlyMap<string, RestAuthorizer>,
): RestRoute {
  refuse(logicalId, properties, ['RequestValidatorId', 'RequestModels', 'AuthorizationScopes']);
  if (properties.ApiKeyRequired === true) refuse(logicalId, { ApiKeyRequired: true }, ['ApiKeyRequired']);
  const resourceId = String(properties.ResourceId);
  const resourcePath = paths.get(resourceId);
  if (resourcePath === undefined) throw new TemplateError(`the method ${logicalId} belongs to no resource of its API`);
  return {
    resourcePath,
    resourceId,
    method: String(properties.HttpMethod),
    ...readAuthorization(logicalId, properties, authorizers),
    integration: readIntegration(logicalId, properties),
  };
}

function readAuthorization(
  logicalId: string,
  { AuthorizationType: type = 'NONE', AuthorizerId: id }: Properties,
  authorizers: ReadonlyMap<string, RestAuthorizer>,
): { readonly authorizer?: RestAuthorizer } {
  if (type === 'NONE') return {};
  const authorizer = type === 'CUSTOM' ? authorizers.get(String(id)) : undefined;
  if (authorizer === undefined)
    throw new TemplateError(`the method ${logicalId} has an authorization that is not emulated: ${type} ${id ?? ''}`);
  return { authorizer };
}

/** Paths by resource id; resources may stand in any order. */
function resourcePaths(rootId: string, resources: readonly Entry[]): ReadonlyMap<string, string> {
  const byId = new Map(resources.map(({ logicalId, properties }) => [logicalId, properties]));
  const pathOf = (id: string): string => {
    const properties = byId.get(id);
    return properties === undefined ? '' : `${pathOf(String(properties.ParentId))}/${properties.PathPart}`;
  };
  return new Map([[rootId, '/'], ...[...byId.keys()].map((id) => [id, pathOf(id)] as const)]);
}

/** What is left out here could let a request through that AWS refuses. */
function refuse(logicalId: string, properties: Properties, names: readonly string[]): void {
  const found = names.find((name) => properties[name] !== undefined);
  if (found !== undefined) throw new TemplateError(`the local gateway does not emulate ${found} of ${logicalId}`);
}
