// SPDX-License-Identifier: Apache-2.0
/** Express keeps a `cookie` in the data. What is kept there and is none is taken for absent, and no request fails for it. */
import { world } from './world';

const UNTIL_THE_END = /; Max-Age=2592000$/;

describe('data of another handler', () => {
  test.each<[unknown]>([
    [{ cookie: null }],
    [{ cookie: 'accepted' }],
    [{ cookie: 7 }],
    [{ cookie: ['accepted'] }],
    [{ cookie: {} }],
    ...['1h', 1e300, -5, 0, null, true].map((originalMaxAge): [unknown] => [{ cookie: { originalMaxAge } }]),
    ...['1h', 1e300, -5, {}].map((maxAge): [unknown] => [{ cookie: { maxAge } }]),
    [{ cookie: { expires: 'soon', _expires: 'soon' } }],
    [{ cookie: { path: '/;Domain=example.com' } }],
    [{ cookie: { domain: 'a b', sameSite: 'odd', priority: 7 } }],
    [{ cookie: { serialize: 'odd', toJSON: 'odd', data: 'odd' } }],
    ['text'],
    [7],
    [['list']],
  ])('may be %j', async (data) => {
    const { browser, sessions, application } = await world({}, { rolling: true });
    browser.take([(await sessions.create({ user: 'alice', data: data as never })).setCookie]);

    const answer = await browser.get('/me');

    expect(answer).toMatchObject({ status: 200, setCookies: [expect.stringMatching(UNTIL_THE_END)] });
    expect(await sessions.read(browser.cookieHeader)).toMatchObject({ user: 'alice', data });
    expect((await browser.get('/visit')).body).toEqual({ visits: 1 });
    expect((await browser.get('/me')).body).toMatchObject({ visits: 1 });
    expect(application.failures).toEqual([]);
  });

  test('may be null, also with setUser', async () => {
    const setUser = (data: { userId?: string }, user: string) => {
      data.userId = user;
    };
    const { browser, sessions } = await world({}, {}, { setUser });
    const { session, setCookie } = await sessions.create({ user: 'alice' });
    session.data = null as never;
    await sessions.save(session);
    browser.take([setCookie]);

    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
    expect((await sessions.read(browser.cookieHeader))?.data).toBeNull();
  });
});

describe('an age that the application sets', () => {
  test.each<[string, string, unknown]>([
    ['maxAge', 'that is not a number', Number.NaN],
    ['maxAge', 'beyond all dates', 1e300],
    ['originalMaxAge', 'that is not a number', Number.NaN],
    ['originalMaxAge', 'beyond all dates', 1e300],
    ['originalMaxAge', 'that is text', '1h'],
  ])('as %s, %s, is none', async (property, _, age) => {
    const { browser, application } = await world({}, {}, {}, (app) =>
      app.use((request, _response, next) => {
        Object.assign(request.session.cookie, { [property]: age });
        next();
      }),
    );

    const answer = await browser.get('/login-in-place?user=alice');

    expect(answer).toMatchObject({ status: 200, setCookies: [expect.stringMatching(UNTIL_THE_END)] });
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
    expect(application.failures).toEqual([]);
  });

  test('of the past has the browser drop the cookie', async () => {
    const { browser } = await world({}, {}, {}, (app) =>
      app.use((request, _response, next) => {
        request.session.cookie.maxAge = -1;
        next();
      }),
    );

    const { setCookies } = await browser.get('/login-in-place?user=alice');

    expect(setCookies).toEqual([expect.stringMatching(/; Max-Age=1$/)]);
  });
});
