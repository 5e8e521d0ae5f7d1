// SPDX-License-Identifier: Apache-2.0
/** Who a signed session is and how long it lives is decided when it is made: neither its object nor a broken clock changes it. */
import { createSignedSessions, type SignedSession } from '../../lambda/legacy/signed-cookie/signed-sessions';
import { ConfigurationError, InvalidInputError } from '../../lambda/session/errors';
import { NOW } from '../session/fixtures';
import { signedWorld } from './signed-world';

const FIXED = ['id', 'user', 'issuedAt', 'expiresAt', 'csrfToken', 'isDueForWriting'];

async function loggedIn() {
  const world = signedWorld({ lifetimeSeconds: 600 });
  await world.login({ cart: ['x'] });
  const session = await world.read();
  if (session === null) throw new Error('the session is there');
  return { ...world, session };
}

describe('a session that was read', () => {
  it.each(FIXED)('has a fixed %s: merging a request into it fails', async (name) => {
    const { session } = await loggedIn();
    const before = { ...session };

    expect(() => Object.assign(session, { [name]: 'admin' })).toThrow(TypeError);
    expect(Reflect.deleteProperty(session, name)).toBe(false);
    expect(() => Object.defineProperty(session, name, { value: 'admin' })).toThrow(TypeError);
    expect({ ...session }).toEqual(before);
  });

  it('takes other data, changed or replaced', async () => {
    const { signed, browser, session, read } = await loggedIn();
    session.data.cart?.push('y');
    browser.take(await signed.write(session));
    expect((await read())?.data).toEqual({ cart: ['x', 'y'] });

    session.data = { cart: [] };
    browser.take(await signed.write(session));
    expect(await read()).toMatchObject({ ...session, csrfToken: expect.any(String), data: { cart: [] } });
  });

  it.each(['id', 'user', 'iat', 'exp', 'epoch'])('takes no data called %s', async (name) => {
    const { signed, session } = await loggedIn();
    Object.assign(session.data, { [name]: 'admin' });

    await expect(signed.write(session)).rejects.toThrow(`data must not have a property named ${name}`);
  });
});

it.each<[string, (session: SignedSession<{ cart?: string[] }>) => unknown]>([
  ['a copy', (session) => ({ ...session, user: 'admin' })],
  ['an object in front of it', (session) => Object.create(session, { user: { value: 'admin' } })],
  ['one that was made up', () => ({ id: 'x', user: 'admin', issuedAt: NOW, expiresAt: NOW + 60, data: {} })],
  ['none', () => null],
  ['text', () => 'session'],
])('%s is not signed', async (_, foreign) => {
  const { signed, session } = await loggedIn();

  await expect(signed.write(foreign(session) as never)).rejects.toThrow(InvalidInputError);
  await expect(signed.write(foreign(session) as never)).rejects.toThrow(
    /^session must be an object that read returned/,
  );
});

it('a session of other signed sessions is not signed: it may be of another application', async () => {
  const { session } = await loggedIn();
  const other = createSignedSessions<{ cart?: string[] }>({ keys: ['k9'], cookieName: '__Host-other' });

  await expect(other.write(session)).rejects.toThrow(InvalidInputError);
});

describe('the clock', () => {
  it('may tell fractions of a second, which are cut off', async () => {
    const { login, read, clock } = signedWorld({ lifetimeSeconds: 600 });
    clock.now = NOW + 0.9;
    await login();

    expect(await read()).toMatchObject({ issuedAt: NOW, expiresAt: NOW + 600 });
    clock.now = NOW + 600.1;
    expect(await read()).toBeNull();
  });

  it.each([Number.NaN, undefined, null, String(NOW), new Date(NOW * 1000), Number.POSITIVE_INFINITY])(
    'that tells %p lets nobody in',
    async (time) => {
      const { signed, browser, login } = signedWorld();
      await login();
      const broken = createSignedSessions({ keys: ['k1'], now: () => time as number });

      for (const attempt of [broken.read(browser.cookieHeader), broken.create({ user: 'alice' })]) {
        await expect(attempt).rejects.toThrow(ConfigurationError);
        await expect(attempt).rejects.toThrow(/^now must return Unix seconds/);
      }
      expect(await signed.read(browser.cookieHeader)).toMatchObject({ user: 'alice' });
    },
  );
});
