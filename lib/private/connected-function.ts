// SPDX-License-Identifier: Apache-2.0
/** Tells a function which table holds the sessions and how they behave. */
import { Stack } from 'aws-cdk-lib';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { ENVIRONMENT } from '../../lambda/environment';
import type { ISessionTable } from '../session-table';

/** Environment variables by which functions find the table and its settings. */
export function sessionEnvironment(sessionTable: ISessionTable): Record<string, string> {
  return {
    [ENVIRONMENT.tableName]: sessionTable.tableName,
    [ENVIRONMENT.settings]: Stack.of(sessionTable).toJsonString(sessionTable.settings),
  };
}

const connected = new WeakSet<IFunction>();

/** Whether a session table was connected to the function. */
export function isConnected(handler: IFunction): boolean {
  return connected.has(handler);
}

/**
 * Gives a function these variables, and permission to manage sessions.
 * @throws Error for a function whose environment cannot be changed
 */
export function connectFunction(sessionTable: ISessionTable, handler: IFunction): void {
  for (const [name, value] of Object.entries(sessionEnvironment(sessionTable))) addVariable(handler, name, value);
  sessionTable.grants.manageSessions(handler);
  connected.add(handler);
}

/** @throws Error for a function whose environment cannot be changed */
export function addVariable(handler: IFunction, name: string, value: string): void {
  if (!canAddVariables(handler))
    throw new Error(
      `cannot connect ${handler.node.path}: its environment is not ours to change; connect the function where it is ` +
        'defined (not an alias, a version or an import of it)',
    );
  handler.addEnvironment(name, value);
}

function canAddVariables(handler: IFunction): handler is LambdaFunction {
  return 'addEnvironment' in handler;
}
