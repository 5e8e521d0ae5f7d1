// SPDX-License-Identifier: Apache-2.0
/** Signed sessions: what is in the cookie counts and nothing else. */
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import { createSignedSessionSource } from '../../lambda/legacy/signed-cookie/signed-session-source';
import { createSignedSessions } from '../../lambda/legacy/signed-cookie/signed-sessions';
import { createSessions, withCookies } from '../../lambda/session';
import { ConfigurationError, InvalidInputError, SessionStoreError } from '../../lambda/session/errors';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import { restEvent } from '../authorizer/set-up';
import { NOW } from '../session/fixtures';
import { signedWorld as world } from './signed-world';

const NAME = '__Host-signed';

describe('a signed session', () => {
  it('is what was signed, until its end', async () => {
    const { clock, login, read } = world({ lifetimeSeconds: 600 });
    await login({ cart: ['x'] });

    expect(await read()).toMatchObject({
      user: 'alice',
      issuedAt: NOW,
      expiresAt: NOW + 600,
      data: { cart: ['x'] },
      isDueForWriting: false,
    });

    clock.now += 600;
    expect(await read()).toBeNull();
  });

  it('stands in two cookies of the strictest kind', async () => {
    const { signed } = world();

    const cookies = await signed.create({ user: 'alice' });

    expect(cookies).toEqual([
      expect.stringMatching(/^__Host-signed=[A-Za-z0-9+/]+=*; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=43200$/),
      expect.stringMatching(/^__Host-signed\.sig=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=43200$/),
    ]);
    expect(signed.clearCookies.every((cookie) => cookie.includes('Secure; HttpOnly; SameSite=Lax; Max-Age=0'))).toBe(
      true,
    );
  });

  it.each([
    ['a REST API', { httpMethod: 'GET' }, 'multiValueHeaders'],
    ['an HTTP API with payload 1.0', { version: '1.0' }, 'multiValueHeaders'],
    ['an HTTP API with payload 2.0', { version: '2.0' }, 'cookies'],
  ])('is handed out through %s', async (_, event, place) => {
    const { signed } = world();
    const cookies = await signed.create({ user: 'alice' });

    const answer = withCookies(event, { statusCode: 204 }, cookies);

    expect(answer).toMatchObject({ statusCode: 204, headers: { 'Cache-Control': 'no-store' } });
    expect(answer).toHaveProperty(place, place === 'cookies' ? cookies : { 'Set-Cookie': cookies });
  });

  it('keeps its dates when its data is written anew', async () => {
    const { clock, signed, browser, login, read } = world({ lifetimeSeconds: 600 });
    await login();
    clock.now += 100;
    const session = await read();
    if (session === null) throw new Error('the session is there');

    session.data.cart = ['y'];
    const cookies = await signed.write(session);
    browser.take(cookies);

    expect(cookies[0]).toContain('Max-Age=500');
    expect(await read()).toMatchObject({ id: session.id, issuedAt: NOW, expiresAt: NOW + 600, data: { cart: ['y'] } });
  });

  it('ends in its browser by a logout, and nowhere else', async () => {
    const { signed, browser, login, read } = world();
    await login();
    const copy = browser.copy();

    browser.take(signed.clearCookies);

    expect(await read()).toBeNull();
    expect(await read(copy)).toMatchObject({ user: 'alice' });
  });

  it('ends for everybody by a new epoch', async () => {
    const { browser, login } = world({ epoch: 'one' });
    await login();

    expect(await world({ epoch: 'one' }).signed.read(browser.cookieHeader)).toMatchObject({ user: 'alice' });
    expect(await world({ epoch: 'two' }).signed.read(browser.cookieHeader)).toBeNull();
    expect(await world().signed.read(browser.cookieHeader)).toBeNull();
  });

  it.each([
    [NOW + 1, null],
    [NOW, 'alice'],
    [undefined, 'alice'],
  ])('ends by the line of its user: %s', async (line, user) => {
    const { login, read } = world({ sessionsValidAfter: async () => line });
    await login();

    expect((await read())?.user ?? null).toBe(user);
  });

  it('is not let in where the line cannot be read', async () => {
    const { login, read } = world({ sessionsValidAfter: async () => Number.NaN });
    await login();

    await expect(read()).rejects.toThrow(SessionStoreError);
  });

  it('is told from another login of the same user', async () => {
    const one = world();
    const other = world();
    await one.login();
    await other.login();

    expect((await one.read())?.id).not.toBe((await other.read())?.id);
  });

  it('has an anti-CSRF token of its own', async () => {
    const { signed, login, read } = world();
    await login();
    const session = await read();
    await login();
    const next = await read();
    if (session === null || next === null) throw new Error('the sessions are there');

    expect(signed.verifyCsrf(session, session.csrfToken)).toBe(true);
    for (const forged of [next.csrfToken, '', undefined, {}]) expect(signed.verifyCsrf(session, forged)).toBe(false);
  });

  it('is nothing without its signature, or under another name', async () => {
    const { signed, browser, login } = world();
    await login();
    const value = browser.cookies.get(NAME) ?? '';
    const signature = browser.cookies.get(`${NAME}.sig`) ?? '';

    expect(await signed.read(`${NAME}=${value}`)).toBeNull();
    expect(await signed.read(`${NAME}.sig=${signature}`)).toBeNull();
    expect(await signed.read(`${NAME}=${value}; ${NAME}=${value}; ${NAME}.sig=${signature}`)).toBeNull();
    const renamed = createSignedSessions({ keys: ['k1'], cookieName: '__Host-other', now: () => NOW });
    expect(await renamed.read(`__Host-other=${value}; __Host-other.sig=${signature}`)).toBeNull();
  });
});

it.each([[null], [[1]], ['text'], [7]])(
  'with the data %j is refused, as they would be stored as something else',
  async (data) => {
    const { signed, login, read } = world();

    await expect(signed.create({ user: 'alice', data: data as never })).rejects.toThrow('data must be an object');
    await login();
    const session = (await read()) as { data: unknown };
    session.data = data;
    await expect(signed.write(session as never)).rejects.toThrow('data must be an object');
  },
);

it('goes on with the keys that were checked, whatever becomes of the list', async () => {
  const keys = ['k1'];
  const { login, read } = world({ keys });
  keys[0] = '';
  await login();

  expect(await read()).toMatchObject({ user: 'alice' });
  keys.length = 0;
  expect(await read()).toMatchObject({ user: 'alice' });
});

describe('at the gateway', () => {
  function authorizer(options: Parameters<typeof createSignedSessionSource>[0]) {
    const reads: string[] = [];
    const authorize = createAuthorizer(
      { now: () => NOW, reader: { readSession: async (key) => void reads.push(key) } },
      { cookieName: '__Host-session', legacy: [createSignedSessionSource(options)] },
    );
    return { reads, authorize: (cookie: string) => authorize(restEvent({ headers: { Cookie: cookie } })) };
  }

  it('is let in without a single read', async () => {
    const { browser, login } = world();
    await login();
    const { authorize, reads } = authorizer({ keys: ['k1'] });

    expect(await authorize(browser.cookieHeader)).toMatchObject({
      principalId: 'alice',
      context: { user: 'alice', createdAt: String(NOW), authenticatedAt: String(NOW), expiresAt: String(NOW + 43_200) },
    });
    expect(reads).toEqual([]);
  });

  it.each([
    ['another key', { keys: ['k9'] }],
    ['another epoch', { keys: ['k1'], epoch: 'two' }],
    ['the line of its user', { keys: ['k1'], sessionsValidAfter: async () => NOW + 1 }],
  ])('is refused by %s, without a read', async (_, options) => {
    const { browser, login } = world();
    await login();
    const { authorize, reads } = authorizer(options);

    expect(await authorize(browser.cookieHeader)).toMatchObject({
      policyDocument: { Statement: [{ Effect: 'Deny' }] },
    });
    expect(reads).toEqual([]);
  });
});

describe('moving into the table', () => {
  const create = (isStateless: boolean) =>
    createSessions({
      store: new MemorySessionStore(),
      now: () => NOW,
      legacy: { sources: [createSignedSessionSource({ keys: ['k1'], isStateless })], report: () => {} },
    });

  it('works as from any older system', async () => {
    const { browser, login } = world();
    await login();
    const sessions = create(false);

    const arrival = await sessions.legacy?.arrive(browser.cookieHeader, null);

    expect(arrival?.moved?.session).toMatchObject({ user: 'alice', createdAt: NOW });
  });

  it('is refused for a source that remembers nothing', () => {
    expect(() => create(true)).toThrow(/^legacy.sources must not be stateless/);
  });
});

describe('an option', () => {
  it.each([
    ['keys', { keys: [] }],
    ['keys', { keys: [''] }],
    ['cookieName', { cookieName: 'a b' }],
    ['cookieName', { insecureLocalhost: true }],
    ['lifetimeSeconds', { lifetimeSeconds: 0 }],
    ['lifetimeSeconds', { lifetimeSeconds: 401 * 86_400 }],
    ['epoch', { epoch: 'a b' }],
    ['name', { name: 'sid' } as never],
    ['lifetime', { lifetime: 60 } as never],
  ])('%s that cannot work is refused at the start', (option, options) => {
    expect(() => world(options)).toThrow(ConfigurationError);
    expect(() => world(options)).toThrow(new RegExp(`^${option} must`));
  });

  it.each([
    ['a user that cannot be one', { user: 'a b' }, /^user must/],
    ['more than a cookie holds', { user: 'alice', data: { cart: ['x'.repeat(4_000)] } }, /^data makes the cookie/],
    ['a reserved name', { user: 'alice', data: { exp: 1 } as never }, /^data must not have a property named exp/],
    ['what is no JSON', { user: 'alice', data: { cart: new Date() } as never }, /^data\.cart must be JSON/],
  ])('of a login with %s is refused', async (_, input, message) => {
    const { signed } = world();

    await expect(signed.create(input)).rejects.toThrow(InvalidInputError);
    await expect(signed.create(input)).rejects.toThrow(message);
  });
});
