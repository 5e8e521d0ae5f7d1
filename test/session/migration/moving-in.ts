// SPDX-License-Identifier: Apache-2.0
/** A library whose users move in from an old system, and what a browser does with its answers. */
import type { CreateSessionsOptions } from '../../../lambda/session/create-sessions';
import type { LegacyOptions } from '../../../lambda/session/migration/legacy-options';
import type { MigrationReport } from '../../../lambda/session/migration/migration-report';
import { type RequestSession, withSession } from '../../../lambda/session/with-session';
import { Browser } from '../../legacy/express-app';
import { type Fixture, fixture } from '../fixtures';
import { OldSystem } from './old-system';

export type Data = Record<string, unknown>;

export interface MovingIn extends Fixture<Data> {
  readonly old: OldSystem;
  readonly reports: MigrationReport[];
  /** One request of a browser; the handler answers 200 with the user's name unless told otherwise. */
  request(browser: Browser, options?: RequestOptions): Promise<Answer>;
  /** A browser that logged in to the old system. */
  browser(id?: string, session?: Parameters<OldSystem['login']>[1]): Browser;
}

export interface RequestOptions {
  readonly handler?: (request: RequestSession<Data>) => Promise<unknown>;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The browser never gets the answer. */
  readonly loseAnswer?: boolean;
  readonly csrfHeader?: string;
}

export interface Answer {
  readonly statusCode: number;
  readonly user: string | null;
  readonly setCookies: readonly string[];
}

export function movingIn(
  options: Partial<LegacyOptions> & { readonly source?: Parameters<OldSystem['source']>[0] } = {},
  settings: CreateSessionsOptions = {},
): MovingIn {
  const old = new OldSystem();
  const reports: MigrationReport[] = [];
  const { source, ...legacy } = options;
  const fixed = fixture<Data>({
    legacy: { sources: [old.source(source)], report: (report) => reports.push(report), ...legacy },
    ...settings,
  });
  return {
    ...fixed,
    old,
    reports,
    request: sendTo(fixed),
    browser(id = 'L', session) {
      const browser = new Browser();
      browser.take([old.login(id, session)]);
      return browser;
    },
  };
}

/** Requests of browsers to a library. */
export function sendTo(fixed: Pick<Fixture<Data>, 'sessions'>): MovingIn['request'] {
  return (browser, request) => send(fixed, browser, request);
}

async function send(
  { sessions }: Pick<Fixture<Data>, 'sessions'>,
  browser: Browser,
  { handler, method = 'GET', headers = {}, loseAnswer = false, csrfHeader }: RequestOptions = {},
): Promise<Answer> {
  let user: string | null = null;
  const answer = withSession<Data>(
    sessions,
    async (_, request) => {
      user = request.session?.user ?? null;
      return (await handler?.(request)) ?? { statusCode: 200, body: '' };
    },
    csrfHeader === undefined ? {} : { csrfHeader },
  );
  const event = {
    version: '2.0',
    headers: { cookie: browser.cookieHeader, ...headers },
    requestContext: { http: { method } },
  };
  const { statusCode, cookies = [] } = (await answer(event)) as { statusCode: number; cookies?: readonly string[] };
  if (!loseAnswer) browser.take(cookies);
  return { statusCode, user, setCookies: cookies };
}
