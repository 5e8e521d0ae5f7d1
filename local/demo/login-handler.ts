// SPDX-License-Identifier: Apache-2.0
/** `POST /login` of the local stack: what a team's own login handler does, with users made up for the demonstration. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import {
  AuthenticationSupersededError,
  createSessions,
  InvalidInputError,
  UserDisabledError,
  withSession,
} from '../../lambda/session';
import { isPasswordRight } from './users';

const sessions = createSessions();

export const handler = withSession(sessions, async (event: APIGatewayProxyEvent, request) => {
  const credentials = readCredentials(event);
  if (credentials === undefined) return answer(400, { message: 'send username and password as JSON or as a form' });
  const { username, password } = credentials;
  try {
    // Before the password is checked: a log-out-everywhere that comes in between then wins over this login.
    const authentication = await sessions.beginAuthentication(username);
    if (!isPasswordRight(username, password)) return answer(401, { message: 'wrong user name or password' });
    await request.start({ user: username, authentication, device: describeDevice(event) });
    return answer(200, { user: username });
  } catch (error) {
    if (error instanceof InvalidInputError) return answer(401, { message: 'wrong user name or password' });
    if (error instanceof UserDisabledError) return answer(403, { message: 'this user is disabled' });
    if (error instanceof AuthenticationSupersededError) return answer(401, { message: error.message });
    throw error;
  }
});

/** By what the body is, not by its type: curl calls everything a form. */
function readCredentials(event: APIGatewayProxyEvent): { username: string; password: string } | undefined {
  const body = event.body ?? '';
  const { username, password } = body.trimStart().startsWith('{')
    ? parseJson(body)
    : Object.fromEntries(new URLSearchParams(body));
  return typeof username === 'string' && typeof password === 'string' ? { username, password } : undefined;
}

function parseJson(text: string): { username?: unknown; password?: unknown } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** What the list of devices shows, short enough for the item. */
function describeDevice(event: APIGatewayProxyEvent): { label: string; ip: string; userAgent: string } {
  const userAgent = headerOf(event, 'user-agent').slice(0, 256);
  const browser = /(Edg|Firefox|Chrome|Safari|curl)/.exec(userAgent)?.[1] ?? 'Unknown client';
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1];
  return {
    label: system === undefined ? browser : `${browser} on ${system}`,
    ip: event.requestContext.identity.sourceIp,
    userAgent,
  };
}

function headerOf(event: APIGatewayProxyEvent, name: string): string {
  return Object.entries(event.headers).find(([candidate]) => candidate.toLowerCase() === name)?.[1] ?? '';
}

function answer(
  statusCode: number,
  body: object,
): { statusCode: number; headers: Record<string, string>; body: string } {
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(body),
  };
}
