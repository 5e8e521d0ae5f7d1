// SPDX-License-Identifier: Apache-2.0
/** An old store that is two functions of the application: what they may return, and what the errors say of anything else. */
import { createExpressSessionSource } from '../../lambda/legacy/express-session/express-session-source';
import type {
  ExpressSessionStore,
  StoredExpressSession,
} from '../../lambda/legacy/express-session/express-session-store';
import { SessionStoreError } from '../../lambda/session/errors';
import { ConfigurationError } from '../../lambda/settings';

const NOW = 1_800_000_000;
const ID = 'abcDEF-_0123456789abcDEF-_012345';

function sourceOver(store: ExpressSessionStore): ReturnType<typeof createExpressSessionSource> {
  return createExpressSessionSource({ store, secrets: ['s-new'] });
}

const returning = (stored: unknown) =>
  sourceOver({ read: async () => stored as StoredExpressSession, end: async () => {} });

describe('a store of one’s own', () => {
  /** What `connect-mongo` keeps: `_id`, the session as JSON or as a document, and when it ends. */
  const documents = new Map([
    [ID, { _id: ID, session: JSON.stringify({ passport: { user: 'u-1' } }), expires: new Date((NOW + 60) * 1000) }],
  ]);
  const mongo = sourceOver({
    async read(sessionId) {
      const found = documents.get(sessionId);
      return found && { session: found.session, expiresAt: found.expires };
    },
    async end(sessionId) {
      documents.delete(sessionId);
    },
  });

  it('is two functions: an example for connect-mongo', async () => {
    expect(await mongo.read(ID, NOW)).toMatchObject({ user: 'u-1', expiresAt: NOW + 60 });
    expect(await mongo.read(ID, NOW + 60)).toEqual({ refused: 'expired' });

    await mongo.end(ID);

    expect(await mongo.read(ID, NOW)).toEqual({ refused: 'absent' });
  });

  it.each([
    ['a session object', { session: { passport: { user: 'u-1' } }, expiresAt: NOW + 1 }],
    [
      'the end inside the session',
      { session: { passport: { user: 'u-1' }, cookie: { expires: new Date((NOW + 1) * 1000) } } },
    ],
    [
      'the end inside the JSON',
      { session: JSON.stringify({ passport: { user: 'u-1' }, cookie: { expires: new Date((NOW + 1) * 1000) } }) },
    ],
  ])('may return %s', async (_, stored) => {
    expect(await returning(stored).read(ID, NOW)).toMatchObject({ user: 'u-1', expiresAt: NOW + 1 });
    expect(await returning(stored).read(ID, NOW + 1)).toEqual({ refused: 'expired' });
  });

  it.each([
    ['no end at all', { session: { passport: { user: 'u-1' }, cookie: { expires: null } } }],
    ['an end in milliseconds', { session: { passport: { user: 'u-1' } }, expiresAt: (NOW + 1) * 1000 }],
    ['an invalid date', { session: { passport: { user: 'u-1' } }, expiresAt: new Date('never') }],
    ['not even an object', { session: 1, expiresAt: NOW + 1 }],
  ])('may not return %s', async (_, stored) => {
    expect(await returning(stored).read(ID, NOW)).toEqual({ refused: 'malformed' });
  });

  it.each([undefined, null])('may return %s: no session', async (stored) => {
    expect(await returning(stored).read(ID, NOW)).toEqual({ refused: 'absent' });
  });

  it.each([
    ['the session itself', { cookie: {}, passport: { user: 'u-1' } }, 'return { session: thatObject }'],
    ['the whole document', { _id: ID, expires: new Date() }, 'an object without session'],
    ['JSON', JSON.stringify({ session: {} }), 'it returned a string'],
    ['whether there is one', true, 'it returned a boolean'],
    ['the whole document', { _id: 'x', session: {}, expires: new Date() }, 'it returned more than that: pick the two'],
    ['an end in text', { session: {}, expiresAt: '2027-01-01T00:00:00Z' }, 'its expiresAt is a string'],
  ])('that returns %s is told what to return, and no content', async (_, stored, words) => {
    const error: unknown = await returning(stored)
      .read(ID, NOW)
      .catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain('store.read must return { session, expiresAt }, or undefined');
    expect(String(error)).toContain(words);
    expect(String(error)).not.toMatch(/u-1|2027|abcDEF/);
  });

  it('that fails is a fault, and its message tells no id', async () => {
    const failing = sourceOver({
      read: () => Promise.reject(new Error(`cannot find ${ID}`)),
      end: () => Promise.reject(new Error(`cannot delete ${ID}`)),
    });

    for (const failure of [failing.read(ID, NOW), failing.end(ID)]) {
      const error: unknown = await failure.catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(SessionStoreError);
      expect(String(error)).not.toContain(ID);
    }
  });
});
