// SPDX-License-Identifier: Apache-2.0
/** Keys that are loaded while the function runs are held to the same rules as those that are given at the start. */
import { createCookieSessionSource } from '../../lambda/legacy/signed-cookie/cookie-session-source';
import { signCookie } from '../../lambda/legacy/signed-cookie/cookie-signature';
import { createSignedSessionSource } from '../../lambda/legacy/signed-cookie/signed-session-source';
import { ConfigurationError } from '../../lambda/settings';
import { NOW } from '../session/fixtures';

const END = NOW + 60;

/** What anybody can sign who knows the key: with an empty one, that is everybody. */
function cookiesSignedWith(key: string, algorithm: 'sha1' | 'sha256', data: object) {
  const value = Buffer.from(JSON.stringify(data)).toString('base64');
  return { session: value, 'session.sig': signCookie('session', value, key, algorithm) };
}

const loaded = (current: unknown) => ({ prepare: async () => {}, current: () => current as readonly string[] });

describe.each([
  ['an empty key', [''], ''],
  ['an empty key behind a good one', ['k1', ''], ''],
  ['a key of white space', [' \n'], ' \n'],
  ['no key at all', [], 'k1'],
  ['no list', 'k1', 'k'],
])('with %s', (_, current, key) => {
  it('no cookie of cookie-session is verified', () => {
    const source = createCookieSessionSource({ keys: loaded(current), acceptUntil: END });
    const cookies = cookiesSignedWith(key, 'sha1', { passport: { user: 'admin' } });

    expect(() => source.verify(cookies, NOW)).toThrow(ConfigurationError);
    expect(() => source.verify(cookies, NOW)).toThrow(/^keys must/);
  });

  it('no signed session is verified', () => {
    const source = createSignedSessionSource({ keys: loaded(current), isStateless: false, cookieName: 'session' });
    const cookies = cookiesSignedWith(key, 'sha256', { user: 'admin', iat: NOW - 1, exp: END });

    expect(() => source.verify(cookies, NOW)).toThrow(/^keys must/);
  });
});

it('with a good key a cookie is verified', () => {
  const source = createCookieSessionSource({ keys: loaded(['k1']), acceptUntil: END });

  expect(source.verify(cookiesSignedWith('k1', 'sha1', { passport: { user: 'u-1' } }), NOW)).toBeDefined();
});
