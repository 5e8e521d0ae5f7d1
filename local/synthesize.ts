// SPDX-License-Identifier: Apache-2.0
/** Synthesizes the stack that `cdk deploy` deploys, with a login and a protected route added for the demonstration. */
import { App } from 'aws-cdk-lib';
import { LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { context } from '../cdk.json';
import { SessionStack } from '../lib';
import type { DemoAssets } from './demo/bundle-handlers';
import { readAssembly, type SynthesizedStack } from './template/read-assembly';

/** @param folder - where CDK writes the assembly */
export function synthesizeLocalStack(assets: DemoAssets, folder: string): SynthesizedStack {
  // The CLI passes the context of cdk.json on; without it templates differ.
  const app = new App({ context, outdir: folder, analyticsReporting: false });
  const stack = new SessionStack(app, 'Sessiongate');
  stack.api.addLoginHandler(demoFunction(stack, 'Login', assets.login));
  stack.api.api.root
    .addResource('hello')
    .addMethod('GET', new LambdaIntegration(demoFunction(stack, 'Hello', assets.hello)));
  return readAssembly(app, stack);
}

function demoFunction(scope: Construct, id: string, folder: string): LambdaFunction {
  return new LambdaFunction(scope, id, {
    code: Code.fromAsset(folder),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
  });
}
