// SPDX-License-Identifier: Apache-2.0
/** Whatever a route says about caching: nobody may store an answer that sets or clears the cookie of a session. */
import type { Routes } from './application';
import type { Browser } from './browser';
import { newApplication, oldApplication } from './old-application';
import { world } from './world';

const CACHED = 'public, max-age=3600';

/** The route's own word, as late as it can be said. */
const cachedAs =
  (how: 'header' | 'head'): Routes =>
  (app) => {
    app.use((_request, response, next) => {
      const { json } = response;
      response.json = (body) => {
        if (how === 'header') return json.call(response.set('Cache-Control', CACHED), body);
        return response.writeHead(200, { 'Cache-Control': CACHED }).end(JSON.stringify(body));
      };
      next();
    });
    app.get('/theme', (_request, response) => void response.cookie('theme', 'dark').json({}));
  };

describe.each(['header', 'head'] as const)('no-store stands against the route’s %s', (how) => {
  async function movedBrowser(): Promise<Browser> {
    const old = await oldApplication();
    const { moved } = await newApplication(old, undefined, {}, undefined, cachedAs(how));
    return moved(await old.login('alice'));
  }

  test('at login and logout, and nowhere else', async () => {
    const { browser } = await world({}, {}, {}, cachedAs(how));

    expect(await browser.get('/login?user=alice')).toMatchObject({ cacheControl: 'no-store' });
    expect(await browser.get('/me')).toMatchObject({ cacheControl: CACHED, body: { user: 'alice' } });
    expect(await browser.get('/theme')).toMatchObject({ cacheControl: CACHED, setCookies: ['theme=dark; Path=/'] });
    expect(await browser.get('/logout')).toMatchObject({ cacheControl: 'no-store' });
  });

  test('as an old session moves in, and as its cookie is cleared', async () => {
    const browser = await movedBrowser();

    for (const cookie of ['__Host-session=', 'connect.sid=;'])
      expect(await browser.get('/me')).toMatchObject({
        cacheControl: 'no-store',
        setCookies: [expect.stringMatching(`^${cookie}`)],
      });

    expect(await browser.get('/me')).toMatchObject({ cacheControl: CACHED, body: { user: 'alice' } });
  });

  test.each(['/logout', '/passport-logout', '/login?user=bob'])('as %s clears an old cookie', async (path) => {
    const browser = await movedBrowser();

    const { cacheControl, setCookies } = await browser.get(path);

    expect(setCookies).toContainEqual(expect.stringMatching(/^connect\.sid=;/));
    expect(cacheControl).toBe('no-store');
  });
});
