// SPDX-License-Identifier: Apache-2.0
/** Which of the session routes an event of a REST or HTTP API is for. */
import { ownProperty, requestMethod } from '../session/request';

export type SessionRoute =
  | 'GET /session'
  | 'DELETE /session'
  | 'GET /sessions'
  | 'DELETE /sessions'
  | 'DELETE /sessions/{id}';

const ROUTES: ReadonlySet<string> = new Set<SessionRoute>([
  'GET /session',
  'DELETE /session',
  'GET /sessions',
  'DELETE /sessions',
  'DELETE /sessions/{id}',
]);

/**
 * The route by the API's own template of the resource; `undefined` for any other. Never by the path: stages and base paths
 * of custom domains stand in it.
 */
export function sessionRoute(event: unknown): SessionRoute | undefined {
  const route = ownProperty(event, 'version') === '2.0' ? routeKey(event) : restRoute(event);
  return ROUTES.has(route) ? (route as SessionRoute) : undefined;
}

/** The path parameter, as API Gateway decoded it. */
export function pathParameter(event: unknown, name: string): unknown {
  return ownProperty(ownProperty(event, 'pathParameters'), name);
}

/** `?except=current`, and nothing else, keeps the acting session. */
export function isExceptingCurrent(event: unknown): boolean {
  return ownProperty(ownProperty(event, 'queryStringParameters'), 'except') === 'current';
}

/** Whether the query names an exception that is not known: answered with an error instead of signing everyone out. */
export function isExceptionUnknown(event: unknown): boolean {
  const except = ownProperty(ownProperty(event, 'queryStringParameters'), 'except');
  return except !== undefined && except !== 'current';
}

function routeKey(event: unknown): string {
  return String(ownProperty(event, 'routeKey'));
}

function restRoute(event: unknown): string {
  return `${requestMethod(event)} ${String(ownProperty(event, 'resource'))}`;
}
