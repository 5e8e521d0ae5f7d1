// SPDX-License-Identifier: Apache-2.0
/**
 * Two instances over one table, of which one has loaded a new key and the other has not yet: one old session becomes one
 * session, with one token, whichever is asked first.
 */
import { createExpressSessionSource } from '../../lambda/legacy/express-session/express-session-source';
import { signSessionId } from '../../lambda/legacy/express-session/unsign-express-cookie';
import { createCookieSessionSource } from '../../lambda/legacy/signed-cookie/cookie-session-source';
import { signCookie } from '../../lambda/legacy/signed-cookie/cookie-signature';
import { createSignedSessionSource } from '../../lambda/legacy/signed-cookie/signed-session-source';
import { createSessions } from '../../lambda/session/create-sessions';
import type { LegacySource } from '../../lambda/session/legacy-source';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import { NOW } from '../session/fixtures';

const END = NOW + 3_600;
const SESSION_ID = 'abcDEF-_0123456789abcDEF-_012345';
/** As long as the new key is on its way, cookies are signed with the old one. */
const OLD_KEY = 'k1';
const OLD_KEYS = [OLD_KEY];
const NEW_KEYS = ['k2', OLD_KEY];

const signedCookies = (name: string, data: object, algorithm: 'sha1' | 'sha256') => {
  const value = Buffer.from(JSON.stringify(data)).toString('base64');
  return `${name}=${value}; ${name}.sig=${signCookie(name, value, OLD_KEY, algorithm)}`;
};
const LOGIN = { passport: { user: 'alice' }, id: 'login-1' };

const SYSTEMS: readonly [string, (keys: readonly string[]) => LegacySource, string][] = [
  [
    'express-session',
    (secrets) =>
      createExpressSessionSource({
        secrets,
        store: { read: async () => ({ session: LOGIN, expiresAt: END }), end: async () => {} },
      }),
    `connect.sid=s%3A${SESSION_ID}.${encodeURIComponent(signSessionId(SESSION_ID, OLD_KEY))}`,
  ],
  [
    'cookie-session',
    (keys) => createCookieSessionSource({ keys, acceptUntil: END }),
    signedCookies('session', LOGIN, 'sha1'),
  ],
  [
    'cookie-session with loginIdPath',
    (keys) => createCookieSessionSource({ keys, acceptUntil: END, loginIdPath: 'id' }),
    signedCookies('session', LOGIN, 'sha1'),
  ],
  [
    'signed sessions',
    (keys) => createSignedSessionSource({ keys, isStateless: false }),
    signedCookies('__Host-signed', { user: 'alice', iat: NOW - 1, exp: END, id: 'login-1' }, 'sha256'),
  ],
];

describe.each(SYSTEMS)('a session of %s', (_, sourceOf, cookies) => {
  it.each([
    ['the one with the new key', NEW_KEYS, OLD_KEYS],
    ['the one without it', OLD_KEYS, NEW_KEYS],
    ['one that has it last', [OLD_KEY, 'k2'], NEW_KEYS],
  ])('moves in at %s, and is found by the other', async (_name, first, second) => {
    const store = new MemorySessionStore();
    const arriveAt = async (keys: readonly string[]) => {
      const legacy = { sources: [sourceOf(keys)], report: () => {} };
      const arrival = await createSessions({ store, now: () => NOW, legacy }).legacy?.arrive(cookies, null);
      return arrival?.moved?.token;
    };

    const token = await arriveAt(first);

    expect(token).toMatch(/^[\w-]{43}$/);
    expect(await arriveAt(second)).toBe(token);
    expect(await arriveAt(first)).toBe(token);
    expect(store.items().filter(({ type }) => type?.S === 'session')).toHaveLength(1);
  });
});
