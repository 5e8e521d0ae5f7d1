// SPDX-License-Identifier: Apache-2.0
/** Requests that were sent with the old cookie alone, while another one brings the new cookie: they come again with that. */
import { request as httpRequest } from 'node:http';
import type { Response } from 'express';
import { pathOfThisHost } from '../../lambda/express/late-request';
import type { Session } from '../../lambda/session';
import { Clock } from '../session/fixtures';
import type { Routes } from './application';
import { Browser } from './browser';
import { newApplication, oldApplication } from './old-application';
import { start } from './world';

/** What browsers do before they give up (Fetch, "HTTP-redirect fetch"). */
const MAX_REDIRECTS = 20;

/** An application in whose time only waiting passes. */
async function waitingApplication(whileWaiting: () => unknown = () => {}, routes?: Routes) {
  const clock = new Clock();
  clock.seconds = Math.floor(Date.now() / 1000);
  const pauses: number[] = [];
  const sleep = async (millis: number): Promise<void> => {
    pauses.push(millis);
    clock.advance(millis / 1000);
    await whileWaiting();
  };
  const old = await oldApplication();
  const application = await newApplication(old, undefined, { now: clock.now, sleep }, undefined, routes);
  return { ...application, pauses, browser: application.moved(await old.login('alice')) };
}

/** A browser whose new cookie has come back, and a copy from before that. */
async function confirmed() {
  const application = await waitingApplication();
  const late = application.browser.copy();
  await application.browser.get('/me');
  await application.browser.get('/me');
  return { ...application, late };
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly cacheControl: string | undefined;
  readonly setCookies: readonly string[];
  readonly body: string;
}

/** With the target as it stands: `fetch` would write it anew. */
function ask(browser: Browser, target: string, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(browser.application.url);
    const headers = { Cookie: browser.cookieHeader };
    httpRequest({ hostname, port, path: target, method, headers, agent: false }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      const { location, 'cache-control': cacheControl, 'set-cookie': setCookies = [] } = response.headers;
      resolve({ status: response.statusCode ?? 0, location, cacheControl, setCookies, body });
    })
      .on('error', reject)
      .end();
  });
}

/** As browsers do. */
async function follow(browser: Browser, target: string): Promise<Answer & { readonly redirects: number }> {
  let answer = await ask(browser, target);
  let redirects = 0;
  for (; answer.location !== undefined && redirects < MAX_REDIRECTS; redirects++) {
    browser.take(answer.setCookies);
    answer = await ask(browser, answer.location);
  }
  return { ...answer, redirects };
}

describe('a late request', () => {
  test.each([
    ['a path', '/visit'],
    ['a query', '/visit?again=1'],
    ['an encoded line break', '/visit?text=line%0Atwo'],
    ['an encoded header', '/visit?text=line%0d%0aSet-Cookie:%20a=b'],
    ['a backslash', '/visit?path=C:\\pages'],
    ['another host in the query', '/visit?next=//other.example/&then=http://other.example/'],
    ['two slashes further on', '/visit//twice/'],
    ['a fragment', '/visit#part'],
    ['8,000 characters', `/visit?text=${'long'.repeat(2000)}`],
  ])('is redirected to where it went: %s', async (_, target) => {
    const { browser, late, pauses } = await confirmed();

    const answer = await ask(late, target);

    expect(answer).toMatchObject({ status: 307, cacheControl: 'no-store', setCookies: [] });
    const absolute = (url = '') => new URL(url, browser.application.url).href;
    expect(absolute(answer.location)).toBe(absolute(target.replace('\\', '%5C')));
    expect(pauses).toEqual([1000]);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });

  test.each([
    ['GET', '//other.example/'],
    ['GET', '/\\other.example/'],
    ['GET', '/.//other.example/'],
    ['GET', '/%2e//other.example/'],
    ['GET', '/a/..//other.example/'],
    ['GET', 'http://other.example/visit'],
    ['OPTIONS', '*'],
  ])('is never redirected to another host, nor served: %s %s', async (method, target) => {
    const { browser, late, store } = await confirmed();
    const before = store.items().length;

    const answer = await ask(late, target, method);

    expect(answer).toMatchObject({ status: 400, location: undefined, cacheControl: 'no-store', setCookies: [] });
    expect(store.items()).toHaveLength(before);
    expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
  });

  test('is nobody’s once it is too late, and waits no longer than a second at a time', async () => {
    const { late, pauses } = await confirmed();

    const answer = await follow(late, '/me');

    expect(answer).toMatchObject({ status: 200, redirects: 10 });
    expect(JSON.parse(answer.body)).toMatchObject({ user: null });
    expect(pauses).toEqual(Array(10).fill(1000));
  });

  test('that something else has answered meanwhile is left alone', async () => {
    let held: Response | undefined;
    const application = await waitingApplication(() => held?.sendStatus(503));
    const middleware = application.expressStore.middleware();
    const { url } = await start((request, response, next) => {
      held = response;
      middleware(request, response, next);
    });
    const late = new Browser({ url });
    for (const [name, value] of application.browser.cookies) late.cookies.set(name, value);
    await application.browser.get('/me');
    await application.browser.get('/me');

    expect(await ask(late, '/me')).toMatchObject({ status: 503, location: undefined });
  });
});

describe('beside a request that moves a session in, gives it a fresh token and is still at work, another one', () => {
  /** The first request stays at work until `release` is called. */
  async function atWork(whileWaiting?: (waits: number) => unknown) {
    let release = (): void => {};
    const mayAnswer = new Promise<void>((resolve) => {
      release = resolve;
    });
    let hasRotated = (): void => {};
    const rotated = new Promise<void>((resolve) => {
      hasRotated = resolve;
    });
    let waits = 0;
    const application = await waitingApplication(
      () => whileWaiting?.(++waits),
      (app) =>
        void app.get('/rotate', async (request, response) => {
          const session = application.expressStore.sessionOf(request.session) as Session<Record<string, unknown>>;
          const issued = await application.sessions.rotate(session);
          hasRotated();
          await mayAnswer;
          response.append('Set-Cookie', issued?.setCookie ?? []).json({});
        }),
    );
    const first = application.browser.get('/rotate');
    await rotated;
    return { ...application, first, release };
  }

  test('goes in no circle that a browser would give up', async () => {
    const { browser, first, release } = await atWork();

    const answer = await follow(browser.copy(), '/me');

    expect(answer).toMatchObject({ status: 200, redirects: 10 });
    expect(JSON.parse(answer.body)).toMatchObject({ user: 'alice' });
    release();
    await first;
  });

  test('gets to its page as soon as the browser has the new cookie', async () => {
    const parts = await atWork(async (waits) => {
      if (waits < 3) return;
      parts.release();
      await parts.first;
    });

    const answer = await follow(parts.browser, '/me');

    expect(answer).toMatchObject({ status: 200, redirects: 3 });
    expect(JSON.parse(answer.body)).toMatchObject({ user: 'alice' });
  });
});

describe('every character', () => {
  const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

  test.each(['/', '/a', '/a?', '//', '/\\'])('after %s leads to a path of this host, or nowhere', (start) => {
    for (const character of characters) {
      const path = pathOfThisHost(`${start}${character}/other.example/`);
      if (path === null) continue;
      expect(path).toMatch(/^\/[\x21-\x5b\x5d-\x7e]+$/);
      expect(new URL(path, 'https://this.example')).toMatchObject({ host: 'this.example' });
      expect(path).not.toMatch(/^\/[/\\]/);
    }
  });

  test('that no URL may hold is percent-encoded', () => {
    expect(pathOfThisHost('/\t/other.example/')).toBe('/%09/other.example/');
    expect(pathOfThisHost('/a\r\nb\f\u00e4')).toBe('/a%0D%0Ab%0C%E4');
  });
});
