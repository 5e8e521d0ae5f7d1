// SPDX-License-Identifier: Apache-2.0
/** Findings of cdk-nag's AwsSolutions rules that are decisions here, each with its reason. */
import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

const REASONS = {
  APIG2: 'the session routes take no body and no model; each handler checks its own input',
  APIG3: 'a web ACL has a monthly price; associate one with api.deploymentStage where you want it',
  APIG4: 'POST /login is where a session begins, so nobody has one yet; its handler checks the credentials',
  APIG6: 'execution logs can hold headers, and with them the session cookie; the access log is on and holds none',
  COG4: 'the session authorizer verifies every route but POST /login; sessions are not a Cognito user pool',
} as const;

/** Records why these findings of a construct and what is in it stand. */
export function acknowledgeFindings(construct: IConstruct, ...rules: (keyof typeof REASONS)[]): void {
  Validations.of(construct).acknowledge(
    ...rules.map((rule) => ({ id: `AwsSolutions::AwsSolutions-${rule}`, reason: REASONS[rule] })),
  );
}
