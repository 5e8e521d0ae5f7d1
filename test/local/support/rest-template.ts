// SPDX-License-Identifier: Apache-2.0
/** A REST API written by hand, with the resources that CDK would write for it. */
import type { Template, TemplateResource } from '../../../local/template/template';

export const ENVIRONMENT = { region: 'eu-central-1', accountId: '123456789012', stackName: 'Tested' };
export const AUTHORIZER_ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:Authorizer';
export const BACKEND_ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:Backend';
export const STAGE_ARN = 'arn:aws:execute-api:eu-central-1:123456789012:Api/v1';

const RestApiId = { Ref: 'Api' };
const CODE = { S3Bucket: 'assets', S3Key: 'backend.zip' };

function uriOf(logicalId: string): object {
  return {
    'Fn::Join': [
      '',
      [
        'arn:',
        { 'Fn::Select': [1, { 'Fn::Split': [':', { 'Fn::GetAtt': [logicalId, 'Arn'] }] }] },
        ':apigateway:',
        { Ref: 'AWS::Region' },
        ':lambda:path/2015-03-31/functions/',
        { 'Fn::GetAtt': [logicalId, 'Arn'] },
        '/invocations',
      ],
    ],
  };
}

function resource(parent: object, PathPart: string): TemplateResource {
  return { Type: 'AWS::ApiGateway::Resource', Properties: { RestApiId, ParentId: parent, PathPart } };
}

export function method(resourceId: object, HttpMethod: string, change: object = {}): TemplateResource {
  return {
    Type: 'AWS::ApiGateway::Method',
    Properties: {
      RestApiId,
      ResourceId: resourceId,
      HttpMethod,
      AuthorizationType: 'CUSTOM',
      AuthorizerId: { Ref: 'SessionAuthorizer' },
      Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: uriOf('Backend') },
      ...change,
    },
  };
}

const ROOT = { 'Fn::GetAtt': ['Api', 'RootResourceId'] };
const OPEN = { AuthorizationType: 'NONE', AuthorizerId: { Ref: 'AWS::NoValue' } };

/** @param changes - resources to add or to put in place of others */
export function restTemplate(changes: Readonly<Record<string, TemplateResource>> = {}): Template {
  return {
    Resources: {
      Authorizer: { Type: 'AWS::Lambda::Function', Properties: { Code: CODE, Handler: 'index.handler' } },
      Backend: { Type: 'AWS::Lambda::Function', Properties: { Code: CODE, Handler: 'index.handler' } },
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'Api' } },
      Deployment: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId } },
      Stage: {
        Type: 'AWS::ApiGateway::Stage',
        Properties: { RestApiId, DeploymentId: { Ref: 'Deployment' }, StageName: 'v1' },
      },
      SessionAuthorizer: authorizer(),
      // Children before parents, because a template promises no order.
      DeviceById: resource({ Ref: 'Devices' }, '{id}'),
      Devices: resource(ROOT, 'devices'),
      DevicesMine: resource({ Ref: 'Devices' }, 'mine'),
      Session: resource(ROOT, 'session'),
      Files: resource(ROOT, 'files'),
      FilesProxy: resource({ Ref: 'Files' }, '{proxy+}'),
      Login: resource(ROOT, 'login'),
      RootGet: method(ROOT, 'GET'),
      SessionGet: method({ Ref: 'Session' }, 'GET'),
      SessionDelete: method({ Ref: 'Session' }, 'DELETE'),
      SessionOptions: preflight({ Ref: 'Session' }),
      DeviceDelete: method({ Ref: 'DeviceById' }, 'DELETE'),
      DevicesMineGet: method({ Ref: 'DevicesMine' }, 'GET'),
      FilesAny: method({ Ref: 'FilesProxy' }, 'ANY'),
      LoginPost: method({ Ref: 'Login' }, 'POST', OPEN),
      ...changes,
    },
  };
}

export function authorizer(change: object = {}): TemplateResource {
  return {
    Type: 'AWS::ApiGateway::Authorizer',
    Properties: {
      RestApiId,
      Type: 'REQUEST',
      IdentitySource: 'method.request.header.Cookie',
      AuthorizerResultTtlInSeconds: 0,
      AuthorizerUri: uriOf('Authorizer'),
      ...change,
    },
  };
}

export function gatewayResponse(ResponseType: string, change: object): TemplateResource {
  return { Type: 'AWS::ApiGateway::GatewayResponse', Properties: { RestApiId, ResponseType, ...change } };
}

function preflight(resourceId: object): TemplateResource {
  return method(resourceId, 'OPTIONS', {
    ...OPEN,
    Integration: {
      Type: 'MOCK',
      RequestTemplates: { 'application/json': '{ statusCode: 200 }' },
      IntegrationResponses: [
        {
          StatusCode: '204',
          ResponseParameters: {
            'method.response.header.Access-Control-Allow-Origin': "'https://app.example.com'",
            'method.response.header.Access-Control-Allow-Credentials': "'true'",
          },
        },
      ],
    },
  });
}
