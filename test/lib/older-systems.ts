// SPDX-License-Identifier: Apache-2.0
/** An authorizer function with older systems, synthesized. */
import type { Stack } from 'aws-cdk-lib';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import {
  ExpressStorePackage,
  LegacySessions,
  SessionAuthorizerFunction,
  type SessionAuthorizerFunctionProps,
  SessionTable,
} from '../../lib';
import { createStack, onlyResource, resourcesOf, type Statement, statementsOf } from './synthesis';

export const DESCRIPTION = 'Verifies the session cookie of an API request';
export const OLD_TABLE_ARN = 'arn:aws:dynamodb:eu-central-1:123456789012:table/old-sessions';
export const SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:express-AbCdEf';

export interface World {
  readonly stack: Stack;
  readonly table: ITable;
}

export function synthesizeFunction(
  sessionsOf: (world: World) => LegacySessions[],
  props: Partial<SessionAuthorizerFunctionProps> = {},
  stack = createStack(),
) {
  const table = Table.fromTableArn(stack, 'OldSessions', OLD_TABLE_ARN);
  const sessionTable = new SessionTable(stack, 'Sessions', { allowedOrigins: ['https://app.example.com'] });
  const authorizerFunction = new SessionAuthorizerFunction(stack, 'AuthorizerFunction', {
    sessionTable,
    legacySessions: sessionsOf({ stack, table }),
    ...props,
  });
  return { stack, sessionTable, authorizerFunction };
}

export function legacyOf(stack: Stack) {
  const { SESSIONGATE_LEGACY } = onlyResource(stack, 'AWS::Lambda::Function').Environment.Variables;
  return JSON.parse(stack.resolve(SESSIONGATE_LEGACY));
}

export function sourcesOf(stack: Stack): unknown {
  return legacyOf(stack).sources;
}

export const express = ({ stack, table }: World) => [
  LegacySessions.expressSession({
    table,
    storePackage: ExpressStorePackage.CONNECT_DYNAMODB,
    secret: Secret.fromSecretCompleteArn(stack, 'Secret', SECRET_ARN),
  }),
];

/** The variables of the function with this description. */
export function variablesOfFunction(stack: Stack, description: string): Record<string, string> {
  const functions = Object.values(resourcesOf(stack, 'AWS::Lambda::Function'));
  const handler = functions.find(({ Properties }) => Properties.Description === description);
  return stack.resolve(handler?.Properties.Environment.Variables);
}

/** The conditions of a statement for keys that begin so. */
export function onKeys(prefix: unknown): Record<string, unknown> {
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [prefix] },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
}

/** What a function may do with the older sessions, whatever else it may. */
export function legacyStatementsOf(stack: Stack, description: string): Statement[] {
  return statementsOf(stack, description).filter(({ Sid }) => Sid !== undefined);
}
