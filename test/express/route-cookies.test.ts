// SPDX-License-Identifier: Apache-2.0
/** Whatever a route does to the Set-Cookie headers that it finds: the cookies of a move leave with the answer, each once. */
import type { Response } from 'express';
import type { Session } from '../../lambda/session';
import type { Browser } from './browser';
import { newApplication, oldApplication } from './old-application';
import { COOKIE, tokenOf } from './world';

const THEME = 'theme=dark';

const ROUTES: Record<string, (response: Response) => unknown> = {
  'sets its own': (response) => response.setHeader('Set-Cookie', THEME),
  'sets a list': (response) => response.setHeader('Set-Cookie', [THEME]),
  'appends its own': (response) => response.append('Set-Cookie', THEME),
  'copies what it finds': (response) => {
    const found = [response.getHeader('Set-Cookie') ?? []].flat().map(String);
    response.setHeader('Set-Cookie', [...found, ...found, THEME]);
  },
  'removes them all, then sets its own': (response) => {
    response.removeHeader('Set-Cookie');
    response.cookie('theme', 'dark');
  },
  'gives them to writeHead': (response) => response.writeHead(200, { 'Set-Cookie': THEME }).end('{}'),
  'gives a list to writeHead': (response) => response.writeHead(200, ['Set-Cookie', THEME]).end('{}'),
  'streams its answer': (response) => {
    response.setHeader('Set-Cookie', THEME);
    response.flushHeaders();
    response.write('{');
    response.end('}');
  },
};

async function movedBrowser(route: (response: Response) => unknown): Promise<Browser> {
  const old = await oldApplication();
  const { moved } = await newApplication(
    old,
    undefined,
    {},
    undefined,
    (app) =>
      void app.get('/theme', (_request, response) => {
        route(response);
        if (!response.headersSent) response.json({});
      }),
  );
  return moved(await old.login('alice'));
}

const names = (setCookies: readonly string[]): string[] => setCookies.map((setCookie) => setCookie.split(';')[0] ?? '');

describe.each(Object.entries(ROUTES))('a route that %s', (_, route) => {
  test('leaves the new cookie and the end of the old one in their answers', async () => {
    const browser = await movedBrowser(route);

    const first = await browser.get('/theme');
    expect(first.cacheControl).toBe('no-store');
    expect(names(first.setCookies).sort()).toEqual([`${COOKIE}=${tokenOf(browser)}`, THEME].sort());

    const second = await browser.get('/theme');
    expect(second.cacheControl).toBe('no-store');
    expect(names(second.setCookies).sort()).toEqual(['connect.sid=', THEME]);

    const third = await browser.get('/theme');
    expect(names(third.setCookies)).toEqual([THEME]);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });
});

test('a route that hands out a fresh token of the session that just moved in has the last word', async () => {
  const old = await oldApplication();
  const application = await newApplication(
    old,
    undefined,
    {},
    undefined,
    (app) =>
      void app.get('/rotate', async (request, response) => {
        const session = application.expressStore.sessionOf(request.session) as Session<Record<string, unknown>>;
        const rotated = await application.sessions.rotate(session);
        response.setHeader('Set-Cookie', rotated?.setCookie ?? []);
        response.json({});
      }),
  );
  const browser = application.moved(await old.login('alice'));

  const { setCookies, cacheControl } = await browser.get('/rotate');

  expect(setCookies).toHaveLength(1);
  expect(cacheControl).toBe('no-store');
  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
});

test('a route that sets the old cookie itself has the last word', async () => {
  const browser = await movedBrowser((response) => response.append('Set-Cookie', 'connect.sid=another'));
  await browser.get('/me');

  const { setCookies } = await browser.get('/theme');

  expect(names(setCookies)).toEqual(['connect.sid=', 'connect.sid=another']);
});
