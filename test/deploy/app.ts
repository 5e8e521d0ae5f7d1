// SPDX-License-Identifier: Apache-2.0
/** The part of a stack that an emulated CloudFormation can deploy: the function with its role, log and asset. */
import { App, Stack } from 'aws-cdk-lib';
import { SessionAuthorizerFunction, SessionTable } from '../../lib';

const stack = new Stack(new App(), 'Deployed');
const sessionTable = SessionTable.fromSessionTableAttributes(stack, 'Sessions', { tableName: 'sessions' });
new SessionAuthorizerFunction(stack, 'AuthorizerFunction', { sessionTable });
