// SPDX-License-Identifier: Apache-2.0
/** `cookie.maxAge` says how long the browser keeps the cookie, whoever started the session. */
import { SessionStoreError } from '../../lambda/session/errors';
import type { ItemKey } from '../../lambda/session/store';
import type { Answer } from './browser';
import { newApplication, oldApplication } from './old-application';
import { COOKIE, world } from './world';

const HOUR_MILLIS = 3_600_000;
const MONTH_SECONDS = 2_592_000;

function maxAgeSeconds({ setCookies }: Answer): number | undefined {
  const setCookie = setCookies.find((each) => each.startsWith(`${COOKIE}=`));
  return setCookie === undefined ? undefined : Number(/; Max-Age=(\d+)/.exec(setCookie)?.[1]);
}

describe('the cookie of a session that moves in', () => {
  test.each([
    [false, undefined],
    [true, 3600],
  ])('is kept for as long (rolling: %s)', async (rolling, afterwards) => {
    const old = await oldApplication();
    const { moved } = await newApplication(old, undefined, {
      middleware: { cookie: { maxAge: HOUR_MILLIS }, rolling },
    });
    const browser = moved(await old.login('alice'));

    expect(maxAgeSeconds(await browser.get('/me'))).toBe(3600);
    expect(maxAgeSeconds(await browser.get('/me'))).toBe(afterwards);
  });

  test('is kept no longer than a session can last', async () => {
    const old = await oldApplication();
    const middleware = { cookie: { maxAge: 1e4 * HOUR_MILLIS } };
    const { moved } = await newApplication(old, undefined, { middleware });

    expect(maxAgeSeconds(await moved(await old.login('alice')).get('/me'))).toBe(MONTH_SECONDS);
  });

  test('is kept until the absolute timeout without that option', async () => {
    const old = await oldApplication();
    const { moved } = await newApplication(old);

    expect(maxAgeSeconds(await moved(await old.login('alice')).get('/me'))).toBe(MONTH_SECONDS);
  });

  test('is kept for as long as its route says', async () => {
    const old = await oldApplication();
    const { moved } = await newApplication(
      old,
      undefined,
      { middleware: { cookie: { maxAge: HOUR_MILLIS } } },
      undefined,
      (app) =>
        void app.get('/remember', (request, response) => {
          request.session.cookie.maxAge = 24 * HOUR_MILLIS;
          response.json({});
        }),
    );

    expect(maxAgeSeconds(await moved(await old.login('alice')).get('/remember'))).toBe(86_400);
  });

  test('is kept for as long where the request has no session to ask', async () => {
    const old = await oldApplication();
    const { moved } = await newApplication(old, undefined, { middleware: { cookie: { maxAge: HOUR_MILLIS } } });

    expect(maxAgeSeconds(await moved(await old.login('alice')).get('/put-aside'))).toBe(3600);
  });

  test('leaves also with an error, if the session cannot be read again', async () => {
    const old = await oldApplication();
    const application = await newApplication(old, undefined, { middleware: { cookie: { maxAge: HOUR_MILLIS } } });
    application.calls.interceptor = {
      before: ({ operation, arguments: [key] }) => {
        // Claims and users can be read: it is done by then.
        const { partitionKey } = key as ItemKey;
        if (operation === 'get' && !/^S[LU]#/.test(partitionKey)) throw new SessionStoreError('out of reach');
      },
    };
    const browser = application.moved(await old.login('alice'));

    const answer = await browser.get('/me');

    expect(answer.status).toBe(500);
    expect(maxAgeSeconds(answer)).toBe(3600);
    application.calls.reset();
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });
});

describe('with rolling', () => {
  const middleware = { rolling: true, cookie: { maxAge: HOUR_MILLIS } };

  test.each([
    ['of another handler', { userId: 'alice' }, 3600],
    ['whose data say something odd', { cookie: { originalMaxAge: '1h' } }, 3600],
    ['whose data say how long', { cookie: { originalMaxAge: 60_000 } }, 60],
    ['whose data say that there is no such time', { cookie: { originalMaxAge: null } }, MONTH_SECONDS],
  ])('the cookie of a session %s', async (_, data, seconds) => {
    const { browser, sessions } = await world({}, middleware);
    browser.take([(await sessions.create({ user: 'alice', data })).setCookie]);

    expect(maxAgeSeconds(await browser.get('/me'))).toBe(seconds);
  });

  test('the cookie of a login, and of whatever follows it', async () => {
    const { browser } = await world({}, middleware);

    expect(maxAgeSeconds(await browser.get('/login?user=alice'))).toBe(3600);
    expect(maxAgeSeconds(await browser.get('/me'))).toBe(3600);
  });
});
