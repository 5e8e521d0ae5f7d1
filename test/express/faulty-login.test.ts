// SPDX-License-Identifier: Apache-2.0
/** A login that the table fails, and not the library: one error, and no cookie for a session that does not exist. */
import { SessiongateStore } from '../../lambda/express';
import { createSessions } from '../../lambda/session/create-sessions';
import { DynamoDbSessionStore } from '../../lambda/session/dynamodb-session-store';
import { SessionStoreError } from '../../lambda/session/errors';
import { type EmulatedTable, startEmulatedTable } from '../session/emulated-table';
import { Browser } from './browser';
import { start, world } from './world';

describe.each([false, true])('with saveUninitialized: %p', (saveUninitialized) => {
  describe('a table that does not exist', () => {
    let table: EmulatedTable;
    let application: Awaited<ReturnType<typeof start>>;
    beforeEach(async () => {
      table = await startEmulatedTable();
      const store = new DynamoDbSessionStore({ tableName: 'misspelled', client: table.client });
      const sessions = createSessions<Record<string, unknown>>({ store, sleep: async () => {} });
      const expressStore = new SessiongateStore({ sessions, user: (data) => data.userId });
      application = await start(expressStore.middleware({ saveUninitialized }));
    });
    afterEach(() => table.close());

    test.each([
      ['with regenerate', '/login?user=alice'],
      ['with save alone', '/login-in-place?user=alice'],
      ['with a second save', '/login-stubbornly?user=alice'],
      ['with a second regenerate', '/login-as-one-of?users=alice,bob'],
    ])('fails a login %s, without a cookie', async (_, path) => {
      const browser = new Browser(application);

      const answer = await browser.get(path);
      // What express-session does at the end of an answer is done before the next one.
      await browser.get('/public');

      expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_SESSION_STORE_NOT_FOUND' }, setCookies: [] });
      expect(application.failures).toHaveLength(1);
    });
  });

  test.each(['/login?user=alice', '/login-in-place?user=alice'])(
    'a write of %s that fails sets no cookie',
    async (path) => {
      const { browser, calls, application } = await world({}, { saveUninitialized });
      calls.interceptor = {
        before: ({ operation }) => {
          if (operation === 'put') throw new SessionStoreError('the table is out of reach');
        },
      };

      expect(await browser.get(path)).toMatchObject({
        status: 500,
        body: { code: 'ERR_SESSION_STORE' },
        setCookies: [],
      });
      expect(application.failures).toHaveLength(1);
    },
  );
});

test('a login that goes on although regenerate failed is one all the same', async () => {
  const { browser, calls } = await world({}, { saveUninitialized: true }, {}, (app) =>
    app.get('/login-whatever', (request, response, next) => {
      request.session.regenerate(() => {
        request.session.userId = 'alice';
        request.session.save((failure) => (failure ? next(failure) : response.json({})));
      });
    }),
  );
  calls.beforeNext('update', () => {
    throw new Error('the table is out of reach');
  });

  expect((await browser.get('/login-whatever')).setCookies).toHaveLength(1);
  expect((await browser.get('/me')).body).toMatchObject({ user: 'alice' });
});
