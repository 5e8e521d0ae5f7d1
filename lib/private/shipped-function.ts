// SPDX-License-Identifier: Apache-2.0
/** A function that ships with the package, with a role and a log group of its own and nothing it does not need. */
import type { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { assetPath } from './asset-path';

export interface ShippedFunctionProps {
  readonly asset: string;
  readonly description: string;
  readonly environment: Record<string, string>;
  readonly timeout: Duration;
  readonly memorySize?: number;
  readonly logRetention?: RetentionDays;
  readonly reservedConcurrentExecutions?: number;
}

/** Adds the function, its role and its log group to a construct. */
export function addShippedFunction(
  scope: Construct,
  props: ShippedFunctionProps,
): { readonly function: LambdaFunction; readonly role: Role } {
  const logGroup = new LogGroup(scope, 'Logs', { retention: props.logRetention ?? RetentionDays.THREE_MONTHS });
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  // Creates streams in and writes to this one log group; the managed execution role may write to all.
  logGroup.grantWrite(role);
  const handler = new LambdaFunction(scope, 'Function', {
    code: Code.fromAsset(assetPath(props.asset)),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    description: props.description,
    environment: props.environment,
    memorySize: props.memorySize ?? 512,
    timeout: props.timeout,
    role,
    logGroup,
    reservedConcurrentExecutions: props.reservedConcurrentExecutions,
  });
  return { function: handler, role };
}
