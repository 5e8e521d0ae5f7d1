// SPDX-License-Identifier: Apache-2.0
/** How logins of cookie-session are told apart whose data change, and what their tokens are derived from. */

import {
  type CookieSessionSourceOptions,
  createCookieSessionSource,
} from '../../lambda/legacy/signed-cookie/cookie-session-source';
import { signCookie } from '../../lambda/legacy/signed-cookie/cookie-signature';
import { claimIdOf } from '../../lambda/session/migration/claim-item';

const NAME = 'session';
const NOW = 1_800_000_000;

function sourceOf(options: Partial<CookieSessionSourceOptions> = {}) {
  return createCookieSessionSource({ keys: ['k1'], acceptUntil: NOW + 60, loginIdPath: 'id', ...options });
}

const encoded = (data: unknown) => Buffer.from(JSON.stringify(data)).toString('base64');
/** Data of a user who is logged in. */
const of = (data: object, user = 'alice') => ({ passport: { user }, ...data });
const cookiesOf = (value: string, key: string) => ({
  [NAME]: value,
  [`${NAME}.sig`]: signCookie(NAME, value, key, 'sha1'),
});
const claimOf = (data: object, options?: Partial<CookieSessionSourceOptions>) =>
  claimIdOf(sourceOf(options), encoded(of(data)));

/** What a token of the session with these data is derived from, where the cookie is signed with that key. */
function secretsOf(data: object, { key = 'k1', ...options }: Partial<CookieSessionSourceOptions> & { key?: string }) {
  const value = encoded(of(data));
  return sourceOf(options).tokenSecrets?.(value, cookiesOf(value, key));
}

describe('the lasting id', () => {
  it.each<[string, object, string | undefined]>([
    ['text', { id: 'login-1' }, 'alice\0string login-1'],
    ['a number', { id: 42 }, 'alice\0number 42'],
    ['the number 0', { id: 0 }, 'alice\0number 0'],
    ['text of digits', { id: '42' }, 'alice\0string 42'],
    ['nothing', {}, undefined],
    ['null', { id: null }, undefined],
    ['empty text', { id: '' }, undefined],
    ['a fraction', { id: 0.5 }, undefined],
    ['a number beyond the whole ones', { id: 2 ** 60 }, undefined],
    ['a switch', { id: true }, undefined],
    ['an object', { id: { a: 1 } }, undefined],
    ['a list', { id: ['login-1'] }, undefined],
  ])('of data whose path holds %s', (_, data, expected) => {
    expect(sourceOf().lastingId?.(encoded(of(data)))).toBe(expected);
  });

  it.each<[string, CookieSessionSourceOptions['loginIdPath'], string | undefined]>([
    ['a path into the data', 'login.id', 'alice\0string login-1'],
    ['names with dots', ['login', 'id'], 'alice\0string login-1'],
    ['a path that leads nowhere', 'login.id.x', undefined],
    ['what every object has', 'constructor.name', undefined],
    ['no path', undefined, undefined],
  ])('is found by %s', (_, loginIdPath, expected) => {
    expect(sourceOf({ loginIdPath }).lastingId?.(encoded(of({ login: { id: 'login-1' } })))).toBe(expected);
  });

  it.each(['', 'x', encoded([1]), `${encoded({ id: 'a' })}x`])('is none for the value %j', (value) => {
    expect(sourceOf().lastingId?.(value)).toBeUndefined();
  });

  it('is of its user: an id that is older than the login makes no cookie another user’s, and none without a user', () => {
    const claims = [
      of({ id: 'X' }),
      of({ id: 'X' }, 'mallory'),
      { id: 'X' },
      of({ id: 5 }),
      of({ id: '5' }, 'alice'),
    ].map((data) => claimIdOf(sourceOf(), encoded(data)));

    expect(new Set(claims).size).toBe(5);
    expect(sourceOf().lastingId?.(encoded({ id: 'X' }))).toBeUndefined();
  });
});

describe('the claim', () => {
  it('is the same for all data of a login', () => {
    expect(claimOf({ id: 1, theme: 'dark' })).toBe(claimOf({ theme: 'light', cart: [], id: 1 }));
    expect(claimOf({ id: 1 })).not.toBe(claimOf({ id: 2 }));
  });

  it('is that of the value where a login has no id', () => {
    const [one, other] = [{ theme: 'dark' }, { theme: 'light' }];

    expect(claimOf(one)).not.toBe(claimOf(other));
    expect(claimOf(one)).toBe(claimOf(one, { loginIdPath: undefined }));
  });

  it('of a login is none of a value: an id that looks like one takes no session over', () => {
    const value = encoded(of({ theme: 'dark' }));

    expect(claimOf({ id: value })).not.toBe(claimIdOf(sourceOf(), value));
  });
});

describe('the secrets of a token', () => {
  const [dark, light] = [
    { id: 1, theme: 'dark' },
    { id: 1, theme: 'light' },
  ];

  it('are the same for all data of a login', () => {
    const keys = ['k2', 'k1'];

    expect(secretsOf(dark, { keys })).toEqual(secretsOf(light, { keys }));
    expect(secretsOf({ id: 2 }, { keys })).not.toEqual(secretsOf({ id: 1 }, { keys }));
  });

  it.each([[['k2', 'k1']], [['k1', 'k2']], [['k3', 'k1', 'k2']]])(
    'begin with that of the key which signed the cookie, in whatever order the keys are: %j',
    (keys) => {
      const [byFirst, ...others] = secretsOf(dark, { keys, key: 'k1' }) ?? [];

      expect(byFirst).toBe(secretsOf(light, { keys: ['k1'], key: 'k1' })?.[0]);
      expect(others).toHaveLength(keys.length - 1);
      expect(new Set([byFirst, ...others]).size).toBe(keys.length);
    },
  );

  it('are the signatures of the value where a login has no id, the one that the cookie shows first', () => {
    const value = encoded(of({ theme: 'dark' }));
    const signatures = ['k1', 'k2'].map((key) => signCookie(NAME, value, key, 'sha1'));

    expect(secretsOf({ theme: 'dark' }, { keys: ['k2', 'k1'], key: 'k1' })).toEqual(signatures);
    expect(secretsOf({ theme: 'dark' }, { keys: ['k2', 'k1'], key: 'k1', loginIdPath: undefined })).toEqual(signatures);
  });

  it('of a login are the signature of no cookie that a browser could show', () => {
    const [secret] = secretsOf(dark, {}) ?? [];

    for (const value of [encoded(dark), encoded(light), '1', 'id'])
      expect(secret).not.toBe(signCookie(NAME, value, 'k1', 'sha1'));
  });
});

describe('a cookie of the size that browsers keep', () => {
  const signed = (characters: number) => {
    const value = 'A'.repeat(characters - NAME.length);
    return sourceOf().verify(cookiesOf(value, 'k1'), NOW) === value;
  };

  it('is verified, and no longer one, however well it is signed', () => {
    expect(signed(4_096)).toBe(true);
    expect(signed(4_097)).toBe(false);
  });
});
