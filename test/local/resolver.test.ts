// SPDX-License-Identifier: Apache-2.0
/** CloudFormation functions of a template, resolved to the local stack. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub is written so
import { createResolver } from '../../local/template/resolver';
import type { Template } from '../../local/template/template';

const template: Template = {
  Parameters: { Version: { Default: '6' }, Bucket: {} },
  Resources: {
    Table: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: { TableName: { 'Fn::Sub': '${AWS::StackName}-sessions' } },
    },
    Authorizer: { Type: 'AWS::Lambda::Function', Properties: {} },
    Api: { Type: 'AWS::ApiGateway::RestApi' },
    Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'v1', Empty: { Ref: 'AWS::NoValue' } } },
    Role: { Type: 'AWS::IAM::Role' },
    Odd: { Type: 'AWS::Odd::Thing' },
  },
};
const resolver = createResolver(template, { region: 'eu-central-1', accountId: '123456789012', stackName: 'Local' });

describe('resolves', () => {
  it.each<[string, unknown, unknown]>([
    ['a plain value', { a: [1, 'b', null, true] }, { a: [1, 'b', null, true] }],
    ['a reference to a named resource', { Ref: 'Table' }, 'Local-sessions'],
    ['a reference to a resource without a name', { Ref: 'Authorizer' }, 'Authorizer'],
    ['a reference to a stage', { Ref: 'Stage' }, 'v1'],
    ['a parameter with a default', { Ref: 'Version' }, '6'],
    ['a pseudo parameter', { Ref: 'AWS::Region' }, 'eu-central-1'],
    ['the suffix of URLs', { Ref: 'AWS::URLSuffix' }, 'amazonaws.com'],
    ['no value, left out', { a: { Ref: 'AWS::NoValue' }, b: [{ Ref: 'AWS::NoValue' }, 1] }, { b: [1] }],
    [
      'the ARN of a table',
      { 'Fn::GetAtt': ['Table', 'Arn'] },
      'arn:aws:dynamodb:eu-central-1:123456789012:table/Local-sessions',
    ],
    ['the ARN of a role', { 'Fn::GetAtt': 'Role.Arn' }, 'arn:aws:iam::123456789012:role/Role'],
    ['the root of an API', { 'Fn::GetAtt': ['Api', 'RootResourceId'] }, 'ApiRoot'],
    ['a join of functions', { 'Fn::Join': ['/', ['a', { Ref: 'AWS::Partition' }, { Ref: 'Stage' }]] }, 'a/aws/v1'],
    [
      'a selection from a split ARN',
      { 'Fn::Select': [3, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Authorizer', 'Arn'] }] }] },
      'eu-central-1',
    ],
    [
      'a substitution',
      { 'Fn::Sub': '${Table}:${Authorizer.Arn}:${!Literal}' },
      'Local-sessions:arn:aws:lambda:eu-central-1:123456789012:function:Authorizer:${Literal}',
    ],
    [
      'a substitution with variables',
      { 'Fn::Sub': ['${Name}-${AWS::AccountId}', { Name: { Ref: 'Stage' } }] },
      'v1-123456789012',
    ],
  ])('%s', (_name, value, expected) => {
    expect(resolver.resolve(value)).toEqual(expected);
  });
});

describe('refuses, naming it,', () => {
  it.each<[string, unknown, string]>([
    ['a function it does not know', { 'Fn::ImportValue': 'x' }, 'Fn::ImportValue'],
    ['a conditional', { 'Fn::If': ['A', 1, 2] }, 'Fn::If'],
    ['a resource that is missing', { Ref: 'Missing' }, 'Missing'],
    ['a parameter without a default', { Ref: 'Bucket' }, 'Bucket'],
    ['an attribute it does not know', { 'Fn::GetAtt': ['Odd', 'Colour'] }, 'attribute Colour of Odd (AWS::Odd::Thing)'],
    ['an element that is not there', { 'Fn::Select': [2, ['a']] }, 'Fn::Select'],
    ['a join of no list', { 'Fn::Join': ['', 'a'] }, 'Fn::Join'],
  ])('%s', (_name, value, named) => {
    expect(() => resolver.resolve(value)).toThrow(
      expect.objectContaining({ name: 'TemplateError', message: expect.stringContaining(named) }),
    );
  });
});

it('lists the resources of a type with their properties resolved', () => {
  expect(resolver.resourcesOf('AWS::ApiGateway::Stage')).toEqual([
    { logicalId: 'Stage', properties: { StageName: 'v1' } },
  ]);
});
