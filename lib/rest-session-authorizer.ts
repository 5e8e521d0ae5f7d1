// SPDX-License-Identifier: Apache-2.0
/** Puts the session authorizer in front of the methods of a REST API. */
import { type Duration, Lazy } from 'aws-cdk-lib';
import {
  AuthorizationType,
  Authorizer,
  CfnAuthorizer,
  IdentitySource,
  type IRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import {
  allowInvocation,
  authorizerName,
  invocationUri,
  refuseOtherEnvironment,
  resultsCacheSeconds,
} from './private/authorizer-wiring';
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
}

/**
 * A request authorizer for one REST API. A request without a Cookie header gets 401 without an invocation; the
 * resources live in the API's own stack, so that function and API may be in different stacks.
 *
 * @example
 * api.root.addResource('orders').addMethod('GET', integration, { authorizer });
 */
export class RestSessionAuthorizer extends Authorizer {
  override readonly authorizationType = AuthorizationType.CUSTOM;
  readonly authorizerId: string;
  private readonly authorizerFunction: ISessionAuthorizerFunction;
  private readonly cacheSeconds: number;
  private restApi?: IRestApi;
  private resource?: CfnAuthorizer;

  constructor(scope: Construct, id: string, props: RestSessionAuthorizerProps) {
    super(scope, id);
    this.authorizerFunction = props.authorizerFunction;
    this.cacheSeconds = resultsCacheSeconds(this, props.authorizerFunction, props.resultsCacheTtl);
    this.authorizerId = Lazy.string({ produce: () => this.attachedResource().ref });
    this.node.addValidation({ validate: () => (this.resource === undefined ? [NOT_ATTACHED] : []) });
    if (props.restApi !== undefined) this._attachToApi(props.restApi);
  }

  /** @internal Called by each method that uses the authorizer. */
  override _attachToApi(restApi: IRestApi): void {
    if (this.restApi !== undefined) {
      if (this.restApi.restApiId !== restApi.restApiId)
        throw new Error(
          `${this.node.path} belongs to the REST API ${this.restApi.node.path}; create another RestSessionAuthorizer ` +
            `with the same authorizerFunction for ${restApi.node.path}`,
        );
      return;
    }
    refuseOtherEnvironment(restApi, this.authorizerFunction);
    this.restApi = restApi;
    this.resource = this.createResource(restApi);
    redeploy(restApi, this.resource);
  }

  private createResource(restApi: IRestApi): CfnAuthorizer {
    const { functionArn } = this.authorizerFunction;
    const name = authorizerName(this, restApi, restApi.restApiId);
    const scope = new Construct(restApi as never, name);
    const resource = new CfnAuthorizer(scope, 'Resource', {
      name,
      restApiId: restApi.restApiId,
      type: 'REQUEST',
      identitySource: IdentitySource.header('Cookie'),
      authorizerUri: invocationUri(restApi, functionArn),
      authorizerResultTtlInSeconds: this.cacheSeconds,
    });
    allowInvocation(scope, { functionArn, apiId: restApi.restApiId, authorizerId: resource.ref });
    return resource;
  }

  private attachedResource(): CfnAuthorizer {
    if (this.resource === undefined) throw new Error(`${this.node.path}: ${NOT_ATTACHED}`);
    return this.resource;
  }
}

const NOT_ATTACHED = 'no REST API uses this authorizer; give it to a method, or set restApi';

/** A stage serves a snapshot of its API: without a new deployment it would go on with the old authorizer. */
function redeploy(restApi: IRestApi, resource: CfnAuthorizer): void {
  const deployment = restApi.latestDeployment;
  if (deployment === undefined) return;
  deployment.node.addDependency(resource);
  deployment.addToLogicalId({
    type: resource.type,
    uri: resource.authorizerUri,
    identitySource: resource.identitySource,
    cacheSeconds: resource.authorizerResultTtlInSeconds,
  });
}
