// SPDX-License-Identifier: Apache-2.0
/** Binds an authorizer construct to the one API it protects, however it comes to know it. */
import { Lazy } from 'aws-cdk-lib';
import { Construct, type IConstruct } from 'constructs';
import type { ISessionAuthorizerFunction } from '../session-authorizer-function';
import { allowInvocation, authorizerName, invocationUri, refuseOtherEnvironment } from './authorizer-wiring';

export type ApiKind = 'REST' | 'HTTP' | 'WebSocket';

/** What the authorizer of every kind of API consists of. */
export interface AuthorizerParts {
  readonly name: string;
  readonly apiId: string;
  readonly authorizerUri: string;
}

export interface ApiAttachmentProps<Api extends IConstruct, Resource extends IConstruct & { readonly ref: string }> {
  readonly kind: ApiKind;
  readonly authorizerFunction: ISessionAuthorizerFunction;
  /** Where the API's id is read from. */
  readonly apiId: (api: Api) => string;
  /** Makes the CloudFormation resource in a scope of the API's stack. */
  readonly create: (scope: Construct, parts: AuthorizerParts, api: Api) => Resource;
}

/**
 * The authorizer and its permission are made when the API is first known, in the API's own stack: so an API may use a
 * function of another stack, which never depends on the API.
 */
export class ApiAttachment<Api extends IConstruct, Resource extends IConstruct & { readonly ref: string }> {
  /** Id of the authorizer; resolves once it is attached. */
  readonly authorizerId: string;
  private api?: Api;
  private resource?: Resource;

  constructor(
    private readonly owner: Construct,
    private readonly props: ApiAttachmentProps<Api, Resource>,
  ) {
    this.authorizerId = Lazy.string({ produce: () => this.attachedResource().ref });
    owner.node.addValidation({ validate: () => (this.resource === undefined ? [this.notAttached()] : []) });
  }

  /** Makes the authorizer for this API; for the same API again, nothing. */
  attach(api: Api): void {
    const { kind, authorizerFunction, apiId, create } = this.props;
    refuseOtherKind(kind, api);
    if (this.api !== undefined) {
      if (apiId(this.api) === apiId(api)) return;
      throw new Error(
        `${this.owner.node.path} belongs to the ${kind} API ${this.api.node.path}; create another ` +
          `${this.owner.constructor.name} with the same authorizerFunction for ${api.node.path}`,
      );
    }
    refuseOtherEnvironment(api, authorizerFunction);
    this.api = api;
    const { functionArn } = authorizerFunction;
    const name = authorizerName(this.owner, api, apiId(api));
    const scope = new Construct(api as never, name);
    const parts = { name, apiId: apiId(api), authorizerUri: invocationUri(api, functionArn) };
    this.resource = create(scope, parts, api);
    allowInvocation(scope, { functionArn, apiId: apiId(api), authorizerId: this.resource.ref });
  }

  attachedResource(): Resource {
    if (this.resource === undefined) throw new Error(`${this.owner.node.path}: ${this.notAttached()}`);
    return this.resource;
  }

  private notAttached(): string {
    const prop = { REST: 'restApi', HTTP: 'httpApi', WebSocket: 'webSocketApi' }[this.props.kind];
    return `no ${this.props.kind} API uses this authorizer; give it to a route, or set ${prop}`;
  }
}

/** The types of the API's constructs say so too; this is for whoever has none. */
function refuseOtherKind(wanted: ApiKind, api: IConstruct): void {
  const kind = kindOf(api);
  if (kind !== undefined && kind !== wanted)
    throw new Error(`${api.node.path} is a ${kind} API; use the SessionAuthorizer for ${kind} APIs`);
}

function kindOf(api: IConstruct): ApiKind | undefined {
  if ('restApiId' in api) return 'REST';
  if ('isHttpApi' in api || 'httpApiId' in api) return 'HTTP';
  return 'isWebsocketApi' in api ? 'WebSocket' : undefined;
}
