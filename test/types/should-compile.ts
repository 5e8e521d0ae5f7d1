// SPDX-License-Identifier: Apache-2.0
/** How a strict application is typed, without a cast. It must compile, with exact optional properties too; nothing here ever runs. */
import type {
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  Handler,
} from 'aws-lambda';
import { SessiongateStore } from 'sessiongate/express';
import { legacyFromEnvironment } from 'sessiongate/legacy';
import {
  type CreateSessionsOptions,
  createSessions,
  type LegacyOptions,
  type Session,
  withCookies,
  withSession,
} from 'sessiongate/session';

interface Data {
  cart?: string[];
}
const sessions = createSessions<Data>();

// The handler's event and answer are the result's.
export const rest: APIGatewayProxyHandler = withSession(sessions, async (event: APIGatewayProxyEvent, { session }) => ({
  statusCode: 200,
  body: `${event.path} ${session?.data.cart?.length}`,
}));
export const http: APIGatewayProxyHandlerV2 = withSession(
  sessions,
  async (event: APIGatewayProxyEventV2, { session }) => {
    if (session === null) return { statusCode: 401 };
    return { statusCode: 200, body: event.rawPath, cookies: ['theme=dark'] };
  },
);
export const text: APIGatewayProxyHandlerV2 = withSession(sessions, async () => 'any other JSON is a body');
export const json: APIGatewayProxyHandlerV2<{ user: string | undefined }> = withSession(
  sessions,
  async (_event: APIGatewayProxyEventV2, { session }) => ({ user: session?.user }),
);
export const either: Handler<APIGatewayProxyEvent> = withSession(sessions, async () => ({ statusCode: 204 }));

// The handler's own type tells the event.
export const restEvent: APIGatewayProxyHandler = withSession(sessions, async ({ path }) => ({
  statusCode: 200,
  body: path,
}));
export const httpEvent: APIGatewayProxyHandlerV2 = withSession(sessions, async ({ rawPath }, request) => {
  await request.start({ user: 'alice', data: { cart: [] } });
  return { statusCode: 200, body: rawPath };
});

// An answer with cookies is still one for its kind of API.
export const restAnswer = (event: APIGatewayProxyEvent, setCookies: readonly string[]): APIGatewayProxyResult =>
  withCookies(event, { statusCode: 204, body: '' }, setCookies);
export const httpAnswer = (
  event: APIGatewayProxyEventV2,
  setCookies: readonly string[],
): APIGatewayProxyStructuredResultV2 => withCookies(event, { statusCode: 204 }, setCookies);

// Express takes sessions whose data are declared by an interface.
export const store = new SessiongateStore({ sessions, user: (data) => data.passport?.user });
export const untyped = new SessiongateStore({ sessions: createSessions(), user: (data) => data.passport?.user });

// What moves in is data like any other.
export const typed = createSessions<Data>({
  legacy: { ...legacyFromEnvironment(), asSession: async ({ user }) => ({ data: { cart: [user] } }) },
});
export const withoutData = createSessions<Data>({
  legacy: { ...legacyFromEnvironment(), asSession: () => ({ claims: { role: 'reader' } }) },
});
// Where no type is given, it does not narrow what others may store.
const legacy: LegacyOptions = { ...legacyFromEnvironment(), asSession: ({ data }) => ({ data: { old: data } }) };
const options: CreateSessionsOptions = { legacy };
export const anything: Session['data'] = { theme: 'dark' };
void createSessions(options).create({ data: anything });
void createSessions({ legacy: { ...legacy, asSession: () => ({ data: { cart: [] } }) } }).create({ data: anything });

throw new Error('this file shows what must compile; it is not to be run');
