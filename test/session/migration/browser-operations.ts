// SPDX-License-Identifier: Apache-2.0
/**
 * What a browser and its user do while a session moves in, each a call of the real library over a store that can be
 * stepped. The old system's item and the browser's cookies are items of that store too, so that an old session written again,
 * or an answer that is late or lost, is a step or a fault like any other.
 */
import { createSessions } from '../../../lambda/session/create-sessions';
import { SessionStoreError } from '../../../lambda/session/errors';
import type { LegacySource } from '../../../lambda/session/legacy-source';
import type { Item, ItemKey, SessionStore } from '../../../lambda/session/store';
import { hashSessionToken } from '../../../lambda/session/token';
import type { Environment, Outcome } from '../../interleavings/run';
import type { Operation } from '../../interleavings/state';

export const USER = 'alice';
export const NOW = 1_800_000_000;
export const BROWSER: ItemKey = { partitionKey: 'browser', sortKey: 'cookies' };
export const OLD_SESSION: ItemKey = { partitionKey: 'old#L', sortKey: 'old' };

export const OLD_ITEM: Item = {
  PK: { S: OLD_SESSION.partitionKey },
  SK: { S: OLD_SESSION.sortKey },
  user: { S: USER },
};
/** A browser that logged in to the old system. */
export const BROWSER_ITEM: Item = {
  PK: { S: BROWSER.partitionKey },
  SK: { S: BROWSER.sortKey },
  old: { S: 'L' },
};

export const KINDS = [
  /** A page view. */
  'request',
  /** A page view whose handler asks for a fresh token. */
  'rotate',
  /** `withSession`'s login, of the same user. */
  'login',
  /** The login of the Express store, of the same user: the session that was there is ended first. */
  'expressLogin',
  /** `withSession`'s logout. */
  'logout',
  /** The logout of the session routes, in which nothing moves in. */
  'apiLogout',
  /** `sessions.destroy` with nothing but the token. */
  'destroy',
  'revokeAll',
  /** "Sign out everywhere else", which keeps the browser's session. */
  'endOthers',
  'disable',
  /** The old system writes the session that it read before, whether it is still there or not. */
  'oldSave',
] as const;
export type Kind = (typeof KINDS)[number];

export interface BrowserOperation extends Operation {
  readonly kind: Kind;
}

/** @param isSigned whether the old cookie proves that its session was issued, as that of PHP does not */
export function browserOperation(kind: Kind, letter: string, isSigned = true): BrowserOperation {
  return {
    kind,
    name: `${kind} ${letter}`,
    program: {
      name: `migration ${kind} ${letter}${isSigned ? '' : ' unsigned'}`,
      run: (environment) => PROGRAMS[kind]({ ...environment, isSigned }),
    },
    again: () => browserOperation(kind, `${letter}'`, isSigned),
  };
}

type BrowserEnvironment = Environment & { readonly isSigned: boolean };

type World = Environment & { readonly sessions: ReturnType<typeof createSessions> };
interface Cookies {
  readonly header: string;
  readonly token: string | undefined;
  readonly tokenHash: string | undefined;
}

const PROGRAMS: Readonly<Record<Kind, (environment: BrowserEnvironment) => Promise<Outcome>>> = {
  request: visiting(async (world, cookies) => {
    const { session, token } = await arrive(world, cookies);
    return { result: 'ok', isServed: session !== null, ...issued(token) };
  }),

  rotate: visiting(async (world, cookies) => {
    const { session, token, own } = await arrive(world, cookies);
    const rotated = own && (await world.sessions.rotate(own));
    return { result: 'ok', isServed: session !== null, ...issued(rotated?.token ?? token) };
  }),

  login: visiting(async (world, cookies) => {
    const { session } = await arrive(world, cookies);
    const started = await world.sessions.create({ user: USER, replaces: session });
    await world.sessions.legacy?.replace(cookies.header);
    return {
      result: 'ok',
      isServed: true,
      hasReplaced: cookies.header.includes('old='),
      ...issued(started.token),
      drops: 'old',
    };
  }),

  expressLogin: visiting(async (world, cookies) => {
    const authentication = await world.sessions.beginAuthentication(USER);
    const { session } = await arrive(world, cookies);
    if (session !== null) await world.sessions.destroy(session);
    await world.sessions.legacy?.replace(cookies.header);
    const started = await world.sessions.create({ user: USER, authentication });
    return {
      result: 'ok',
      isServed: true,
      hasReplaced: cookies.header.includes('old='),
      ...issued(started.token),
      drops: 'old',
    };
  }),

  logout: visiting(async (world, cookies) => {
    const { session } = await arrive(world, cookies);
    await world.sessions.destroy(session ?? cookies.token);
    await world.sessions.legacy?.end(cookies.header);
    return { result: 'ok', ends: true, drops: 'old new' };
  }),

  apiLogout: visiting(async (world, cookies) => {
    await world.sessions.destroy(cookies.token);
    await world.sessions.legacy?.end(cookies.header);
    return { result: 'ok', ends: true, drops: 'old new' };
  }),

  endOthers: visiting(async (world, cookies) => {
    const { session, token, own } = await arrive(world, cookies);
    const kept = own && (await world.sessions.revokeAll(USER, { except: own }));
    return { result: 'ok', isServed: session !== null, ...issued(kept?.token ?? token) };
  }),

  destroy: visiting(async ({ sessions }, { token }) => {
    // A browser without the new cookie has nothing to log out.
    if (token === undefined) return { result: 'ok' };
    await sessions.destroy(token);
    return { result: 'ok', ends: true, drops: 'new' };
  }),

  revokeAll: async (environment) =>
    attempted(async () => {
      await worldOf(environment).sessions.revokeAll(USER);
      return { result: 'ok', ends: true };
    }),

  disable: async (environment) =>
    attempted(async () => {
      await worldOf(environment).sessions.disable(USER);
      return { result: 'ok', ends: true };
    }),

  oldSave: async ({ store }) =>
    attempted(async () => {
      const item = await store.get(OLD_SESSION);
      if (item !== undefined)
        await store.update(OLD_SESSION, { set: { user: { S: USER } } }, [{ attribute: 'never', is: 'absent' }], {
          orNoItem: true,
        });
      return { result: 'ok' };
    }),
};

/** Sends the browser's cookies, and hands it those of the answer, which may get lost on the way. */
function visiting(
  handle: (world: World, cookies: Cookies) => Promise<Outcome>,
): (environment: BrowserEnvironment) => Promise<Outcome> {
  return async (environment) => {
    const world = worldOf(environment);
    let jar: Item | undefined;
    try {
      jar = await environment.store.get(BROWSER);
    } catch {
      return { result: 'offline' };
    }
    const token = jar?.new?.S;
    const pairs = [token && `__Host-session=${token}`, jar?.old?.S && `old=${jar.old.S}`].filter(Boolean);
    const outcome = await attempted(() =>
      handle(world, { header: pairs.join('; '), token, tokenHash: token && hashSessionToken(token) }),
    );
    const { token: issuedToken, drops = '', ...rest } = outcome;
    if (outcome.result === 'ok') await deliver(environment.store, issuedToken as string | undefined, String(drops));
    return {
      ...rest,
      hadToken: token !== undefined,
      ...(typeof issuedToken === 'string' ? { tokenHash: hashSessionToken(issuedToken) } : {}),
    };
  };
}

async function deliver(store: SessionStore, token: string | undefined, drops: string): Promise<void> {
  if (token === undefined && drops === '') return;
  const change = {
    ...(token === undefined ? {} : { set: { new: { S: token } } }),
    ...(drops === '' ? {} : { remove: drops.split(' ') }),
  };
  await store.update(BROWSER, change, [{ attribute: 'PK', is: 'present' }]).catch(() => {});
}

/** `own` is the session if the request has its token; as in withSession, without it the request gets no fresh one either. */
async function arrive({ sessions }: World, { header, tokenHash }: Cookies) {
  const read = await sessions.read(header);
  const arrival = await sessions.legacy?.arrive(header, read);
  const session = arrival?.session ?? read;
  const token = arrival?.moved?.token;
  return { session, token, own: token !== undefined || session?.id === tokenHash ? session : null };
}

function worldOf(environment: BrowserEnvironment): World {
  const { store, now, randomBytes, isSigned } = environment;
  const sessions = createSessions({
    store,
    now,
    randomBytes,
    sleep: () => Promise.resolve(),
    sweepWidth: 1,
    legacy: { sources: [oldSource(store, isSigned)], report: () => {} },
  });
  return { ...environment, sessions };
}

function oldSource(store: SessionStore, isSigned: boolean): LegacySource {
  return {
    name: 'old',
    cookieNames: ['old'],
    verify: ({ old }) => old,
    read: async () => (await store.get(OLD_SESSION)) && { user: USER, createdAt: NOW - 1_000, expiresAt: NOW + 86_400 },
    end: () => store.delete(OLD_SESSION),
    ...(isSigned ? { tokenSecrets: (id) => [`signature of ${id}`] } : {}),
  };
}

function issued(token: string | undefined) {
  return token === undefined ? {} : { token };
}

/** A failing store is what a caller may see; anything else is a defect. */
async function attempted(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof SessionStoreError) return { result: 'failed' };
    throw error;
  }
}
