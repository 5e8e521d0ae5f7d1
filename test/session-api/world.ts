// SPDX-License-Identifier: Apache-2.0
/** The session routes over a counted table in memory, called as API Gateway would call them. */

import { type CreateSessionsOptions, createSessions } from '../../lambda/session/create-sessions';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import type { ProxyResponse } from '../../lambda/session/proxy-response';
import type { SessionStore } from '../../lambda/session/store';
import { createSessionApi } from '../../lambda/session-api/create-session-api';

export const NOW = 1_800_000_000;
export const APP = 'https://app.example.com';

export interface Call {
  readonly cookie?: string | undefined;
  /** Whom the authorizer let in; absent: it was not asked. */
  readonly user?: string;
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string> | null;
  readonly id?: string;
}

export type Payload = 'REST' | 'HTTP 2.0';

/** An event of a proxy integration behind the authorizer. */
export function proxyEvent(payload: Payload, route: string, call: Call): unknown {
  const [method = '', resource = ''] = route.split(' ');
  const context = call.user === undefined ? {} : contextOf(call.user);
  const shared = {
    queryStringParameters: call.query ?? (payload === 'REST' ? null : undefined),
    pathParameters: call.id === undefined ? null : { id: call.id },
  };
  if (payload === 'HTTP 2.0')
    return {
      version: '2.0',
      routeKey: route,
      rawPath: `/base${resource}`,
      cookies: call.cookie === undefined ? undefined : [call.cookie],
      headers: lowerCased(call.headers ?? {}),
      requestContext: { domainName: 'api.example.com', http: { method }, authorizer: { lambda: context } },
      ...shared,
    };
  const headers = { ...call.headers, ...(call.cookie === undefined ? {} : { Cookie: call.cookie }) };
  return {
    resource,
    path: `/base${resource}`,
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    requestContext: {
      domainName: 'api.example.com',
      authorizer: { ...context, principalId: call.user, integrationLatency: 7 },
    },
    ...shared,
  };
}

function contextOf(user: string): Record<string, string> {
  return {
    user,
    sessionId: '0123456789abcdef',
    createdAt: String(NOW),
    authenticatedAt: String(NOW),
    expiresAt: String(NOW + 60),
    role: 'admin',
  };
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Counts the requests that reach the table; `fail` makes every one of them fail. */
export function countedStore(table: SessionStore): SessionStore & { requests: number; fail?: Error | undefined } {
  const counted = { requests: 0, fail: undefined as Error | undefined };
  return new Proxy(Object.assign(table, counted), {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...input: unknown[]) => {
        receiver.requests++;
        if (target.fail !== undefined) return Promise.reject(target.fail);
        return value.apply(target, input);
      };
    },
  });
}

export function world(options: Partial<CreateSessionsOptions> = {}) {
  const store = countedStore(new MemorySessionStore());
  const sessions = createSessions<unknown>({
    store,
    allowedOrigins: [APP],
    now: () => NOW,
    sleep: async () => {},
    ...options,
  });
  const errors: unknown[] = [];
  const answer = createSessionApi({ sessions, logError: (error) => errors.push(error) });
  return {
    sessions,
    store,
    errors,
    call: (payload: Payload, route: string, call: Call): Promise<ProxyResponse> =>
      answer(proxyEvent(payload, route, call)),
    async logIn(user: string, label?: string) {
      const issued = await sessions.create({ user, ...(label === undefined ? {} : { device: { label } }) });
      return { ...issued, cookie: `${sessions.settings.cookieName}=${issued.token}` };
    },
  };
}

/** Set-Cookie values, wherever the payload puts them. */
export function setCookies({ cookies = [], headers = {}, multiValueHeaders = {} }: ProxyResponse): string[] {
  const single = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'set-cookie');
  const multiple = Object.entries(multiValueHeaders).filter(([name]) => name.toLowerCase() === 'set-cookie');
  return [
    ...cookies,
    ...single.map(([, value]) => String(value)),
    ...multiple.flatMap(([, values]) => values.map(String)),
  ];
}
