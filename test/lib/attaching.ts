// SPDX-License-Identifier: Apache-2.0
/** APIs of each kind, and what the tests of attaching to them need. */
import type { App, Stack } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpUrlIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { SessionAuthorizerFunction, SessionTable, type SessionTableProps } from '../../lib';

export const OTHER_ACCOUNT_ARN = 'arn:aws:lambda:eu-west-1:444455556666:function:authorizer';
export const EUROPE = { account: '111122223333', region: 'eu-west-1' };
export const AMERICA = { account: '111122223333', region: 'us-east-1' };

export function createAuthorizerFunction(stack: Stack, props: SessionTableProps = {}): SessionAuthorizerFunction {
  return new SessionAuthorizerFunction(stack, 'AuthorizerFunction', {
    sessionTable: new SessionTable(stack, 'Sessions', { allowedOrigins: ['https://app.example.com'], ...props }),
  });
}

export const backend = () => new HttpUrlIntegration('Backend', 'https://backend.example.com');

export const orders = () => ({ path: '/orders', methods: [HttpMethod.GET], integration: backend() });

export function synthesisOf(stack: Stack): () => unknown {
  return () => (stack.node.root as App).synth();
}

/** Text of a template value in which functions of the template are spelled out. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name, argument] = Object.entries(value as object)[0] ?? [];
  if (name === 'Fn::Join') return argument[1].map(textOf).join(argument[0]);
  if (name === 'Ref') return `<${argument}>`;
  return `<${name} ${JSON.stringify(argument)}>`;
}
