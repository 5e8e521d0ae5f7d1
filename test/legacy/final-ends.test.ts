// SPDX-License-Identifier: Apache-2.0
/** Sessions that were all in signed cookies and have moved in: the end that was signed, or the cut-off date, stays the end. */
import { createCookieSessionSource } from '../../lambda/legacy/signed-cookie/cookie-session-source';
import { signCookie } from '../../lambda/legacy/signed-cookie/cookie-signature';
import { createSignedSessionSource } from '../../lambda/legacy/signed-cookie/signed-session-source';
import type { LegacySource } from '../../lambda/session/legacy-source';
import { fixture, NOW } from '../session/fixtures';

const END = NOW + 3_600;
const KEY = 'k1';

const cookiesOf = (data: object, algorithm: 'sha1' | 'sha256'): string => {
  const value = Buffer.from(JSON.stringify(data)).toString('base64');
  return `session=${value}; session.sig=${signCookie('session', value, KEY, algorithm)}`;
};

const SYSTEMS: readonly [string, LegacySource, string][] = [
  [
    'cookie-session',
    createCookieSessionSource({ keys: [KEY], acceptUntil: END }),
    cookiesOf({ passport: { user: 'alice' } }, 'sha1'),
  ],
  [
    'signed sessions',
    createSignedSessionSource({ keys: [KEY], isStateless: false, cookieName: 'session' }),
    cookiesOf({ user: 'alice', iat: NOW - 1, exp: END }, 'sha256'),
  ],
];

it.each(SYSTEMS)('%s: whatever the settings say of the lifetime', async (_, source, cookies) => {
  const { sessions } = fixture({ legacy: { sources: [source], lifetime: 'settings', report: () => {} } });

  const arrival = await sessions.legacy?.arrive(cookies, null);

  expect(arrival?.session).toMatchObject({ user: 'alice', expiresAt: END });
});

it.each(SYSTEMS)('%s: however often it is used', async (_, source, cookies) => {
  const { sessions, clock, cookie } = fixture({
    idleTimeoutSeconds: 600,
    legacy: { sources: [source], lifetime: 'settings', report: () => {} },
  });
  const arrival = await sessions.legacy?.arrive(cookies, null);
  const own = cookie(arrival?.moved?.token ?? '');
  const use = async () => {
    const session = await sessions.read(own);
    if (session !== null) await sessions.renew(session);
    return session?.user;
  };
  while (clock.now() < END) {
    expect(await use()).toBe('alice');
    clock.advance(300);
  }

  expect(await use()).toBeUndefined();
});
