// SPDX-License-Identifier: Apache-2.0
/** An application on the store under test, over a store in memory whose calls are counted. */
import { SessiongateStore, type SessiongateStoreOptions } from '../../lambda/express';
import type { CreateSessionsOptions } from '../../lambda/session/create-sessions';
import { type Fixture, fixture } from '../session/fixtures';
import { type Application, type Routes, startApplication } from './application';
import { Browser } from './browser';

export const COOKIE = '__Host-session';

const applications: Application[] = [];
afterEach(async () => {
  for (const application of applications.splice(0)) await application.close();
});

/** Starts an application that is closed after the test. */
export async function start(...how: Parameters<typeof startApplication>): Promise<Application> {
  const application = await startApplication(...how);
  applications.push(application);
  return application;
}

export interface World extends Fixture<Record<string, unknown>> {
  readonly expressStore: SessiongateStore;
  readonly application: Application;
  readonly browser: Browser;
}

export async function world(
  options: CreateSessionsOptions = {},
  middleware: Parameters<SessiongateStore['middleware']>[0] = {},
  storeOptions: Partial<SessiongateStoreOptions> = {},
  routes?: Routes,
): Promise<World> {
  const parts = fixture(options);
  const expressStore = new SessiongateStore({
    sessions: parts.sessions,
    user: (data) => data.userId,
    ...storeOptions,
  });
  const application = await start(expressStore.middleware(middleware), routes);
  return { ...parts, expressStore, application, browser: new Browser(application) };
}

export function tokenOf(browser: Browser): string {
  return browser.cookies.get(COOKIE) ?? '';
}

/** As express-session makes one for a request without a session. */
export function newSession(store: SessiongateStore) {
  const request = {} as never as Parameters<SessiongateStore['createSession']>[0];
  // What express-session gives every store.
  const generated = store as SessiongateStore & { generate: (given: typeof request) => void };
  generated.generate = (given) => {
    given.sessionID = 'an id of its own';
    given.session = { cookie: {} } as never;
  };
  generated.generate(request);
  return { request, made: request.session };
}
