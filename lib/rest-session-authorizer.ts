// SPDX-License-Identifier: Apache-2.0
/** Puts the session authorizer in front of the methods of a REST API. */
import { Annotations, Aspects, type Duration, Lazy } from 'aws-cdk-lib';
import {
  AuthorizationType,
  Authorizer,
  CfnAuthorizer,
  type Deployment,
  IdentitySource,
  type IRestApi,
  RestApi,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { type Construct, Dependable, type IConstruct } from 'constructs';
import { ApiAttachment } from './private/api-attachment';
import { openRoutes, routesOf } from './private/api-routes';
import { resultsCacheSeconds } from './private/authorizer-wiring';
import type { ISessionAuthorizerFunction } from './session-authorizer-function';

/** Props of `RestSessionAuthorizer`. */
export interface RestSessionAuthorizerProps {
  /** Verifies the sessions; the same one may serve other APIs too. */
  readonly authorizerFunction: ISessionAuthorizerFunction;

  /**
   * The API, owned or imported, of any stack.
   * @default - the API of the first method that uses the authorizer
   */
  readonly restApi?: IRestApi;

  /**
   * How long API Gateway may give an answer again without asking. Logout and revocation lag by as much. At most 60
   * seconds, and only with csrf 'off' and without an idle timeout.
   * @default Duration.seconds(0) - every request is verified
   */
  readonly resultsCacheTtl?: Duration;

  /**
   * Routes that this app may add to an imported API without any authorization, such as `GET /health`. A method added
   * there has none unless it is given one, whatever the owner of the API set as its default.
   * @default - none: such a method fails synthesis
   */
  readonly openRoutes?: string[];
}

/**
 * A request authorizer for one REST API. A request without a Cookie header gets 401 without an invocation; the
 * resources live in the API's own stack, so that function and API may be in different stacks.
 *
 * @example
 * const authorizer = new RestSessionAuthorizer(this, 'Authorizer', { authorizerFunction });
 * api.root.addResource('orders').addMethod('GET', integration, { authorizer });
 */
export class RestSessionAuthorizer extends Authorizer {
  override readonly authorizationType = AuthorizationType.CUSTOM;
  readonly authorizerId: string;
  private readonly attachment: ApiAttachment<IRestApi, CfnAuthorizer>;
  private isRedeployed = false;

  constructor(scope: Construct, id: string, props: RestSessionAuthorizerProps) {
    super(scope, id);
    const { authorizerFunction } = props;
    const cacheSeconds = resultsCacheSeconds(this, authorizerFunction, props.resultsCacheTtl);
    this.attachment = new ApiAttachment(this, {
      kind: 'REST',
      authorizerFunction,
      apiId: (api) => api.restApiId,
      create: (place, { name, apiId, authorizerUri }, api) => {
        const resource = new CfnAuthorizer(place, 'Resource', {
          name,
          restApiId: apiId,
          type: 'REQUEST',
          identitySource: IdentitySource.header('Cookie'),
          authorizerUri,
          authorizerResultTtlInSeconds: cacheSeconds,
        });
        if (isOwned(api)) redeploy(api.latestDeployment, resource);
        else this.guardImported(api, props.openRoutes);
        return resource;
      },
    });
    this.authorizerId = this.attachment.authorizerId;
    if (props.restApi !== undefined) this.attachment.attach(props.restApi);
  }

  /**
   * Makes a deployment of an imported API depend on this authorizer and on the methods that this app adds, and replace
   * itself when they change: a stage serves the snapshot that its deployment took.
   *
   * @example
   * const deployment = new Deployment(this, 'Deployment', { api: importedApi, stageName: 'prod' });
   * authorizer.redeployOnChange(deployment);
   */
  redeployOnChange(deployment: Deployment): void {
    this.isRedeployed = true;
    const methods = () => routesOf(deployment.api, deployment.api.restApiId).map(({ resource }) => resource);
    const dependencies = {};
    Dependable.implement(dependencies, {
      get dependencyRoots() {
        return methods();
      },
    });
    deployment.node.addDependency(dependencies);
    redeploy(deployment, this.attachment.attachedResource());
    deployment.addToLogicalId(Lazy.any({ produce: () => methods().map((method) => method._toCloudFormation()) }));
  }

  /** @internal Called by each method that uses the authorizer. */
  override _attachToApi(restApi: IRestApi): void {
    this.attachment.attach(restApi);
  }

  private remindOfDeployment(visited: IConstruct, api: IRestApi): void {
    if (visited !== this || this.isRedeployed) return;
    Annotations.of(this).addInfo(
      'nothing on the imported REST API is live before it is deployed: aws apigateway create-deployment ' +
        `--rest-api-id ${api.restApiId} --stage-name <stage>, or redeployOnChange`,
    );
  }

  private guardImported(api: IRestApi, allowed: string[] = []): void {
    Aspects.of(this).add({ visit: (node) => this.remindOfDeployment(node, api) });
    this.node.addValidation({
      validate: () => {
        const open = openRoutes(api, api.restApiId, allowed);
        if (open.length === 0) return [];
        return [
          `methods added to the imported API without authorization: ${open.join(', ')}; pass authorizer, or name them in openRoutes`,
        ];
      },
    });
  }
}

function isOwned(api: IRestApi): boolean {
  return api instanceof RestApi || api instanceof SpecRestApi;
}

/** A stage serves a snapshot of its API: without a new deployment it would go on with the old authorizer. */
function redeploy(deployment: Deployment | undefined, resource: CfnAuthorizer): void {
  if (deployment === undefined) return;
  deployment.node.addDependency(resource);
  deployment.addToLogicalId({
    type: resource.type,
    uri: resource.authorizerUri,
    identitySource: resource.identitySource,
    cacheSeconds: resource.authorizerResultTtlInSeconds,
  });
}
