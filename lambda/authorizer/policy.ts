// SPDX-License-Identifier: Apache-2.0
/** Writes the IAM policies by which the authorizer answers; they cover one stage and never name the request's path. */

export interface AuthorizerPolicy {
  readonly principalId: string;
  readonly policyDocument: {
    readonly Version: '2012-10-17';
    readonly Statement: readonly [
      { readonly Effect: 'Allow' | 'Deny'; readonly Action: 'execute-api:Invoke'; readonly Resource: string },
    ];
  };
  /** Only with an Allow. */
  readonly context?: Readonly<Record<string, string>>;
}

/** API Gateway wants a principal with a Deny too; this one says nothing about the request. */
const DENIED_PRINCIPAL = 'denied';

/**
 * arn:{partition}:execute-api:{region}:{account}:{apiId}/{stage}, then whatever the client made of the path. The classes
 * leave no room for `*`, `?` or `$` followed by a brace, which IAM would expand.
 */
const API_STAGE =
  /^arn:aws(?:-[a-z]+){0,3}:execute-api:[a-z\d-]{1,32}:\d{12}:[a-zA-Z\d-]{1,64}\/(?:\$default|[\w-]{1,128})(?=\/|$)/;

/**
 * The stage of the ARN with everything in it. Stage-wide on purpose: API Gateway may keep the policy and hold it against
 * other paths, and a path can contain `*`.
 * @throws TypeError if the ARN is not one of `execute-api`, or has a wildcard or an odd character up to the stage
 */
export function stageResource(arn: unknown): string {
  const stage = typeof arn === 'string' ? API_STAGE.exec(arn)?.[0] : undefined;
  if (stage === undefined) throw new TypeError('the event must have the ARN of an API of API Gateway');
  return `${stage}/*`;
}

export function allowPolicy(
  principalId: string,
  resource: string,
  context: Readonly<Record<string, string>>,
): AuthorizerPolicy {
  return { principalId, policyDocument: document('Allow', resource), context };
}

/**
 * An explicit Deny, the same for every reason. An empty or non-matching policy is no refusal: a resource policy of the API
 * that allows would then let the request in ("How API Gateway resource policies affect authorization workflow", table A).
 */
export function denyPolicy(resource: string): AuthorizerPolicy {
  return { principalId: DENIED_PRINCIPAL, policyDocument: document('Deny', resource) };
}

function document(effect: 'Allow' | 'Deny', resource: string): AuthorizerPolicy['policyDocument'] {
  return { Version: '2012-10-17', Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: resource }] };
}
