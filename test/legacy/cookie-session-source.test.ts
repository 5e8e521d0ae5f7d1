// SPDX-License-Identifier: Apache-2.0
/** Cookies that the real cookie-session sets, read as a source. */
import {
  type CookieSessionSourceOptions,
  createCookieSessionSource,
} from '../../lambda/legacy/signed-cookie/cookie-session-source';
import { ConfigurationError } from '../../lambda/settings';
import { Browser, cookieSessionOf, startOldApplication } from './express-app';

const NOW = 1_800_000_000;
const UNTIL = NOW + 86_400;
/** Produced by the package itself. */
const COOKIES = {
  'session-cookie': 'eyJwYXNzcG9ydCI6eyJ1c2VyIjoidS0xIn0sImNzcmYiOiJ0b2stw6krLz0ifQ==',
  'session-cookie.sig': 'QLmpjjOMjqv4NicWDdC9ZsWEo2xaWEvjZpY0h6zwusI',
};

function source(options: Partial<CookieSessionSourceOptions> = {}): ReturnType<typeof createCookieSessionSource> {
  return createCookieSessionSource({
    keys: ['k1-secret'],
    algorithm: 'sha256',
    cookieName: 'session-cookie',
    csrfTokenPath: 'csrf',
    acceptUntil: UNTIL,
    ...options,
  });
}

describe.each(['sha1', 'sha256'] as const)('with the real cookie-session and %s', (algorithm) => {
  it.each([
    ['the only key', ['k1'], ['k1']],
    ['an older key', ['k0'], ['k1', 'k0']],
  ])('reads a cookie signed with %s', async (_, signing, keys) => {
    const app = await startOldApplication(cookieSessionOf(signing, algorithm));
    const browser = new Browser();
    await browser.visit(`${app.url}/login?user=u-1`);
    await app.close();
    const cookies = Object.fromEntries(browser.cookies);

    const id = source({ keys, algorithm }).verify(cookies, NOW) ?? '';

    expect(await source({ keys, algorithm, csrfTokenPath: '_csrf' }).read(id, NOW)).toMatchObject({
      user: 'u-1',
      createdAt: 0,
      expiresAt: UNTIL,
      csrfToken: 'csrf of u-1',
    });
    expect(source({ keys: ['other'], algorithm }).verify(cookies, NOW)).toBeUndefined();
  });
});

it('reads the known cookie', async () => {
  const id = source().verify(COOKIES, NOW) ?? '';

  expect(await source().read(id, NOW)).toMatchObject({ user: 'u-1', csrfToken: 'tok-é+/=' });
});

it('accepts nothing from the cut-off date on: the cookie itself has no end', () => {
  expect(source().verify(COOKIES, UNTIL - 1)).toBeDefined();
  expect(source().verify(COOKIES, UNTIL)).toBeUndefined();
});

it.each([
  ['no signature', { 'session-cookie': COOKIES['session-cookie'] }],
  ['no value', { 'session-cookie.sig': COOKIES['session-cookie.sig'] }],
  ['another digest', { ...COOKIES, 'session-cookie.sig': 'imhKlwWHo-embRzdVA2FuIGqKeY' }],
  ['a value that was changed', { ...COOKIES, 'session-cookie': COOKIES['session-cookie'].replace('eyJ', 'eyK') }],
  ['more than a browser keeps', { ...COOKIES, 'session-cookie': 'A'.repeat(4_100) }],
])('refuses %s', (_, cookies) => {
  expect(source().verify(cookies, NOW)).toBeUndefined();
});

it('refuses a session without a user', async () => {
  expect(await source().read(Buffer.from('{"csrf":"x"}').toString('base64'), NOW)).toEqual({ refused: 'anonymous' });
});

it.each([
  ['keys', { keys: [] }],
  ['keys', { keys: [''] }],
  ['algorithm', { algorithm: 'md5' as never }],
  ['acceptUntil', { acceptUntil: undefined as never }],
])('refuses %s that cannot work at the start', (option, options) => {
  expect(() => source(options)).toThrow(ConfigurationError);
  expect(() => source(options)).toThrow(new RegExp(`^${option} must`));
});
