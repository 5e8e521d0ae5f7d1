// SPDX-License-Identifier: Apache-2.0
/**
 * Where the cookie holds the session itself, each change of its data makes another cookie, and whoever kept an earlier one has
 * a cookie that is as well signed. A login is one session all the same: with the real cookie-session, and with signed sessions.
 */
import { randomUUID } from 'node:crypto';
import { createCookieSessionSource } from '../../lambda/legacy/signed-cookie/cookie-session-source';
import { createSignedSessionSource } from '../../lambda/legacy/signed-cookie/signed-session-source';
import { createSignedSessions } from '../../lambda/legacy/signed-cookie/signed-sessions';
import { Browser, cookieSessionOf, startOldApplication } from './express-app';
import { NEW_COOKIE, type OldUsersGateway, startOldUsersGateway } from './old-users-gateway';

const KEYS = ['k1', 'k0'];
const END = Math.floor(Date.now() / 1000) + 3_600;
const COOKIE_SESSION = { keys: KEYS, algorithm: 'sha256', acceptUntil: END } as const;

let gateway: OldUsersGateway;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  gateway = await startOldUsersGateway(() => [
    createCookieSessionSource({ ...COOKIE_SESSION, cookieName: 'by-id', sourceName: 'by-id', loginIdPath: 'id' }),
    createCookieSessionSource({ ...COOKIE_SESSION, cookieName: 'by-value', sourceName: 'by-value' }),
    createSignedSessionSource({ keys: KEYS, isStateless: false }),
  ]);
});

afterAll(async () => {
  for (const close of closers) await close();
  await gateway.close();
});

/** An old application, as its users see it. `signWith` says which keys it has from then on; the first signs. */
interface OldApplication {
  login(browser: Browser, user: string): Promise<void>;
  change(browser: Browser, to: string): Promise<void>;
  signWith(keys: readonly string[]): Promise<void>;
}

/** The real package; a restart gives it other keys. */
async function cookieSessionApplication(cookieName: string): Promise<OldApplication> {
  const start = async (keys: readonly string[]) => {
    const started = await startOldApplication(cookieSessionOf(keys, 'sha256', cookieName));
    closers.push(started.close);
    return started;
  };
  let app = await start(['k0']);
  return {
    login: async (browser, user) => void (await browser.visit(`${app.url}/login?user=${user}&id=${randomUUID()}`)),
    change: async (browser, to) => void (await browser.visit(`${app.url}/change?to=${to}`)),
    signWith: async (keys) => {
      app = await start(keys);
    },
  };
}

async function signedApplication(): Promise<OldApplication> {
  let signed = createSignedSessions<{ theme?: string }>({ keys: ['k0'] });
  return {
    login: async (browser, user) => browser.take(await signed.create({ user })),
    change: async (browser, theme) => {
      const session = await signed.read(browser.cookieHeader);
      if (session === null) throw new Error('the old application knows its session');
      session.data = { theme };
      browser.take(await signed.write(session));
    },
    signWith: async (keys) => {
      signed = createSignedSessions({ keys });
    },
  };
}

describe.each<[string, () => Promise<OldApplication>]>([
  ['cookie-session with loginIdPath', () => cookieSessionApplication('by-id')],
  ['signed sessions that move in', signedApplication],
])('a login of %s whose data changed', (_, start) => {
  let app: OldApplication;
  let user: string;
  let browser: Browser;
  /** Kept the cookie that the login gave. */
  let earlier: Browser;

  beforeEach(async () => {
    app = await start();
    user = `user-${randomUUID()}`;
    browser = new Browser();
    await app.login(browser, user);
    earlier = browser.copy();
  });

  /** Nobody is let in, and nothing is handed out. */
  async function expectWorthless(cookies: Browser): Promise<void> {
    expect(await gateway.admits(cookies)).toBe('denied');
    expect(await gateway.movesIn(cookies)).toBeNull();
    expect(await gateway.request(cookies)).toMatchObject({ status: 403, setCookies: [] });
  }

  it('is out after a logout, whichever of its cookies comes back', async () => {
    await app.change(browser, 'dark');
    const later = browser.copy();
    expect(later.cookieHeader).not.toBe(earlier.cookieHeader);

    expect(await gateway.request(browser)).toMatchObject({ status: 200, user });
    expect(await gateway.request(browser)).toMatchObject({ status: 200, user });
    expect([...browser.cookies.keys()]).toEqual([NEW_COOKIE]);
    expect(await gateway.request(browser, 'DELETE')).toMatchObject({ status: 200 });

    await expectWorthless(earlier);
    await expectWorthless(later);
    // The old application goes on accepting its own, and writes it anew.
    await app.change(earlier, 'light');
    await expectWorthless(earlier);
    expect(await gateway.sessionsOf(user)).toBe(0);
  });

  it('is out after a logout with the earlier cookie alone', async () => {
    await app.change(browser, 'dark');

    expect(await gateway.request(earlier, 'DELETE')).toMatchObject({ status: 200 });

    await expectWorthless(browser);
    expect(await gateway.sessionsOf(user)).toBe(0);
  });

  it('is out when its user is disabled', async () => {
    await gateway.sessions.disable(user);

    await expectWorthless(earlier);
  });

  it('is one session after a lost answer, with the token that was lost', async () => {
    const lost = await gateway.request(browser, 'GET', { loseAnswer: true });
    await app.change(browser, 'dark');

    const found = await gateway.request(browser);

    expect(found).toMatchObject({ status: 200, user });
    expect(tokenIn(found.setCookies)).toBe(tokenIn(lost.setCookies));
    expect(await gateway.sessionsOf(user)).toBe(1);
    expect(await gateway.request(browser)).toMatchObject({ status: 200, user });
    expect([...browser.cookies.keys()]).toEqual([NEW_COOKIE]);
  });

  it('is one session although the old application signs with another key by now', async () => {
    const lost = await gateway.request(browser, 'GET', { loseAnswer: true });
    await app.signWith(['k1', 'k0']);
    await app.change(browser, 'dark');

    const found = await gateway.request(browser);

    expect(tokenIn(found.setCookies)).toBe(tokenIn(lost.setCookies));
    expect(await gateway.sessionsOf(user)).toBe(1);
  });

  it('is not that of another device', async () => {
    const other = new Browser();
    await app.login(other, user);

    expect(await gateway.request(browser)).toMatchObject({ status: 200, user });
    expect(await gateway.request(other)).toMatchObject({ status: 200, user });
    expect(await gateway.sessionsOf(user)).toBe(2);
    await gateway.request(browser, 'DELETE');
    expect(await gateway.request(other)).toMatchObject({ status: 200, user });
  });
});

it('without loginIdPath, each cookie of cookie-session is a session of its own', async () => {
  const app = await cookieSessionApplication('by-value');
  const browser = new Browser();
  await app.login(browser, 'by-value');
  const earlier = browser.copy();
  await app.change(browser, 'dark');
  await gateway.request(browser);
  await gateway.request(browser, 'DELETE');

  expect(await gateway.request(earlier)).toMatchObject({ status: 200, user: 'by-value' });
});

function tokenIn(setCookies: readonly string[]): string {
  const pairs = setCookies.map((cookie) => cookie.split(';')[0] ?? '');
  const found = pairs.find((pair) => pair.startsWith(`${NEW_COOKIE}=`));
  if (found === undefined) throw new Error('the answer hands out a session');
  return found;
}
