// SPDX-License-Identifier: Apache-2.0
/** Inputs that once broke something, each kept beside the rule that mends its kind. */
import fc from 'fast-check';
import { ENVIRONMENT } from '../../lambda/environment';
import { createSessions } from '../../lambda/session/create-sessions';
import { SessionStoreError } from '../../lambda/session/errors';
import type { Session } from '../../lambda/session/lifecycle/session';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import { withSession } from '../../lambda/session/with-session';
import { resolveSettings } from '../../lambda/settings';
import { type EmulatedTable, startEmulatedTable } from './emulated-table';
import { fixture } from './fixtures';

describe('claims', () => {
  let table: EmulatedTable;
  beforeAll(async () => {
    table = await startEmulatedTable();
  });
  afterAll(() => table.close());

  test('every claim that can be written is read back, whatever form the table gives its numbers', async () => {
    const sessions = createSessions({ store: table.store });
    const claim = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(1e38, 1e50, 1e-39, -1e124, 1e-129, -1.0000000000000003e-130, 1.2345678901234567e-129, 0, -1, 0.1),
      fc.boolean(),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(claim, async (value) => {
        const issued = await sessions.create({ claims: { value } }).catch(() => undefined);
        if (issued === undefined) return;
        const session = await sessions.read(`__Host-session=${issued.token}`);
        expect(session?.claims.value).toEqual(value === 0 ? 0 : value);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the list of a user’s sessions', () => {
  test('does not grow with logins whose sessions ended by the idle timeout', async () => {
    const { sessions, store, calls, clock } = fixture({
      idleTimeoutSeconds: 900,
      maxSessionsPerUser: 10,
      pageSize: 100,
    });
    for (let login = 0; login < 200; login++) {
      await sessions.create({ user: 'monitor' });
      clock.advance(1800);
    }
    const listed = store.items().filter((item) => item.PK?.S === 'SU#monitor' && item.SK?.S !== 'SU#');
    expect(listed.length).toBeLessThanOrEqual(11);
    calls.reset();
    await sessions.create({ user: 'monitor' });
    expect(calls.count('query', 'getMany')).toBe(2);
    expect(await sessions.list('monitor')).toHaveLength(1);
  });
});

describe('an epoch that comes back', () => {
  test('brings nobody back who was logged out everywhere or banned under another one', async () => {
    const first = fixture({ epoch: '1' });
    const { token } = await first.sessions.create({ user: 'alice' });
    const second = createSessions({ store: first.store, now: first.clock.now, epoch: '2' });
    await second.revokeAll('alice');
    expect(await first.sessions.read(first.cookie(token))).toBeNull();
  });
});

describe('a login over an anonymous session', () => {
  test('that fails while the sessions are counted leaves the anonymous one alive', async () => {
    const { sessions, calls, cookie } = fixture();
    const basket = await sessions.create({ data: { cart: ['book'] } });
    calls.interceptor = {
      before: ({ operation }) => {
        if (operation === 'query') throw new SessionStoreError('throttled', { isRetryable: true });
      },
    };
    await expect(sessions.create({ user: 'alice', replaces: basket.session })).rejects.toThrow('throttled');
    expect(await sessions.read(cookie(basket.token))).toMatchObject({ data: { cart: ['book'] } });
  });

  test('over one of the same user at the limit pushes nobody else out', async () => {
    const { sessions, clock, cookie } = fixture({ maxSessionsPerUser: 2 });
    const other = await sessions.create({ user: 'alice' });
    clock.advance(1);
    const mine = await sessions.create({ user: 'alice' });
    clock.advance(1);
    await sessions.create({ user: 'alice', replaces: mine.session });
    expect(await sessions.read(cookie(other.token))).not.toBeNull();
    expect(await sessions.read(cookie(mine.token))).toBeNull();
  });
});

describe('settings', () => {
  test.each([[{ idleTimeoutSeconds: 60, renewalIntervalSeconds: 56 }], [{ idleTimeoutSeconds: 6 }]])(
    'refuse an idle timeout that no request could slide: %j',
    (input) => {
      expect(() => resolveSettings(input)).toThrow(/^idleTimeoutSeconds must be more than 5 seconds longer/);
    },
  );

  test.each(['session', 'settled_at', 'epoch', 'nonce', 'lock_owner'])(
    'refuse a key attribute named %s, which the items use',
    (name) => {
      expect(() => resolveSettings({ attributeNames: { partitionKey: name } })).toThrow('must not be the name of');
    },
  );
});

describe('sign out everywhere else', () => {
  test('works for a session that no longer fits a cap lowered since', async () => {
    const before = fixture({ maxItemBytes: 8192 });
    const { token } = await before.sessions.create({ user: 'alice', data: { text: 'x'.repeat(5000) } });
    const other = await before.sessions.create({ user: 'alice' });
    const after = createSessions({ store: before.store, now: before.clock.now });
    const session = await after.read(before.cookie(token));
    const outcome = await after.revokeAll('alice', { except: session as Session });
    expect(outcome?.ended).toBe(1);
    expect(await after.read(before.cookie(other.token))).toBeNull();
  });
});

describe('a session object', () => {
  test('cannot be made another by merging a request into it', async () => {
    const { sessions } = fixture();
    const { session } = await sessions.create({ user: 'alice' });
    for (const name of ['id', 'user', 'authenticatedAt', 'expiresAt', 'version'])
      expect(() => Object.assign(session, { [name]: 'mallory' })).toThrow(TypeError);
    expect(session.user).toBe('alice');
  });
});

describe('an idle timeout that came later than the session', () => {
  test('counts for the successor of a rotation', async () => {
    const before = fixture();
    const { token } = await before.sessions.create({ user: 'alice' });
    const after = createSessions({ store: before.store, now: before.clock.now, idleTimeoutSeconds: 3600 });
    const session = await after.read(before.cookie(token));
    const rotated = await after.rotate(session as Session);
    expect(rotated?.session.expiresAt).toBe(before.clock.seconds + 3600);
  });
});

describe('a user record key', () => {
  test.each([
    { partitionKey: '', sortKey: 'x' },
    { partitionKey: 'x', sortKey: 7 as never },
  ])('that no table would take is refused at login: %j', async (userRecordKey) => {
    const { sessions } = fixture();
    await expect(sessions.create({ user: 'alice', userRecordKey })).rejects.toThrow(/^userRecordKey must have/);
  });
});

describe('withSession', () => {
  const event = (cookie: string) => ({ httpMethod: 'POST', headers: { Cookie: cookie }, requestContext: {} });
  type Answer = { statusCode: unknown; multiValueHeaders?: Record<string, string[]> };

  test('sends the cookie with a status code that is a string', async () => {
    const { sessions } = fixture();
    const handler = withSession(sessions, async (_event, request) => {
      await request.start({ user: 'alice' });
      return { statusCode: '200', body: '' };
    });
    const answer = (await handler(event(''))) as Answer;
    expect(answer.statusCode).toBe('200');
    expect(answer.multiValueHeaders?.['Set-Cookie']).toHaveLength(1);
  });

  test('keeps every cookie of a handler that spells the header in several ways', async () => {
    const { sessions } = fixture();
    const handler = withSession(sessions, async (_event, request) => {
      await request.end();
      return { statusCode: 204, headers: { 'Set-Cookie': 'a=1', 'set-cookie': 'b=2', 'SET-COOKIE': 'c=3' } };
    });
    const answer = (await handler(event(''))) as Answer;
    expect(answer.multiValueHeaders?.['Set-Cookie']).toEqual(['a=1', 'b=2', 'c=3', sessions.clearCookie]);
  });

  test.each([
    [
      'throws',
      async () => {
        throw new Error('the handler broke');
      },
    ],
    [
      'leaves data that cannot be saved',
      async (session: Session | null) => {
        if (session !== null) session.data.at = new Date(0);
      },
    ],
  ])('hands out the fresh cookie although the handler %s after a rotation', async (_name, after) => {
    const { sessions, cookie } = fixture();
    const { token } = await sessions.create({ user: 'alice' });
    const log = jest.spyOn(console, 'error').mockImplementation(() => {});
    const answer = (await withSession(sessions, async (_event, request) => {
      await request.rotate();
      await after(request.session);
      return { statusCode: 200 };
    })(event(cookie(token)))) as Answer;
    expect(answer.statusCode).toBe(500);
    expect(log).toHaveBeenCalledTimes(1);
    log.mockRestore();
    const [setCookie = ''] = answer.multiValueHeaders?.['Set-Cookie'] ?? [];
    expect(await sessions.read(setCookie.split(';')[0])).toMatchObject({ user: 'alice' });
  });

  test('answers a login or logout as such although data was lost before it', async () => {
    const { sessions, cookie } = fixture();
    const { token } = await sessions.create({ user: 'alice' });
    const answer = (await withSession(sessions, async (_event, request) => {
      if (request.session !== null) request.session.data.a = 1;
      await sessions.destroy(token);
      await request.rotate();
      await request.start({ user: 'alice' });
      return { statusCode: 200 };
    })(event(cookie(token)))) as Answer;
    expect(answer.statusCode).toBe(200);
  });
});

describe('the API’s own origins', () => {
  const original = { ...process.env };
  afterEach(() => {
    process.env = { ...original };
  });

  const event = {
    httpMethod: 'POST',
    headers: { Origin: 'https://api.example.com' },
    requestContext: { domainName: 'abc.execute-api.eu-west-1.amazonaws.com' },
  };

  test('from the environment count in the library as they do in the authorizer', () => {
    process.env[ENVIRONMENT.tableName] = 'sessions';
    process.env[ENVIRONMENT.settings] = JSON.stringify({ csrf: 'strict' });
    expect(createSessions().checkOrigin(event).allowed).toBe(false);
    process.env[ENVIRONMENT.apiOrigins] = JSON.stringify(['https://api.example.com']);
    expect(createSessions().checkOrigin(event).allowed).toBe(true);
  });

  test('may be passed as an option', () => {
    const store = new MemorySessionStore();
    const sessions = createSessions({ store, csrf: 'strict', apiOrigins: ['https://api.example.com'] });
    expect(sessions.checkOrigin(event).allowed).toBe(true);
    expect(() => createSessions({ store, apiOrigins: ['*'] })).toThrow(/^apiOrigins must/);
  });
});
