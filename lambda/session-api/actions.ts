// SPDX-License-Identifier: Apache-2.0
/** What each session route does, with the library; no route ever answers with a token outside Set-Cookie. */
import { readAuthorizerContext } from '../session/authorizer-context';
import type { LegacySource } from '../session/legacy-source';
import { cookiesToClear } from '../session/migration/legacy-visit';
import { cookieLines } from '../session/request';
import type { Sessions } from '../session/sessions';
import { hashSessionToken } from '../session/token';
import type { Answer } from './response';
import { isExceptingCurrent, isExceptionUnknown, pathParameter, type SessionRoute } from './route';

type AnySessions = Sessions<unknown>;

/** What the routes work with. */
interface Parts {
  readonly sessions: AnySessions;
  readonly cookieOnlySources: readonly LegacySource[];
}

type Action = (event: unknown, parts: Parts) => Answer | Promise<Answer>;

/** The same answer as the gateway's, for whoever has no session. */
const UNAUTHORIZED: Answer = { status: 401, body: { message: 'Unauthorized' } };
const NOT_FOUND: Answer = { status: 404, body: { message: 'Not Found' } };
const UNKNOWN_EXCEPTION: Answer = { status: 400, body: { message: 'except must be current' } };

export const ACTIONS: Readonly<Record<SessionRoute, Action>> = {
  'GET /session': showSession,
  'DELETE /session': logOut,
  'GET /sessions': listDevices,
  'DELETE /sessions': logOutEverywhere,
  'DELETE /sessions/{id}': logOutDevice,
};

/** Who is signed in, from what the authorizer passed on: no read. */
function showSession(event: unknown): Answer {
  const identity = readAuthorizerContext(event);
  return identity === null ? UNAUTHORIZED : { status: 200, body: identity };
}

/** Ends the session of the cookie. Twice is no error: the cookie is dropped either way. */
async function logOut(event: unknown, parts: Parts): Promise<Answer> {
  const { sessions } = parts;
  await sessions.destroy(sessions.tokenFrom(event));
  return { status: 204, setCookies: await clearingCookies(event, parts) };
}

async function listDevices(event: unknown, { sessions }: Parts): Promise<Answer> {
  const identity = readAuthorizerContext(event);
  if (identity === null) return UNAUTHORIZED;
  const currentId = currentSessionId(event, sessions);
  const devices = await sessions.list(identity.user);
  return {
    status: 200,
    body: {
      sessions: devices.map(({ id, createdAt, renewedAt, device }) => ({
        id,
        createdAt,
        ...(renewedAt === undefined ? {} : { renewedAt }),
        ...(device === undefined ? {} : { device }),
        current: id === currentId,
      })),
    },
  };
}

async function logOutEverywhere(event: unknown, parts: Parts): Promise<Answer> {
  const { sessions } = parts;
  const identity = readAuthorizerContext(event);
  if (identity === null) return UNAUTHORIZED;
  // A misspelt exception must not sign the acting device out.
  if (isExceptionUnknown(event)) return UNKNOWN_EXCEPTION;
  if (isExceptingCurrent(event)) return logOutOthers(event, identity.user, sessions);
  const { ended } = await sessions.revokeAll(identity.user);
  return { status: 200, body: { ended }, setCookies: await clearingCookies(event, parts) };
}

async function logOutOthers(event: unknown, user: string, sessions: AnySessions): Promise<Answer> {
  const session = await sessions.read(event);
  // It ended since the authorizer saw it. No cookie is cleared: the browser may have a newer one by now.
  if (session?.user !== user) return UNAUTHORIZED;
  const outcome = await sessions.revokeAll(user, { except: session });
  // Another device was faster and this one is out; or another tab was, and its answer brings the new cookie.
  if (outcome === null) return UNAUTHORIZED;
  return { status: 200, body: { ended: outcome.ended }, setCookies: [outcome.setCookie] };
}

/** Unknown, malformed and another user's ids look the same from outside. */
async function logOutDevice(event: unknown, { sessions }: Parts): Promise<Answer> {
  const identity = readAuthorizerContext(event);
  if (identity === null) return UNAUTHORIZED;
  const id = pathParameter(event, 'id');
  if (!(await sessions.revoke(identity.user, id))) return NOT_FOUND;
  return id === currentSessionId(event, sessions)
    ? { status: 204, setCookies: [sessions.clearCookie] }
    : { status: 204 };
}

/** An older system's cookie that is left behind would log the user in again. */
async function clearingCookies(event: unknown, { sessions, cookieOnlySources }: Parts): Promise<readonly string[]> {
  return [
    sessions.clearCookie,
    ...((await sessions.legacy?.end(event)) ?? []),
    ...cookiesToClear(cookieLines(event), cookieOnlySources),
  ];
}

function currentSessionId(event: unknown, sessions: AnySessions): string | undefined {
  const token = sessions.tokenFrom(event);
  return token === null ? undefined : hashSessionToken(token);
}
