// SPDX-License-Identifier: Apache-2.0
import { readAuthorizerContext } from '../../lambda/session/authorizer-context';
import { type SessionHandler, withSession } from '../../lambda/session/with-session';
import { type FixtureOptions, fixture } from './fixtures';

type Data = { cart: string[] };
interface RestResponse {
  statusCode: number;
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  cookies?: string[];
  body?: string;
}

const restEvent = (cookie: string | undefined, method = 'GET', headers: Record<string, string> = {}) => ({
  httpMethod: method,
  headers: { ...headers, ...(cookie === undefined ? {} : { Cookie: cookie }) },
  multiValueHeaders: null,
  requestContext: { domainName: 'api.example.com' },
});
const httpEvent = (cookie: string, method = 'GET') => ({
  version: '2.0',
  cookies: [cookie],
  headers: {},
  requestContext: { domainName: 'api.example.com', http: { method } },
});

async function signedIn(options: FixtureOptions<Data> = {}) {
  const parts = fixture<Data>(options);
  const { token, session } = await parts.sessions.create({ user: 'alice', data: { cart: [] } });
  parts.calls.reset();
  const call = async (handler: SessionHandler<Data, unknown>, event: unknown = restEvent(parts.cookie(token))) =>
    (await withSession(parts.sessions, handler)(event)) as RestResponse;
  return { ...parts, token, session, call };
}

const setCookiesOf = (response: RestResponse): string[] =>
  response.multiValueHeaders?.['Set-Cookie'] ?? response.cookies ?? [];

describe('withSession', () => {
  test('a page view costs one read, no write, and sets no cookie', async () => {
    const { call, calls } = await signedIn();
    const response = await call(async (_event, { session }) => ({ statusCode: 200, body: session?.user }));
    expect(response).toEqual({ statusCode: 200, body: 'alice' });
    expect(calls.counts()).toEqual({ get: 1 });
  });

  test('changed data is saved with one write', async () => {
    const { call, calls, sessions, cookie, token } = await signedIn();
    await call(async (_event, { session }) => {
      session?.data.cart.push('book');
      return { statusCode: 204 };
    });
    expect(calls.counts()).toEqual({ get: 1, update: 1 });
    expect(await sessions.read(cookie(token))).toMatchObject({ data: { cart: ['book'] } });
  });

  test('an idle timeout slides when it is due, and in the same write as changed data', async () => {
    const { call, calls, clock } = await signedIn({ idleTimeoutSeconds: 3600 });
    clock.advance(1000);
    await call(async () => ({ statusCode: 204 }));
    expect(calls.counts()).toEqual({ get: 1, update: 1 });
    calls.reset();
    clock.advance(1000);
    await call(async (_event, { session }) => {
      session?.data.cart.push('book');
      return { statusCode: 204 };
    });
    expect(calls.counts()).toEqual({ get: 1, update: 1 });
  });

  test('login starts a session in place of the anonymous one and sets the cookie with no-store', async () => {
    const { sessions, cookie, clock } = fixture<Data>();
    const anonymous = await sessions.create({ data: { cart: ['book'] } });
    const handler = withSession<Data>(sessions, async (_event, request) => {
      await request.start({ user: 'alice', ...(request.session ? { data: request.session.data } : {}) });
      return { statusCode: 302, headers: { Location: '/', 'cache-control': 'max-age=60' } };
    });
    const response = (await handler(restEvent(cookie(anonymous.token), 'POST'))) as RestResponse;
    expect(response.headers).toEqual({ Location: '/', 'Cache-Control': 'no-store' });
    const [setCookie = ''] = setCookiesOf(response);
    clock.advance(1);
    expect(await sessions.read(setCookie.split(';')[0])).toMatchObject({ user: 'alice', data: { cart: ['book'] } });
    expect(await sessions.read(cookie(anonymous.token))).toBeNull();
  });

  test('logout ends the session and clears the cookie', async () => {
    const { call, sessions, cookie, token } = await signedIn();
    const response = await call(async (_event, request) => {
      await request.end();
      return { statusCode: 204 };
    });
    expect(setCookiesOf(response)).toEqual([sessions.clearCookie]);
    expect(response.headers?.['Cache-Control']).toBe('no-store');
    expect(await sessions.read(cookie(token))).toBeNull();
  });

  test('keeps the cookies a handler sets itself, in headers and in multiValueHeaders', async () => {
    const { call, sessions } = await signedIn();
    const single = await call(async (_event, request) => {
      await request.end();
      return { statusCode: 204, headers: { 'set-cookie': 'theme=dark' } };
    });
    expect(setCookiesOf(single)).toEqual(['theme=dark', sessions.clearCookie]);
    const multiple = await call(async (_event, request) => {
      await request.end();
      return { statusCode: 204, multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] } };
    });
    expect(setCookiesOf(multiple)).toEqual(['a=1', 'b=2', sessions.clearCookie]);
  });

  test('answers HTTP APIs with the cookies array, also where the handler returned a bare value', async () => {
    const { call, sessions, cookie, token } = await signedIn();
    const response = await call(
      async (_event, request) => {
        await request.end();
        return { done: true };
      },
      httpEvent(cookie(token), 'POST'),
    );
    expect(response).toEqual({
      statusCode: 200,
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
      body: '{"done":true}',
      cookies: [sessions.clearCookie],
    });
  });

  test('after a rotation unsaved changes are saved on the new session', async () => {
    const { call, sessions } = await signedIn();
    const response = await call(async (_event, request) => {
      request.session?.data.cart.push('book');
      await request.rotate({ claims: { role: 'admin' } });
      return { statusCode: 204 };
    });
    const [setCookie = ''] = setCookiesOf(response);
    expect(await sessions.read(setCookie.split(';')[0])).toMatchObject({
      data: { cart: ['book'] },
      claims: { role: 'admin' },
    });
  });

  test('data that lost its race is answered with 409, and nothing of it is written', async () => {
    const { call, sessions, cookie, token } = await signedIn();
    const response = await call(async (_event, { session }) => {
      const other = await sessions.read(cookie(token));
      other?.data.cart.push('first');
      if (other) await sessions.save(other);
      session?.data.cart.push('second');
      return { statusCode: 200 };
    });
    expect(response.statusCode).toBe(409);
    expect(setCookiesOf(response)).toEqual([]);
    expect(await sessions.read(cookie(token))).toMatchObject({ data: { cart: ['first'] } });
  });

  test('changes made on older data than a rotation carried over are not written over it', async () => {
    const { call, sessions, cookie, token } = await signedIn();
    const response = await call(async (_event, request) => {
      const other = await sessions.read(cookie(token));
      other?.data.cart.push('first');
      if (other) await sessions.save(other);
      request.session?.data.cart.push('second');
      await request.rotate();
      return { statusCode: 200 };
    });
    expect(response.statusCode).toBe(409);
    const [setCookie = ''] = setCookiesOf(response);
    expect(await sessions.read(setCookie.split(';')[0])).toMatchObject({ data: { cart: ['first'] } });
  });

  test('a session ended while the handler ran stays ended and sets no cookie', async () => {
    const { call, sessions, cookie, token } = await signedIn();
    const response = await call(async (_event, request) => {
      await sessions.destroy(token);
      await request.rotate();
      return { statusCode: 200 };
    });
    expect(setCookiesOf(response)).toEqual([]);
    expect(await sessions.read(cookie(token))).toBeNull();
  });

  test('signs out everywhere else and goes on with a fresh token', async () => {
    const { call, sessions, cookie } = await signedIn();
    const other = await sessions.create({ user: 'alice' });
    const response = await call(async (_event, request) => ({
      statusCode: 200,
      body: String(await request.endOthers()),
    }));
    expect(response.body).toBe('1');
    expect(await sessions.read(cookie(other.token))).toBeNull();
    expect(await sessions.read(setCookiesOf(response)[0]?.split(';')[0])).toMatchObject({ user: 'alice' });
  });

  test('refuses a cross-site request before any read, login included, and sets no cookie', async () => {
    const { call, calls, cookie, token } = await signedIn();
    const handler = jest.fn(async () => ({ statusCode: 200 }));
    const event = restEvent(cookie(token), 'POST', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' });
    const response = await call(handler, event);
    expect(response).toMatchObject({ statusCode: 403, body: '{"message":"Forbidden"}' });
    expect(setCookiesOf(response)).toEqual([]);
    expect(handler).not.toHaveBeenCalled();
    expect(calls.counts()).toEqual({});
  });

  test('with csrfHeader wants the token of this very session on unsafe requests', async () => {
    const { sessions, cookie, token } = await signedIn();
    const other = await sessions.create({ user: 'mallory' });
    const call = async (method: string, headers: Record<string, string>) =>
      (await withSession(sessions, async () => ({ statusCode: 200 }), { csrfHeader: 'X-CSRF-Token' })(
        restEvent(cookie(token), method, headers),
      )) as RestResponse;
    expect((await call('GET', {})).statusCode).toBe(200);
    expect((await call('POST', {})).statusCode).toBe(403);
    expect((await call('POST', { 'x-csrf-token': sessions.csrfToken(other.token) })).statusCode).toBe(403);
    expect((await call('POST', { 'x-csrf-token': sessions.csrfToken(token) })).statusCode).toBe(200);
  });

  test('lets a failing store speak instead of treating the user as signed out', async () => {
    const { call, calls } = await signedIn();
    calls.interceptor = {
      before: () => {
        throw new Error('table on fire');
      },
    };
    await expect(call(async () => ({ statusCode: 200 }))).rejects.toThrow('table on fire');
  });
});

describe('the identity from the authorizer', () => {
  const context = {
    user: 'alice',
    sessionId: '0123456789abcdef',
    createdAt: '1',
    authenticatedAt: '2',
    expiresAt: '3',
    role: 'admin',
  };
  const identity = {
    user: 'alice',
    sessionId: '0123456789abcdef',
    createdAt: 1,
    authenticatedAt: 2,
    expiresAt: 3,
    claims: { role: 'admin' },
  };

  test.each([
    ['REST', { requestContext: { authorizer: { ...context, principalId: 'alice', integrationLatency: 7 } } }],
    ['HTTP 1.0', { version: '1.0', requestContext: { authorizer: context } }],
    ['HTTP 2.0', { version: '2.0', requestContext: { authorizer: { lambda: context } } }],
    ['WebSocket', { requestContext: { eventType: 'MESSAGE', authorizer: { ...context, principalId: 'alice' } } }],
  ])('is read from a %s event', (_kind, event) => {
    expect(readAuthorizerContext(event)).toEqual(identity);
  });

  test.each([
    ['no event', undefined],
    ['no authorizer', { requestContext: {} }],
    ['another authorizer', { requestContext: { authorizer: { claims: { sub: 'alice' } } } }],
    ['a user that is no principal', { requestContext: { authorizer: { ...context, user: 'a\r\nb' } } }],
    ['inherited properties', { requestContext: Object.create({ authorizer: context }) }],
  ])('is null with %s', (_name, event) => {
    expect(readAuthorizerContext(event)).toBeNull();
  });
});
