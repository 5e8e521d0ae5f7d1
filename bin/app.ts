// SPDX-License-Identifier: Apache-2.0
/** The CDK app of this checkout: `npx cdk deploy` deploys one SessionStack, checked by cdk-nag on the way. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { SessionStack } from '../lib';
import { propsFromContext } from './app-context';

function main(): void {
  // Else synthesis would run once more when the process ends, also on what was half built when it failed.
  const app = new App({ autoSynth: false });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new SessionStack(app, 'Sessiongate', {
    description: 'Cookie sessions in DynamoDB, verified at the gateway',
    ...propsFromContext(app.node.getAllContext()),
  });
  app.synth();
}

try {
  main();
} catch (failure) {
  console.error(failure instanceof Error ? failure.message : failure);
  process.exitCode = 1;
}
