// SPDX-License-Identifier: Apache-2.0
/**
 * Plays one order of events with the real library on a memory store: operations are started, and then each makes its store
 * calls only when the test says so.
 */
import { createSessions } from '../../lambda/session/create-sessions';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import type { Sessions } from '../../lambda/session/sessions';
import type { SessionStore } from '../../lambda/session/store';
import { hashSessionToken } from '../../lambda/session/token';
import { Actor } from './actor';
import { bytesFrom } from './run';
import { requestingStore, type StoreRequest } from './store-request';

export const USER = 'alice';

export interface Cart {
  cart: string[];
}

/** Where in the collection a new session sorts: in front of all that were there, or behind. */
type Place = 'first' | 'last';

export class Stage {
  /** One item a page, so that other operations can come between any two. */
  readonly store = new MemorySessionStore({ pageSize: 1 });
  now = 1_800_000_000;
  readonly #draws = new Map<string, number>();

  /** The library as anyone may use it between the steps of the others. */
  readonly sessions = this.#library(this.store, 'middle');

  /** Begins an operation; it waits before its first store call. */
  start<Result>(use: (sessions: Sessions<Cart>) => Promise<Result>, place: Place = 'first'): Actor<Result> {
    return new Actor(this.store, (answer) => use(this.#library(requestingStore(answer), place)));
  }

  /** Whether the token is let in. */
  async accepts(token: string): Promise<boolean> {
    return (await this.sessions.read(cookie(token))) !== null;
  }

  /** Hashes of the user's listed sessions, dead or alive. */
  listed(): string[] {
    return this.store
      .items()
      .filter((item) => item.PK?.S === `SU#${USER}` && item.SK?.S?.startsWith('S#'))
      .map((item) => item.SK?.S?.slice(2) ?? '');
  }

  #library(store: SessionStore, place: Place | 'middle'): Sessions<Cart> {
    return createSessions<Cart>({
      store,
      now: () => this.now,
      randomBytes: (size) => (size === 32 ? this.#tokenBytes(place) : bytesFrom(`stage ${this.#draw('other')}`, size)),
      sleep: () => Promise.resolve(),
      sweepWidth: 1,
      idleTimeoutSeconds: 600,
    });
  }

  #tokenBytes(place: Place | 'middle'): Uint8Array {
    const [from, to] = { first: ['0', '4'], middle: ['4', 'c'], last: ['c', 'g'] }[place] as [string, string];
    for (;;) {
      const bytes = bytesFrom(`token ${this.#draw(place)}`, 32);
      const [digit = ''] = hashSessionToken(Buffer.from(bytes).toString('base64url'));
      if (digit >= from && digit < to) return bytes;
    }
  }

  #draw(kind: string): number {
    const draw = (this.#draws.get(kind) ?? 0) + 1;
    this.#draws.set(kind, draw);
    return draw;
  }
}

export const cookie = (token: string): string => `__Host-session=${token}`;

const partitionOf = (request: StoreRequest): string => {
  if (request.call === 'getMany') return '';
  if (request.call === 'query') return request.partitionKey;
  return (request.call === 'put' ? request.item.PK?.S : request.key.partitionKey) ?? '';
};

/** The next call writes or reads a session item. */
export const onSession =
  (call: StoreRequest['call'], hash?: string) =>
  (request: StoreRequest): boolean =>
    request.call === call && partitionOf(request).startsWith(`S#${hash ?? ''}`);

/** The next call is on the user item. */
export const onUser =
  (call: 'get' | 'update') =>
  (request: StoreRequest): boolean =>
    request.call === call && partitionOf(request).startsWith('SU#');

/** The next call is on an item of the user's collection. */
export const onCollection =
  (call: 'put' | 'delete' | 'query') =>
  (request: StoreRequest): boolean =>
    request.call === call && partitionOf(request).startsWith('SU#');
