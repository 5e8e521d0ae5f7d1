// SPDX-License-Identifier: Apache-2.0
/** The CDK app of this checkout: `npx cdk deploy` deploys one SessionStack, checked by cdk-nag on the way. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { SessionStack } from '../lib';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
new SessionStack(app, 'Sessiongate', { description: 'Cookie sessions in DynamoDB, verified at the gateway' });
