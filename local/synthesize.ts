// SPDX-License-Identifier: Apache-2.0
/** Synthesizes the stack that `cdk deploy` deploys, with a login and a protected route added for the demonstration. */
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { AssetManifestArtifact } from 'aws-cdk-lib/cx-api';
import type { Construct } from 'constructs';
import { context } from '../cdk.json';
import { SessionStack } from '../lib';
import type { DemoAssets } from './demo/bundle-handlers';
import type { Template } from './template/template';

export interface SynthesizedStack {
  readonly name: string;
  readonly template: Template;
  /** Folder of the asset with this S3 key. */
  readonly assetFolder: (s3Key: string) => string | undefined;
}

/** @param folder - where CDK writes the assembly */
export function synthesizeLocalStack(assets: DemoAssets, folder: string): SynthesizedStack {
  // The validator takes seconds; `npx cdk synth` and the tests run it.
  process.env.CDK_VALIDATION = 'false';
  // The CLI passes the context of cdk.json on; without it templates differ.
  const app = new App({ context, outdir: folder, analyticsReporting: false });
  const stack = new SessionStack(app, 'Sessiongate');
  stack.api.addLoginHandler(demoFunction(stack, 'Login', assets.login));
  stack.api.api.root
    .addResource('hello')
    .addMethod('GET', new LambdaIntegration(demoFunction(stack, 'Hello', assets.hello)));
  const artifact = app.synth().getStackArtifact(stack.artifactId);
  return {
    name: stack.stackName,
    template: artifact.template as Template,
    assetFolder: assetFolders(
      artifact.dependencies.filter((dependency) => dependency instanceof AssetManifestArtifact),
      folder,
    ),
  };
}

function demoFunction(scope: Construct, id: string, folder: string): LambdaFunction {
  return new LambdaFunction(scope, id, {
    code: Code.fromAsset(folder),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
  });
}

/** The manifest says where each asset lies before it is zipped under its key. */
function assetFolders(
  manifests: readonly AssetManifestArtifact[],
  folder: string,
): (s3Key: string) => string | undefined {
  const folders = new Map<string, string>();
  for (const { contents } of manifests)
    for (const { source, destinations } of Object.values(contents.files ?? {}))
      for (const { objectKey } of Object.values(destinations))
        if (source.path !== undefined) folders.set(objectKey, join(folder, source.path));
  return (s3Key) => folders.get(s3Key);
}
