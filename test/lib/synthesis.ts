// SPDX-License-Identifier: Apache-2.0
/** Synthesizes constructs in process, with the context of cdk.json, as `npx cdk synth` does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack, type StackProps } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Code, type FunctionProps, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { context } from '../../cdk.json';

// CDK's own template validator takes seconds a run, and `npx cdk synth` runs it anyway.
process.env.CDK_VALIDATION = 'false';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function createApp(extraContext: Record<string, unknown> = {}): App {
  const outdir = mkdtempSync(join(tmpdir(), 'sessiongate-synth-'));
  folders.push(outdir);
  return new App({ context: { ...context, ...extraContext }, outdir });
}

export function createStack(props: StackProps = {}): Stack {
  return new Stack(createApp(), 'Stack', props);
}

export function createFunction(scope: Construct, id = 'Handler', props: Partial<FunctionProps> = {}): LambdaFunction {
  return new LambdaFunction(scope, id, {
    code: Code.fromInline('exports.handler = async () => ({ statusCode: 200 })'),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    ...props,
  });
}

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON of any shape
  readonly Properties: any;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
}

/** The resources of a type, by logical id. */
export function resourcesOf(stack: Stack, type: string): Record<string, Resource> {
  return Template.fromStack(stack).findResources(type) as Record<string, Resource>;
}

/** The properties of the only resource of a type. */
// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of any shape
export function onlyResource(stack: Stack, type: string): any {
  const resources = Object.values(resourcesOf(stack, type));
  expect(resources).toHaveLength(1);
  return resources[0]?.Properties;
}

/** Every permission that a role gets from the template, as `action on resource` per statement. */
export function statementsOf(stack: Stack, descriptionOfFunction: string): Statement[] {
  const functions = resourcesOf(stack, 'AWS::Lambda::Function');
  const handler = Object.values(functions).find(({ Properties }) => Properties.Description === descriptionOfFunction);
  const role = handler?.Properties.Role['Fn::GetAtt'][0];
  expect(role).toBeDefined();
  return Object.values(resourcesOf(stack, 'AWS::IAM::Policy'))
    .filter(({ Properties }) => Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .map((statement) => ({ ...statement, Action: [statement.Action].flat() }));
}

export interface Statement {
  readonly Action: readonly string[];
  readonly Resource: unknown;
  readonly Effect: string;
  readonly Sid?: string;
  readonly Condition?: unknown;
}

/** The routes of a REST API in a template, such as `GET /sessions/{id}`, with what stands before them. */
export function routesOf(stack: Stack): Record<string, { authorizationType: string; authorizerId: unknown }> {
  const resources = resourcesOf(stack, 'AWS::ApiGateway::Resource');
  const pathOf = (id: { Ref?: string }): string => {
    const resource = id.Ref === undefined ? undefined : resources[id.Ref];
    return resource === undefined ? '' : `${pathOf(resource.Properties.ParentId)}/${resource.Properties.PathPart}`;
  };
  return Object.fromEntries(
    Object.values(resourcesOf(stack, 'AWS::ApiGateway::Method')).map(({ Properties }) => [
      `${Properties.HttpMethod} ${pathOf(Properties.ResourceId) || '/'}`,
      { authorizationType: Properties.AuthorizationType, authorizerId: Properties.AuthorizerId },
    ]),
  );
}

/** Messages of the warnings or infos of a stack. */
export function messagesOf(stack: Stack, level: 'warning' | 'info'): string[] {
  const annotations = Annotations.fromStack(stack);
  const found =
    level === 'warning' ? annotations.findWarning('*', Match.anyValue()) : annotations.findInfo('*', Match.anyValue());
  return found.map(({ entry }) => String(entry.data));
}
