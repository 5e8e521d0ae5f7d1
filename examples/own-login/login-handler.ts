// SPDX-License-Identifier: Apache-2.0
/** `POST /login` with JSON `{ username, password }`. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createSessions, withSession } from 'sessiongate/session';
import { findUser, isRightPassword } from './users';

const sessions = createSessions();

export const handler = withSession(sessions, async (event: APIGatewayProxyEvent, request) => {
  const { username, password } = JSON.parse(event.body ?? '{}');
  const user = findUser(username);
  if (user === undefined) return { statusCode: 401 };
  // Before the password is checked: a log-out-everywhere that comes in between then wins over this login.
  const authentication = await sessions.beginAuthentication(user.id);
  if (!isRightPassword(user, password)) return { statusCode: 401 };
  await request.start({ user: user.id, authentication, claims: { role: user.role } });
  return { statusCode: 204 };
});
