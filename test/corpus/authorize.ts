// SPDX-License-Identifier: Apache-2.0
/** Runs the real authorizer on an event over a table of two sessions, and says what came of it. */
import type { AuthorizerReport, AuthorizerResult } from '../../lambda/authorizer/answer-requests';
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import type { AuthorizerOptions } from '../../lambda/authorizer/options';
import { SessionStoreError } from '../../lambda/session/errors';
import type { Item } from '../../lambda/session/store';
import { hashSessionToken } from '../../lambda/session/token';
import { ALLOWED_ORIGIN, COOKIE_NAME, EVIL, NOW, TOKEN, USER } from './corpus';

export interface Authorization {
  readonly result?: AuthorizerResult;
  readonly error?: unknown;
  readonly reads: number;
  readonly reports: readonly AuthorizerReport[];
}

export interface Answer {
  /** Name of the error that the store rejects with. */
  readonly error?: string;
  readonly response?: { readonly Item?: unknown };
}

/** The victim's session, as the corpus has it in its baseline. */
export function sessionItem(token: string, user: string): Item {
  return {
    PK: { S: `S#${hashSessionToken(token)}` },
    SK: { S: 'S#' },
    type: { S: 'session' },
    user: { S: user },
    created_at: { N: String(NOW - 100) },
    expires_at: { N: String(NOW + 3600) },
  };
}

export const ITEMS: ReadonlyMap<string, Item> = new Map(
  [sessionItem(TOKEN, USER), sessionItem(EVIL, 'attacker')].map((item) => [item.PK?.S ?? '', item]),
);

export const OPTIONS: AuthorizerOptions = { cookieName: COOKIE_NAME, allowedOrigins: [ALLOWED_ORIGIN] };

export async function authorize(
  event: unknown,
  answer?: Answer,
  options: Partial<AuthorizerOptions> = {},
): Promise<Authorization> {
  let reads = 0;
  const reports: AuthorizerReport[] = [];
  const authorizer = createAuthorizer(
    {
      now: () => NOW,
      report: (report) => reports.push(report),
      reader: {
        async readSession(partitionKey) {
          reads++;
          if (answer?.error !== undefined)
            throw new SessionStoreError('table sessions failed', { cause: new Error(answer.error) });
          return answer === undefined ? ITEMS.get(partitionKey) : (answer.response?.Item as Item | undefined);
        },
      },
    },
    { ...OPTIONS, ...options },
  );
  try {
    return { result: await authorizer(event), reads, reports };
  } catch (error) {
    return { error, reads, reports };
  }
}

/** The corpus's words for an outcome. */
export function outcomeOf({ result, error, reads }: Authorization): string {
  if (error !== undefined) return 'error500';
  if (isAllowedFor(result, USER)) return reads === 1 ? 'allow' : `allow with ${reads} reads`;
  if (!isDenied(result)) return `allowed somebody else: ${JSON.stringify(result)}`;
  return reads === 0 ? 'no-read' : reads === 1 ? 'deny' : `deny with ${reads} reads`;
}

export function isDenied(result: AuthorizerResult | undefined): boolean {
  if (result === undefined) return false;
  if ('isAuthorized' in result) return result.isAuthorized === false;
  return result.policyDocument.Statement.every(({ Effect }) => Effect === 'Deny') && result.context === undefined;
}

function isAllowedFor(result: AuthorizerResult | undefined, user: string): boolean {
  if (result === undefined || isDenied(result)) return false;
  const principal = 'isAuthorized' in result ? result.context?.user : result.principalId;
  return principal === user && result.context?.user === user;
}
