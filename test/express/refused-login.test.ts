// SPDX-License-Identifier: Apache-2.0
/** A login that the library refuses, over HTTP: one error, and no cookie for a session that does not exist. */
import { COOKIE, world } from './world';

describe('a login that is refused', () => {
  type Refuse = (sessions: Awaited<ReturnType<typeof world>>['sessions']) => Promise<unknown>;
  const REFUSALS: [string, string, number, Refuse][] = [
    ['for a disabled user', 'ERR_SESSION_USER_DISABLED', 1, (sessions) => sessions.disable('alice')],
    [
      'for a log-out-everywhere in between',
      'ERR_SESSION_AUTHENTICATION_SUPERSEDED',
      0,
      (sessions) => sessions.revokeAll('alice'),
    ],
  ];

  test.each(REFUSALS)('%s is one error, and sets no cookie', async (_, code, generation, refuse) => {
    const login = () => ({ authentication: { user: 'alice', generation } });
    const { browser, application, sessions } = await world({}, {}, { login });
    await refuse(sessions);

    const answer = await browser.get('/login?user=alice');
    // What express-session does at the end of an answer is done before the next one.
    await browser.get('/me');

    expect(answer).toMatchObject({ status: 500, body: { code }, setCookies: [] });
    expect(application.failures).toHaveLength(1);
    expect(await sessions.list('alice')).toEqual([]);
  });

  test('without authentication is one error, too', async () => {
    const { browser, application, sessions } = await world();
    await sessions.disable('alice');

    const answer = await browser.get('/login?user=alice');
    await browser.get('/me');

    expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_SESSION_USER_DISABLED' }, setCookies: [] });
    expect(application.failures).toHaveLength(1);
  });

  test('is refused again with the same error, and not tried', async () => {
    const { browser, application, sessions, calls } = await world();
    await sessions.disable('alice');
    calls.reset();

    const answer = await browser.get('/login-stubbornly?user=alice');
    await browser.get('/me');

    expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_SESSION_USER_DISABLED' }, setCookies: [] });
    expect(application.failures).toHaveLength(1);
    expect(calls.counts()).toEqual({ get: 1 });
  });

  test('over a session clears the cookie of that one, which is over', async () => {
    const { browser, sessions } = await world();
    await browser.get('/visit');
    await sessions.disable('alice');

    const answer = await browser.get('/login?user=alice');

    expect(answer.setCookies).toEqual([sessions.clearCookie]);
    expect(browser.cookies.has(COOKIE)).toBe(false);
  });

  test('may be followed by one that is not, with the same request', async () => {
    const { sessions, application, browser } = await world();
    await sessions.disable('alice');

    const answer = await browser.get('/login-as-one-of?users=alice,bob');

    expect(answer.status).toBe(200);
    expect(application.failures).toEqual([]);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'bob' });
  });
});
