// SPDX-License-Identifier: Apache-2.0
/** A REST API of a template behind a real port, with functions that the test gives. */
import type { InvocationOutcome } from '../../../local/functions/invocation';
import { createRestGateway } from '../../../local/gateway/rest/create-rest-gateway';
import { readRestApis } from '../../../local/gateway/rest/rest-api';
import { serve } from '../../../local/gateway/serve';
import { createResolver } from '../../../local/template/resolver';
import type { Template } from '../../../local/template/template';
import { AUTHORIZER_ARN, ENVIRONMENT, STAGE_ARN } from './rest-template';
import { type RawAnswer, send } from './send';

// biome-ignore lint/suspicious/noExplicitAny: events are what the test wants to look into
export type Event = any;

export interface TestedGateway {
  readonly url: string;
  /** Events that each function was called with. */
  readonly authorizerEvents: Event[];
  readonly backendEvents: Event[];
  readonly lines: string[];
  /** Moves the gateway's clock on. */
  pass(seconds: number): void;
  send(
    method: string,
    path: string,
    headers?: readonly (readonly [string, string])[],
    body?: string,
  ): Promise<RawAnswer>;
  close(): Promise<void>;
}

export const COOKIE: readonly [string, string] = ['Cookie', 'session=token'];

export function allow(change: object = {}): InvocationOutcome {
  return { result: policy('Allow', `${STAGE_ARN}/*`, change) };
}

export function policy(Effect: string, Resource: unknown, change: object = {}): object {
  return {
    principalId: 'alice',
    policyDocument: { Version: '2012-10-17', Statement: [{ Effect, Action: 'execute-api:Invoke', Resource }] },
    ...change,
  };
}

export function failure(
  errorMessage: string,
  kind: 'handler' | 'timeout' | 'init' | 'exit' = 'handler',
): InvocationOutcome {
  return { failure: { kind, errorType: 'Error', errorMessage } };
}

export async function startRestGateway(
  template: Template,
  functions: {
    readonly authorize?: (event: Event) => InvocationOutcome | Promise<InvocationOutcome>;
    readonly respond?: (event: Event) => InvocationOutcome | Promise<InvocationOutcome>;
  } = {},
): Promise<TestedGateway> {
  const { authorize = () => allow(), respond = () => ({ result: { statusCode: 200, body: 'served' } }) } = functions;
  const authorizerEvents: Event[] = [];
  const backendEvents: Event[] = [];
  const lines: string[] = [];
  let nowMillis = 1_800_000_000_000;
  const [api] = readRestApis(createResolver(template, ENVIRONMENT));
  if (api === undefined) throw new Error('the template has no REST API');
  const handle = createRestGateway(api, {
    environment: ENVIRONMENT,
    log: (line) => lines.push(line),
    nowMillis: () => nowMillis,
    async invoke(arn, event) {
      const isAuthorizer = arn === AUTHORIZER_ARN;
      (isAuthorizer ? authorizerEvents : backendEvents).push(JSON.parse(JSON.stringify(event)));
      return isAuthorizer ? authorize(event) : respond(event);
    },
  });
  const server = await serve(handle);
  return {
    url: server.url,
    authorizerEvents,
    backendEvents,
    lines,
    pass: (seconds) => {
      nowMillis += seconds * 1000;
    },
    send: (method, path, headers, body) => send(server.url, method, path, headers, body),
    close: server.close,
  };
}
