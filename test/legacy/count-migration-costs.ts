// SPDX-License-Identifier: Apache-2.0
/** Counts on the embedded emulator what page views cost before and after moving in, and what moving in itself costs. */
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import { createSdkSessionReader } from '../../lambda/authorizer/sdk-session-reader';
import { SessiongateStore } from '../../lambda/express';
import { createDynamoDbExpressStore } from '../../lambda/legacy/express-session/dynamodb-express-store';
import { createExpressSessionSource } from '../../lambda/legacy/express-session/express-session-source';
import { createCookieSessionSource } from '../../lambda/legacy/signed-cookie/cookie-session-source';
import { createSignedSessionSource } from '../../lambda/legacy/signed-cookie/signed-session-source';
import { createSignedSessions } from '../../lambda/legacy/signed-cookie/signed-sessions';
import { type CreateSessionsOptions, createSessions } from '../../lambda/session/create-sessions';
import { withSession } from '../../lambda/session/with-session';
import { DEFAULT_ATTRIBUTE_NAMES } from '../../lambda/settings';
import { CLIENT_DEFAULTS, type EmulatedTable, startEmulatedTable } from '../session/emulated-table';
import {
  Browser,
  connectDynamoDbStore,
  cookieSessionOf,
  createOldTable,
  expressSession,
  startOldApplication,
} from './express-app';

export interface Cost {
  readonly name: string;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const HOUR_SECONDS = 3_600;
const REST_ARN = 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/GET/me';

/** One user's page views, spread over an hour. */
interface Mode {
  readonly name: string;
  /** Logs in and returns one page view. */
  readonly start: (world: World) => Promise<() => Promise<unknown>>;
}

class World {
  /** Stands still between page views. */
  now = Math.floor(Date.now() / 1000);
  readonly #closers: (() => Promise<void>)[] = [];

  private constructor(readonly table: EmulatedTable) {}

  static async open(): Promise<World> {
    return new World(await startEmulatedTable());
  }

  onClose(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close();
    await this.table.close();
  }

  sessions(options: CreateSessionsOptions = {}) {
    return createSessions({ store: this.table.store, now: () => this.now, ...options });
  }

  authorizer(options: Partial<Parameters<typeof createAuthorizer>[1]> = {}) {
    const reader = createSdkSessionReader({
      tableName: 'sessions',
      attributeNames: DEFAULT_ATTRIBUTE_NAMES,
      endpoint: this.table.emulator.endpoint,
      client: { ...CLIENT_DEFAULTS, requestHandler: { requestTimeout: 60_000 } },
    });
    const authorize = createAuthorizer({ reader, now: () => this.now }, { cookieName: '__Host-session', ...options });
    return (browser: Browser) =>
      authorize({ type: 'REQUEST', methodArn: REST_ARN, httpMethod: 'GET', headers: { Cookie: browser.cookieHeader } });
  }
}

/** A browser that is logged in, and one request of it through `withSession`. */
async function loggedIn(world: World, options: CreateSessionsOptions = {}) {
  const sessions = world.sessions(options);
  const browser = new Browser();
  browser.take([(await sessions.create({ user: 'alice' })).setCookie]);
  return { browser, visit: visiting(sessions, browser) };
}

function visiting(sessions: ReturnType<World['sessions']>, browser: Browser) {
  const handle = withSession(sessions, async () => ({ statusCode: 200 }));
  return async () => {
    const answer = await handle({ version: '2.0', cookies: browser.cookieHeader.split('; ') });
    browser.take((answer as { cookies?: string[] }).cookies ?? []);
  };
}

async function oldExpress(world: World, options: Parameters<typeof expressSession>[0] = {}) {
  const store = await connectDynamoDbStore(world.table.client);
  const app = await startOldApplication(expressSession({ store, ...options }));
  world.onClose(app.close);
  const browser = new Browser();
  await browser.visit(`${app.url}/login?user=alice`);
  return { browser, url: app.url };
}

async function newExpress(world: World, options: CreateSessionsOptions) {
  const store = new SessiongateStore({
    sessions: world.sessions(options),
    user: (data) => (data.passport as { user?: string } | undefined)?.user,
  });
  const app = await startOldApplication(store.middleware());
  world.onClose(app.close);
  const browser = new Browser();
  await browser.visit(`${app.url}/login?user=alice`);
  return () => browser.visit(`${app.url}/me`);
}

const IDLE = { idleTimeoutSeconds: HOUR_SECONDS, absoluteTimeoutSeconds: 86_400 };

const MODES: readonly Mode[] = [
  {
    name: 'before: express-session on connect-dynamodb, `resave: false` (loads and touches)',
    start: async (world) => {
      const { browser, url } = await oldExpress(world);
      return () => browser.visit(`${url}/me`);
    },
  },
  {
    name: 'before: the same with `resave: true` (loads and saves)',
    start: async (world) => {
      const { browser, url } = await oldExpress(world, { resave: true });
      return () => browser.visit(`${url}/me`);
    },
  },
  {
    name: 'before: cookie-session',
    start: async (world) => {
      const app = await startOldApplication(cookieSessionOf(['k1'], 'sha256'));
      world.onClose(app.close);
      const browser = new Browser();
      await browser.visit(`${app.url}/login?user=alice`);
      return () => browser.visit(`${app.url}/me`);
    },
  },
  { name: 'after: Express on the store of `sessiongate/express`', start: (world) => newExpress(world, {}) },
  {
    name: 'after: the same with an idle timeout of an hour',
    start: (world) => newExpress(world, IDLE),
  },
  {
    name: 'after: authorizer, handlers that need the identity only',
    start: async (world) => {
      const { browser } = await loggedIn(world);
      const authorize = world.authorizer();
      return () => authorize(browser);
    },
  },
  {
    name: 'after: the same with an idle timeout of an hour',
    start: async (world) => {
      const { browser } = await loggedIn(world, IDLE);
      const authorize = world.authorizer(IDLE);
      return () => authorize(browser);
    },
  },
  {
    name: 'after: authorizer, and `withSession` in every handler',
    start: async (world) => {
      const { browser, visit } = await loggedIn(world);
      const authorize = world.authorizer();
      return async () => {
        await authorize(browser);
        await visit();
      };
    },
  },
  {
    name: 'after: `withSession` alone, without an authorizer',
    start: async (world) => (await loggedIn(world)).visit,
  },
  {
    name: 'after: signed sessions, at the authorizer and in every handler',
    start: async (world) => {
      const signed = createSignedSessions({ keys: ['k1'], now: () => world.now });
      const browser = new Browser();
      browser.take(await signed.create({ user: 'alice' }));
      const authorize = world.authorizer({ legacy: [createSignedSessionSource({ keys: ['k1'] })] });
      return async () => {
        await authorize(browser);
        await signed.read(browser.cookieHeader);
      };
    },
  },
];

/** What so many page views of one user within an hour cost in each mode. */
export async function countPageViews(views: number): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const { name, start } of MODES) {
    const world = await World.open();
    try {
      const view = await start(world);
      const begin = world.now;
      world.table.emulator.resetCounts();
      for (let index = 1; index <= views; index++) {
        world.now = begin + Math.floor((index * HOUR_SECONDS) / views);
        await view();
      }
      const { readUnits, writeUnits } = world.table.emulator.counts();
      costs.push({ name, readUnits, writeUnits });
    } finally {
      await world.close();
    }
  }
  return costs;
}

/** What moving one user in costs, authorizer and handler together, in both tables. */
export async function countMoves(): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const kind of ['express-session', 'cookie-session'] as const) {
    const world = await World.open();
    try {
      const browser = new Browser();
      if (kind === 'express-session')
        for (const [n, v] of (await oldExpress(world)).browser.cookies) browser.cookies.set(n, v);
      else {
        await createOldTable(world.table.client, 'unused', 'id');
        const app = await startOldApplication(cookieSessionOf(['k1'], 'sha256', 'session'));
        world.onClose(app.close);
        await browser.visit(`${app.url}/login?user=alice`);
      }
      const source = sourceOf(kind, world);
      const visit = visiting(world.sessions({ legacy: { sources: [source], report: () => {} } }), browser);
      const authorize = world.authorizer({ legacy: [source] });
      for (const what of ['first request', 'second request, with the new cookie', 'every request after'] as const) {
        world.table.emulator.resetCounts();
        await authorize(browser);
        await visit();
        const { readUnits, writeUnits } = world.table.emulator.counts();
        costs.push({ name: `${kind}: ${what}`, readUnits, writeUnits });
      }
    } finally {
      await world.close();
    }
  }
  return costs;
}

function sourceOf(kind: 'express-session' | 'cookie-session', { table, now }: World) {
  return kind === 'express-session'
    ? createExpressSessionSource({
        store: createDynamoDbExpressStore({
          tableName: 'old-sessions',
          package: 'connect-dynamodb',
          client: table.client,
        }),
        secrets: ['old-secret'],
      })
    : createCookieSessionSource({ keys: ['k1'], algorithm: 'sha256', acceptUntil: now + 86_400 });
}
