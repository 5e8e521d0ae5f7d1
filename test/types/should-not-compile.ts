// SPDX-License-Identifier: Apache-2.0
/**
 * Misuse that the types must refuse. The type check fails on any line below that does compile; nothing here ever runs.
 */
import { App, Duration, Stack } from 'aws-cdk-lib';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketMockIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { APIGatewayProxyEventV2, APIGatewayProxyHandler, APIGatewayProxyHandlerV2 } from 'aws-lambda';
import {
  HttpSessionAuthorizer,
  RestSessionAuthorizer,
  SessionApi,
  SessionAuthorizerFunction,
  SessionStack,
  SessionTable,
  WebSocketSessionAuthorizer,
} from 'sessiongate';
import { createAuthorizer } from 'sessiongate/authorizer';
import { SessiongateStore } from 'sessiongate/express';
import { createSessions, DynamoDbSessionStore, withSession } from 'sessiongate/session';
import { backend } from '../lib/attaching';

const app = new App();
const stack = new Stack(app, 'Stack');
const sessionTable = new SessionTable(stack, 'Sessions');
const authorizerFunction = new SessionAuthorizerFunction(stack, 'Function', { sessionTable });

// A cookie over plain HTTP is for a laptop: no construct takes the setting.
// @ts-expect-error
new SessionTable(stack, 'A', { insecureLocalhost: true });
// @ts-expect-error
new SessionStack(app, 'B', { insecureLocalhost: true });

// A bare number has no unit.
// @ts-expect-error
new SessionTable(stack, 'C', { idleTimeout: 3600 });
// @ts-expect-error
new RestSessionAuthorizer(stack, 'D', { authorizerFunction, resultsCacheTtl: 60 });

// One origin is a list of one: a string would be read letter by letter.
// @ts-expect-error
new SessionTable(stack, 'E', { allowedOrigins: 'https://app.example.com' });

// The settings are given to the table, not a second time to what reads them.
// @ts-expect-error
new SessionAuthorizerFunction(stack, 'F', { sessionTable, cookieName: '__Host-id' });
// @ts-expect-error
new SessionApi(stack, 'G', { sessionTable, authorizerFunction, allowedOrigins: ['https://app.example.com'] });

// An authorizer without its function, a function without its table.
// @ts-expect-error
new RestSessionAuthorizer(stack, 'H', {});
// @ts-expect-error
new SessionAuthorizerFunction(stack, 'I', {});
// @ts-expect-error
new SessionApi(stack, 'J', { authorizerFunction });

// Each kind of API has its own authorizer.
const [restApi, httpApi, webSocketApi] = [
  new RestApi(stack, 'K'),
  new HttpApi(stack, 'L'),
  new WebSocketApi(stack, 'M'),
];
// @ts-expect-error
new RestSessionAuthorizer(stack, 'N', { authorizerFunction, restApi: httpApi });
// @ts-expect-error
new HttpSessionAuthorizer(stack, 'O', { authorizerFunction, httpApi: webSocketApi });
// @ts-expect-error
new WebSocketSessionAuthorizer(stack, 'P', { authorizerFunction, webSocketApi: httpApi });
const [rest, http] = [
  new RestSessionAuthorizer(stack, 'Q', { authorizerFunction }),
  new HttpSessionAuthorizer(stack, 'R', { authorizerFunction }),
];
// @ts-expect-error
httpApi.addRoutes({ path: '/', methods: [HttpMethod.GET], integration: backend(), authorizer: rest });
const integration = new WebSocketMockIntegration('Mock');
// @ts-expect-error
new WebSocketApi(stack, 'S', { connectRouteOptions: { integration, authorizer: http } });
// @ts-expect-error
restApi.root.addMethod('GET', new MockIntegration(), { authorizer: http });

// A WebSocket API has no result cache.
// @ts-expect-error
new WebSocketSessionAuthorizer(stack, 'T', { authorizerFunction, resultsCacheTtl: Duration.seconds(10) });

// A method cannot be protected by the function alone.
// @ts-expect-error
restApi.root.addMethod('GET', new MockIntegration(), { authorizer: authorizerFunction });

// A store without a table.
// @ts-expect-error
new DynamoDbSessionStore({});

// A session belongs to a user, by name.
const sessions = createSessions<{ cart: string[] }>();
// @ts-expect-error
sessions.create({ user: 5 });
// The data has a type.
// @ts-expect-error
sessions.create({ user: 'alice', data: { cart: 'apples' } });
// A token is no session: only a session that was read can be saved.
// @ts-expect-error
sessions.save('token');
// An authorizer that cannot read.
// @ts-expect-error
createAuthorizer({}, { cookieName: '__Host-session' });

// What moves in is data like any other.
// @ts-expect-error
createSessions<{ cart?: string[] }>({ legacy: { sources: [], asSession: () => ({ data: { kart: 1 } }) } });
// @ts-expect-error
createSessions<{ cart?: string[] }>({ legacy: { sources: [], asSession: async () => ({ data: { cart: 1 } }) } });
// Express keeps objects.
// @ts-expect-error
new SessiongateStore({ sessions: createSessions<string>(), user: () => undefined });

// A handler is wrapped for its own kind of event, with its own kind of answer.
// @ts-expect-error
withSession(sessions, async (event) => event.path);
// @ts-expect-error
export const otherEvent: APIGatewayProxyHandler = withSession(sessions, async (event: APIGatewayProxyEventV2) => ({
  statusCode: 200,
  body: event.rawPath,
}));
// @ts-expect-error
export const withoutBody: APIGatewayProxyHandler = withSession(sessions, async () => ({ statusCode: 204 }));
// @ts-expect-error
export const noAnswer: APIGatewayProxyHandlerV2 = withSession(sessions, async () => ({ statusCode: '204' }));

throw new Error('this file shows what must not compile; it is not to be run');
