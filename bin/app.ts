// SPDX-License-Identifier: Apache-2.0
/** The CDK app of this checkout: `npx cdk deploy` deploys one SessionStack, checked by cdk-nag on the way. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { SessionStack } from '../lib';
import { propsFromContext } from './app-context';

function main(): void {
  const app = new App();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new SessionStack(app, 'Sessiongate', {
    description: 'Cookie sessions in DynamoDB, verified at the gateway',
    ...propsFromContext(app.node.getAllContext()),
  });
}

try {
  main();
} catch (failure) {
  console.error(failure instanceof Error ? failure.message : failure);
  process.exitCode = 1;
}
