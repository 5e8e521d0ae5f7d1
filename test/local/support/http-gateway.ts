// SPDX-License-Identifier: Apache-2.0
/** An HTTP API and a WebSocket API written by hand, behind real ports, with functions that the test gives. */
import type { InvocationOutcome, InvokeFunction } from '../../../local/functions/invocation';
import { createHttpGateway } from '../../../local/gateway/http/create-http-gateway';
import { readHttpApis } from '../../../local/gateway/http/http-api';
import type { AuthorizerCookies } from '../../../local/gateway/http/http-events';
import { serve } from '../../../local/gateway/serve';
import { createWebSocketGateway } from '../../../local/gateway/web-socket/create-web-socket-gateway';
import { readWebSocketApis } from '../../../local/gateway/web-socket/web-socket-api';
import { createResolver } from '../../../local/template/resolver';
import type { Template, TemplateResource } from '../../../local/template/template';
import type { Event } from './rest-gateway';
import { AUTHORIZER_ARN, BACKEND_ARN, ENVIRONMENT } from './rest-template';

const ApiId = { Ref: 'Api' };
export const HTTP_STAGE_ARN = 'arn:aws:execute-api:eu-central-1:123456789012:Api/$default';

const uriOf = (arn: string) => `arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/${arn}/invocations`;
const CUSTOM = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'SessionAuthorizer' } };

export function httpRoute(RouteKey: string, change: object = CUSTOM): TemplateResource {
  const Target = { 'Fn::Join': ['', ['integrations/', { Ref: 'BackendIntegration' }]] };
  return { Type: 'AWS::ApiGatewayV2::Route', Properties: { ApiId, RouteKey, Target, ...change } };
}

export function httpAuthorizer(change: object = {}): TemplateResource {
  return {
    Type: 'AWS::ApiGatewayV2::Authorizer',
    Properties: {
      ApiId,
      AuthorizerType: 'REQUEST',
      AuthorizerPayloadFormatVersion: '2.0',
      AuthorizerUri: uriOf(AUTHORIZER_ARN),
      IdentitySource: ['$request.header.Cookie'],
      ...change,
    },
  };
}

export function httpIntegration(change: object = {}): TemplateResource {
  return {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: {
      ApiId,
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: BACKEND_ARN,
      PayloadFormatVersion: '2.0',
      ...change,
    },
  };
}

export function httpTemplate(changes: Readonly<Record<string, TemplateResource>> = {}): Template {
  return {
    Resources: {
      Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } },
      Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { ApiId, StageName: '$default' } },
      SessionAuthorizer: httpAuthorizer(),
      BackendIntegration: httpIntegration(),
      Hello: httpRoute('GET /hello'),
      Device: httpRoute('DELETE /devices/{id}'),
      Files: httpRoute('ANY /files/{proxy+}'),
      Login: httpRoute('POST /login', {}),
      ...changes,
    },
  };
}

export function webSocketTemplate(changes: Readonly<Record<string, TemplateResource>> = {}): Template {
  const integration = { IntegrationUri: uriOf(BACKEND_ARN), PayloadFormatVersion: { Ref: 'AWS::NoValue' } };
  return {
    Resources: {
      Api: {
        Type: 'AWS::ApiGatewayV2::Api',
        Properties: { ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.action' },
      },
      Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { ApiId, StageName: 'live' } },
      SessionAuthorizer: httpAuthorizer({ IdentitySource: ['route.request.header.Cookie'] }),
      BackendIntegration: httpIntegration(integration),
      Connect: httpRoute('$connect'),
      Disconnect: httpRoute('$disconnect', {}),
      Say: httpRoute('say', {}),
      ...changes,
    },
  };
}

export interface Functions {
  readonly authorize?: (event: Event) => InvocationOutcome | Promise<InvocationOutcome>;
  readonly respond?: (event: Event) => InvocationOutcome | Promise<InvocationOutcome>;
}

export interface Recorded {
  readonly url: string;
  readonly authorizerEvents: Event[];
  readonly backendEvents: Event[];
  readonly lines: string[];
  /** The next event of the backend, which may come after the answer. */
  nextBackendEvent(): Promise<Event>;
  /** Moves the gateway's clock on. */
  pass(seconds: number): void;
  close(): Promise<void>;
}

function record({ authorize, respond }: Functions, allow: InvocationOutcome) {
  const authorizerEvents: Event[] = [];
  const backendEvents: Event[] = [];
  const lines: string[] = [];
  const waiting: ((event: Event) => void)[] = [];
  let nowMillis = 1_800_000_000_000;
  const invoke: InvokeFunction = async (arn, event) => {
    const copy = JSON.parse(JSON.stringify(event));
    if (arn === AUTHORIZER_ARN) {
      authorizerEvents.push(copy);
      return authorize?.(event) ?? allow;
    }
    backendEvents.push(copy);
    waiting.shift()?.(copy);
    return respond?.(event) ?? { result: { statusCode: 200, body: 'served' } };
  };
  return {
    recorded: {
      authorizerEvents,
      backendEvents,
      lines,
      nextBackendEvent: () => new Promise<Event>((resolve) => waiting.push(resolve)),
      pass: (seconds: number) => {
        nowMillis += seconds * 1000;
      },
    },
    dependencies: {
      environment: ENVIRONMENT,
      invoke,
      log: (line: string) => {
        lines.push(line);
      },
      nowMillis: () => nowMillis,
    },
  };
}

export function allowed(resource: string, context: object = {}): InvocationOutcome {
  const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: resource };
  const policyDocument = { Version: '2012-10-17', Statement: [statement] };
  return { result: { principalId: 'alice', policyDocument, context } };
}

export async function startHttpGateway(
  template: Template,
  functions: Functions = {},
  authorizerCookies: AuthorizerCookies = 'both',
): Promise<Recorded> {
  const { recorded, dependencies } = record(functions, allowed(`${HTTP_STAGE_ARN}/*`));
  const [api] = readHttpApis(createResolver(template, ENVIRONMENT));
  if (api === undefined) throw new Error('the template has no HTTP API');
  const server = await serve(createHttpGateway(api, { ...dependencies, authorizerCookies }));
  return { ...recorded, url: server.url, close: server.close };
}

export async function startWebSocketGateway(template: Template, functions: Functions = {}): Promise<Recorded> {
  const { recorded, dependencies } = record(functions, allowed('*'));
  const [api] = readWebSocketApis(createResolver(template, ENVIRONMENT));
  if (api === undefined) throw new Error('the template has no WebSocket API');
  const gateway = createWebSocketGateway(api, dependencies);
  const server = await serve(async () => ({ statusCode: 404, headers: [], body: '' }));
  server.server.on('upgrade', gateway.handleUpgrade);
  return {
    ...recorded,
    url: server.url.replace('http:', 'ws:'),
    async close() {
      gateway.close();
      await server.close();
    },
  };
}
