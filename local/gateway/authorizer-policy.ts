// SPDX-License-Identifier: Apache-2.0
/** Reads the policy that an authorizer answered with, and holds it against a request's ARN. */
import { matchesWildcard } from './wildcard';

export interface AuthorizerPolicy {
  readonly principalId: string;
  readonly statements: readonly PolicyStatement[];
  readonly context: Readonly<Record<string, unknown>>;
}

interface PolicyStatement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}

export type PolicyDecision = 'allow' | 'explicitDeny' | 'implicitDeny';

/** A longer resource is refused (API Gateway quotas). */
const MAX_RESOURCE_LENGTH = 512;

/** The policy, or what is wrong with the answer; API Gateway then says only 500. */
export function readAuthorizerPolicy(
  result: unknown,
): { readonly policy: AuthorizerPolicy } | { readonly fault: string } {
  if (!isObject(result)) return fault('the authorizer did not answer with an object');
  const { principalId, policyDocument, context = {} } = result;
  if (typeof principalId !== 'string' || principalId === '') return fault('principalId must be text that is not empty');
  if (!isObject(policyDocument)) return fault('policyDocument is missing');
  if (policyDocument.Version !== '2012-10-17') return fault('policyDocument.Version must be 2012-10-17');
  const statements: PolicyStatement[] = [];
  for (const entry of [policyDocument.Statement ?? []].flat()) {
    const statement = readStatement(entry);
    if (typeof statement === 'string') return fault(statement);
    statements.push(statement);
  }
  if (!isObject(context)) return fault('context must be an object');
  return { policy: { principalId, statements, context } };
}

/** A Deny wins over every Allow; what nothing allows is denied (IAM, "Policy evaluation logic"). */
export function evaluatePolicy(policy: AuthorizerPolicy, arn: string): PolicyDecision {
  const effects = policy.statements
    .filter(({ actions }) => actions.some((action) => matchesWildcard(action.toLowerCase(), 'execute-api:invoke')))
    .filter(({ resources }) => resources.some((resource) => matchesWildcard(resource, arn)))
    .map(({ effect }) => effect);
  if (effects.includes('Deny')) return 'explicitDeny';
  return effects.includes('Allow') ? 'allow' : 'implicitDeny';
}

function readStatement(entry: unknown): PolicyStatement | string {
  if (!isObject(entry)) return 'a statement must be an object';
  const { Effect: effect, Action, Resource, ...rest } = entry;
  if (effect !== 'Allow' && effect !== 'Deny') return 'Effect must be Allow or Deny';
  // To leave a condition out would allow more than the policy says.
  const unknown = Object.keys(rest).find((name) => name !== 'Sid');
  if (unknown !== undefined) return `the local gateway does not evaluate ${unknown}`;
  const actions = texts(Action);
  const resources = texts(Resource);
  if (actions === undefined) return 'Action must be text or a list of texts';
  if (resources === undefined) return 'Resource must be text or a list of texts';
  if (resources.some((resource) => resource.length > MAX_RESOURCE_LENGTH))
    return `Resource must have at most ${MAX_RESOURCE_LENGTH} characters`;
  return { effect, actions, resources };
}

/** REST and WebSocket APIs take single values only, and hand them on as text; null stays null. */
export function stringifyContext(
  context: Readonly<Record<string, unknown>>,
): { readonly context: Record<string, string | null> } | { readonly fault: string } {
  const nested = Object.entries(context).find(([, value]) => typeof value === 'object' && value !== null);
  if (nested !== undefined) return fault(`context.${nested[0]} must be text, a number or a boolean`);
  const texts = Object.entries(context).map(([name, value]) => [name, value === null ? null : String(value)]);
  return { context: Object.fromEntries(texts) };
}

function texts(value: unknown): readonly string[] | undefined {
  const list = [value].flat();
  return list.length > 0 && list.every((element) => typeof element === 'string') ? list : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fault(reason: string): { readonly fault: string } {
  return { fault: reason };
}
