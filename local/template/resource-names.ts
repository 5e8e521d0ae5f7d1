// SPDX-License-Identifier: Apache-2.0
/** What `Ref` and `Fn::GetAtt` give for a resource that exists only here. */
import { type StackEnvironment, TemplateError, type TemplateResource } from './template';

/** Properties that hold a resource's own name; where there is none, its logical id serves. */
const NAME_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Stage': 'StageName',
  'AWS::ApiGatewayV2::Stage': 'StageName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
};

/** The part of an ARN after the account. */
const ARN_RESOURCES: Readonly<Record<string, (name: string) => [service: string, resource: string]>> = {
  'AWS::DynamoDB::GlobalTable': (name) => ['dynamodb', `table/${name}`],
  'AWS::DynamoDB::Table': (name) => ['dynamodb', `table/${name}`],
  'AWS::IAM::Role': (name) => ['iam', `role/${name}`],
  'AWS::Lambda::Function': (name) => ['lambda', `function:${name}`],
  'AWS::Logs::LogGroup': (name) => ['logs', `log-group:${name}:*`],
};

/** The property that may name the resource, for the caller to resolve. */
export function nameProperty(resource: TemplateResource): unknown {
  const property = NAME_PROPERTIES[resource.Type];
  return property === undefined ? undefined : resource.Properties?.[property];
}

export function attributeOf(
  logicalId: string,
  type: string,
  physicalName: string,
  attribute: string,
  environment: StackEnvironment,
): string {
  const arn = ARN_RESOURCES[type];
  if (attribute === 'Arn' && arn !== undefined) {
    const [service, resource] = arn(physicalName);
    // IAM is global: its ARNs have no region.
    const region = service === 'iam' ? '' : environment.region;
    return `arn:aws:${service}:${region}:${environment.accountId}:${resource}`;
  }
  if (attribute === 'RootResourceId' && type === 'AWS::ApiGateway::RestApi') return rootResourceId(logicalId);
  // These resources have an id for `Ref` and the same one as an attribute.
  if (/^(RestApiId|ApiId|AuthorizerId|ResourceId|DeploymentId)$/.test(attribute)) return physicalName;
  throw new TemplateError(`the local stack does not know the attribute ${attribute} of ${logicalId} (${type})`);
}

export function rootResourceId(restApiLogicalId: string): string {
  return `${restApiLogicalId}Root`;
}
