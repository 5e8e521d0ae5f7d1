// SPDX-License-Identifier: Apache-2.0
/** How browsers are told to drop the cookies of older systems. */
import { createCookieSessionSource, createExpressSessionSource, createPhpSessionSource } from '../../lambda/legacy';

const store = { read: async () => undefined, end: async () => {} };
const table = { get: async () => undefined, delete: async () => {} };
const SOURCES = {
  'express-session': (cookieName: string) => createExpressSessionSource({ store, secrets: ['s'], cookieName }),
  'cookie-session': (cookieName: string) => createCookieSessionSource({ keys: ['k'], acceptUntil: 2e9, cookieName }),
  PHP: (cookieName: string) => createPhpSessionSource({ table, userPath: 'user', sessionName: 'app', cookieName }),
};

describe.each(Object.entries(SOURCES))('the cookie of %s', (_, sourceOf) => {
  // RFC 6265bis, section 4.1.3; browsers compare the prefix without regard to case.
  it.each(['__Host-sid', '__Secure-sid', '__host-sid', '__SECURE-sid'])(
    'called %s is dropped with Secure, without which browsers ignore the order',
    (name) => {
      const { cookieNames, clearCookies } = sourceOf(name);

      expect(clearCookies).toEqual(
        cookieNames.map(
          (cookieName) => `${cookieName}=; Path=/; Secure; HttpOnly; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`,
        ),
      );
    },
  );

  it.each(['sid', 'Host-sid', 'x__Host-sid', '__Hostsid'])(
    'called %s is dropped without it: it may have come over plain HTTP',
    (name) => {
      for (const clearing of sourceOf(name).clearCookies ?? []) expect(clearing).not.toContain('Secure');
    },
  );
});
