// SPDX-License-Identifier: Apache-2.0
/** Counts on the embedded emulator what each operation asks of the table, and holds docs/costs.md to it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSessions } from '../../lambda/session/create-sessions';
import type { Sessions } from '../../lambda/session/sessions';
import { type EmulatedTable, startEmulatedTable } from './emulated-table';
import { Clock } from './fixtures';

interface Operation {
  readonly name: string;
  /** Prepares on a fresh user and returns what is counted. */
  readonly prepare: (sessions: Sessions<Data>, user: string, clock: Clock) => Promise<() => Promise<unknown>>;
  readonly idleTimeoutSeconds?: number;
}

type Data = { filler?: string; count?: number };
const cookie = (token: string): string => `__Host-session=${token}`;

const OPERATIONS: readonly Operation[] = [
  { name: 'read, no well-formed cookie', prepare: async (s) => () => s.read('__Host-session=x') },
  { name: 'read, unknown token', prepare: async (s) => () => s.read(cookie('A'.repeat(43))) },
  {
    name: 'read',
    prepare: async (s, user) => {
      const { token } = await s.create({ user });
      return () => s.read(cookie(token));
    },
  },
  {
    name: 'page view: read, save without a change',
    prepare: async (s, user) => {
      const { token } = await s.create({ user });
      return async () => {
        const session = await s.read(cookie(token));
        if (session) await s.save(session);
      };
    },
  },
  { name: 'create, anonymous', prepare: async (s) => () => s.create({}) },
  { name: 'beginAuthentication', prepare: async (s, user) => () => s.beginAuthentication(user) },
  {
    name: 'create, with authentication',
    prepare: async (s, user) => {
      const authentication = await s.beginAuthentication(user);
      return () => s.create({ user, authentication });
    },
  },
  { name: 'create, without authentication', prepare: async (s, user) => () => s.create({ user }) },
  {
    name: 'create, over an anonymous session',
    prepare: async (s, user) => {
      const authentication = await s.beginAuthentication(user);
      const { session } = await s.create({});
      return () => s.create({ user, authentication, replaces: session });
    },
  },
  {
    name: 'save, changed',
    prepare: async (s, user) => {
      const { session } = await s.create({ user, data: { count: 0 } });
      session.data.count = 1;
      return () => s.save(session);
    },
  },
  {
    name: 'renew, due',
    idleTimeoutSeconds: 3600,
    prepare: async (s, user, clock) => {
      const { session } = await s.create({ user });
      clock.advance(1000);
      return () => s.renew(session);
    },
  },
  {
    name: 'renew, not due',
    idleTimeoutSeconds: 3600,
    prepare: async (s, user) => {
      const { session } = await s.create({ user });
      return () => s.renew(session);
    },
  },
  {
    name: 'rotate',
    prepare: async (s, user) => {
      const { session } = await s.create({ user });
      return () => s.rotate(session);
    },
  },
  {
    name: 'destroy',
    prepare: async (s, user) => {
      const { token } = await s.create({ user });
      return () => s.destroy(token);
    },
  },
  {
    name: 'destroy, after a rotation',
    prepare: async (s, user) => {
      const { session } = await s.create({ user });
      const rotated = await s.rotate(session);
      return () => s.destroy(rotated?.token);
    },
  },
  { name: 'destroy, unknown token', prepare: async (s) => () => s.destroy('A'.repeat(43)) },
  {
    name: 'list, 10 sessions',
    prepare: async (s, user) => {
      for (let login = 0; login < 10; login++) await s.create({ user });
      return () => s.list(user);
    },
  },
  {
    name: 'revoke, one device',
    prepare: async (s, user) => {
      const { session } = await s.create({ user });
      return () => s.revoke(user, session.id);
    },
  },
  { name: 'revokeAll, no sessions', prepare: async (s, user) => () => s.revokeAll(user) },
  {
    name: 'revokeAll, 10 sessions',
    prepare: async (s, user) => {
      for (let login = 0; login < 10; login++) await s.create({ user });
      return () => s.revokeAll(user);
    },
  },
  {
    name: 'revokeAll except this, 10 sessions',
    prepare: async (s, user) => {
      for (let login = 1; login < 10; login++) await s.create({ user });
      const { session } = await s.create({ user });
      return () => s.revokeAll(user, { except: session });
    },
  },
  { name: 'disable, no sessions', prepare: async (s, user) => () => s.disable(user) },
  {
    name: 'enable',
    prepare: async (s, user) => {
      await s.disable(user);
      return () => s.enable(user);
    },
  },
];

const COLUMNS = ['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] as const;

describe('what each operation costs', () => {
  let table: EmulatedTable;
  beforeAll(async () => {
    table = await startEmulatedTable();
  });
  afterAll(() => table.close());

  const documented = documentedRows();

  test.each(OPERATIONS)('$name, as docs/costs.md says', async ({ name, prepare, idleTimeoutSeconds }) => {
    const clock = new Clock();
    const sessions = createSessions<Data>({ store: table.store, now: clock.now, idleTimeoutSeconds });
    const run = await prepare(sessions, `user-${OPERATIONS.findIndex((operation) => operation.name === name)}`, clock);
    table.emulator.resetCounts();
    await run();
    const { operations, readUnits, writeUnits } = table.emulator.counts();
    const counted = [...COLUMNS.map((column) => operations[column]?.requests ?? 0), readUnits, writeUnits];

    expect(Object.keys(operations).filter((operation) => !COLUMNS.some((column) => column === operation))).toEqual([]);
    expect({ name, counted }).toEqual({ name, counted: documented.get(name) });
  });

  test('docs/costs.md lists nothing else', () => {
    expect([...documented.keys()]).toEqual(OPERATIONS.map(({ name }) => name));
  });
});

/** The rows of the table under "Operations": name, then numbers. */
function documentedRows(): Map<string, number[]> {
  const text = readFileSync(join(__dirname, '../../docs/costs.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith('Operations')) ?? '';
  return new Map(
    section
      .split('\n')
      .filter((line) => /^\| .* \| [0-9]/.test(line))
      .map((line) => {
        const [name = '', ...cells] = line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim());
        return [name, cells.map((cell) => (cell === '' ? 0 : Number(cell)))];
      }),
  );
}
