// SPDX-License-Identifier: Apache-2.0
/** The CDK app of this checkout: `npx cdk deploy` deploys one SessionStack. */
import { App } from 'aws-cdk-lib';
import { SessionStack } from '../lib';

const app = new App();
new SessionStack(app, 'Sessiongate', { description: 'Cookie sessions in DynamoDB, verified at the gateway' });
