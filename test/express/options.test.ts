// SPDX-License-Identifier: Apache-2.0
/** Options that would have no effect, or the wrong one, are refused when the application starts. */
import { type MiddlewareOptions, SessiongateStore } from '../../lambda/express';
import { fixture } from '../session/fixtures';

const { sessions } = fixture();
const user = () => undefined;

describe('SessiongateStore', () => {
  test.each([
    ['no options', undefined, 'options must be an object with sessions, user, setUser, login'],
    ['no user', { sessions }, 'user must be a function that tells whose session it is, by its data'],
    ['a path for user', { sessions, user: 'passport.user' }, 'user must be a function'],
    ['a setUser that is none', { sessions, user, setUser: true }, 'setUser must be a function'],
    ['a login that is none', { sessions, user, login: {} }, 'login must be a function'],
    ['an option of another store', { sessions, user, ttl: 3600 }, 'ttl must be one of the options: sessions, user'],
    ['a copy of the library', { sessions: { ...sessions }, user }, 'sessions must be what createSessions returned'],
  ])('refuses %s', (_, options, message) => {
    expect(() => new SessiongateStore(options as never)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining(message) }),
    );
  });
});

describe('the middleware', () => {
  const store = new SessiongateStore({ sessions, user });

  test.each([
    [
      { secret: 'keyboard cat' },
      'secret must be one of the options (decided here: a session token needs no signature)',
    ],
    [{ name: 'sid' }, 'name must be one of the options (decided here: cookieName of createSessions'],
    [{ key: 'sid' }, 'key must be one of the options (decided here: '],
    [{ store: {} }, 'store must be one of the options (decided here: '],
    [{ genid: user }, 'genid must be one of the options (decided here: '],
    [{ unset: 'destroy' }, 'unset must be one of the options (decided here: '],
    [{ proxy: true }, 'proxy must be one of the options (decided here: '],
    [{ rollign: true }, 'rollign must be one of the options: resave, rolling, saveUninitialized, cookie'],
    [{ cookie: { secure: false } }, 'cookie.secure must be one of the options (decided here: '],
    [{ cookie: { sameSite: 'none' } }, 'cookie.sameSite must be one of the options (decided here: '],
    [{ cookie: { domain: 'example.com' } }, 'cookie.domain must be one of the options (decided here: '],
    [{ cookie: { expires: new Date() } }, 'cookie.expires must be one of the options (decided here: cookie.maxAge'],
    [{ cookie: { maxage: 1 } }, 'cookie.maxage must be one of the options: cookie.maxAge'],
    [{ cookie: { maxAge: '1h' } }, 'cookie.maxAge must be a number of milliseconds above 0'],
    [{ cookie: { maxAge: Number.NaN } }, 'cookie.maxAge must be a number of milliseconds above 0'],
    [{ cookie: { maxAge: 1e300 } }, 'cookie.maxAge must be a number of milliseconds above 0'],
    [{ cookie: { maxAge: 0 } }, 'cookie.maxAge must be a number of milliseconds above 0'],
    [{ cookie: () => ({}) }, 'cookie must be an object with maxAge'],
  ])('refuses %p', (options, message) => {
    expect(() => store.middleware(options as MiddlewareOptions)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining(message) }),
    );
  });

  test('takes what express-session may still be told', () => {
    const cookie = { maxAge: 3_600_000 };

    expect(store.middleware({ resave: true, rolling: true, saveUninitialized: true, cookie })).toBeInstanceOf(Function);
  });
});
