// SPDX-License-Identifier: Apache-2.0
/** An Express application with a store of its own, from which users move in. */
import session, { MemoryStore } from 'express-session';
import { type MiddlewareOptions, SessiongateStore, type SessiongateStoreOptions } from '../../lambda/express';
import { createExpressSessionSource } from '../../lambda/legacy';
import type { LegacyOptions } from '../../lambda/session';
import type { CreateSessionsOptions } from '../../lambda/session/create-sessions';
import { type Fixture, fixture } from '../session/fixtures';
import type { Routes } from './application';
import { Browser } from './browser';
import { start } from './world';

const USER: SessiongateStoreOptions['user'] = (data) => data.userId;

export interface OldApplication {
  /** A browser that is logged in here. */
  login(user: string): Promise<Browser>;
  /** Who is logged in here. */
  users(): Promise<string[]>;
  readonly source: LegacyOptions['sources'][number];
}

export async function oldApplication(): Promise<OldApplication> {
  const store = new MemoryStore();
  const options = { secret: 'old-secret', resave: false, saveUninitialized: false, cookie: { maxAge: 864e8 } };
  const application = await start(session({ ...options, store }));
  return {
    async login(user) {
      const browser = new Browser(application);
      await browser.get(`/login?user=${user}`);
      return browser;
    },
    users: () =>
      new Promise((resolve) => {
        store.all((_failure, all) => resolve(Object.values(all ?? {}).map(({ userId = '' }) => userId)));
      }),
    source: createExpressSessionSource({
      secrets: ['old-secret'],
      userPath: ['userId'],
      store: {
        read: (id) =>
          new Promise((resolve, reject) => {
            store.get(id, (failure, data) =>
              failure ? reject(failure) : resolve(data ? { session: data } : undefined),
            );
          }),
        end: (id) => new Promise((resolve) => store.destroy(id, () => resolve())),
      },
    }),
  };
}

export interface NewApplication extends Fixture<Record<string, unknown>> {
  readonly expressStore: SessiongateStore;
  readonly failures: readonly Error[];
  /** A browser with the old one's cookies. */
  moved(old: Browser): Browser;
}

/** Of the store, its middleware and its library. */
interface Settings extends Partial<SessiongateStoreOptions>, Pick<CreateSessionsOptions, 'now' | 'sleep'> {
  readonly middleware?: MiddlewareOptions;
}

/** The application that took its place, on the store under test. */
export async function newApplication(
  { source }: OldApplication,
  legacy: Partial<LegacyOptions> = { asSession: ({ user }) => ({ data: { userId: user } }) },
  { middleware, now = () => Math.floor(Date.now() / 1000), sleep = async () => {}, ...options }: Settings = {},
  before?: Fixture<Record<string, unknown>>,
  routes?: Routes,
): Promise<NewApplication> {
  const parts = fixture({
    now,
    sleep,
    ...(before === undefined ? {} : { store: before.store }),
    legacy: { sources: [source], report: () => {}, ...legacy },
  });
  const expressStore = new SessiongateStore({ sessions: parts.sessions, user: USER, ...options });
  const application = await start(expressStore.middleware(middleware), routes);
  return {
    ...parts,
    ...(before === undefined ? {} : { store: before.store }),
    expressStore,
    failures: application.failures,
    moved(old) {
      const browser = new Browser(application);
      for (const [name, value] of old.cookies) browser.cookies.set(name, value);
      return browser;
    },
  };
}
