// SPDX-License-Identifier: Apache-2.0
import type { Item } from '../../lambda/session/store';
import { explore } from './explore';
import type { Environment, Outcome } from './run';
import type { Operation, Property, State } from './state';
import { System, type SystemOptions } from './system';

const COUNTER = { partitionKey: 'counter', sortKey: 'c' };
const counter = (value: number): Item => ({ PK: { S: 'counter' }, SK: { S: 'c' }, value: { N: String(value) } });
const countIn = (item: Item | undefined): number => Number(item?.value?.N ?? 0);

const operation = (name: string, run: (environment: Environment) => Promise<Outcome>): Operation => ({
  name,
  program: { name: `toy ${name}`, run },
});

/** Reads, then writes what was read plus one, if it is still what was read and `guarded`. */
const increment = (name: string, guarded: boolean): Operation =>
  operation(`${name} ${guarded}`, async ({ store }) => {
    for (;;) {
      const value = countIn(await store.get(COUNTER));
      const unchanged = { attribute: 'value', is: 'equal', to: { N: String(value) } } as const;
      const condition = guarded ? unchanged : ({ attribute: 'value', is: 'present' } as const);
      const outcome = await store.update(COUNTER, { set: { value: { N: String(value + 1) } } }, [condition]);
      if (outcome.applied) return { result: 'ok' };
    }
  });

const systemOf = (operations: Operation[], options: Partial<SystemOptions<Operation>> = {}): System<Operation> =>
  new System({ operations, items: [counter(0)], now: 1000, ...options }, countsEveryIncrement);

const countsEveryIncrement = (system: System<Operation>): Property => ({
  begin: () => [],
  remember: (_event, before) => before.history,
  violations: () => [],
  violationsAtEnd: (state: State) =>
    countIn(system.itemAt(state, COUNTER)) === state.processes.length ? [] : ['an increment was lost'],
});

describe('the explorer', () => {
  test('visits every interleaving of two processes with two steps each once', async () => {
    const reader = (name: string) =>
      operation(name, async ({ store }) => {
        await store.get(COUNTER);
        await store.get(COUNTER);
        return { result: 'ok' };
      });

    const exploration = await explore(systemOf([reader('first'), reader('second')]));

    // Each process stands in one of three places; every state but the last has one step for each process under way.
    expect(exploration).toMatchObject({ states: 9, transitions: 12, ends: 1, isComplete: true });
  });

  test('finds a lost update and the shortest way to it', async () => {
    const { violations } = await explore(systemOf([increment('a', false), increment('b', false)]));

    expect(violations.map(({ message }) => message)).toEqual(['an increment was lost']);
    expect(violations[0]?.trace).toHaveLength(4);
  });

  test('finds nothing where the write is conditional', async () => {
    const exploration = await explore(systemOf([increment('a', true), increment('b', true), increment('c', true)]));

    expect(exploration).toMatchObject({ isComplete: true, violations: [] });
  });

  test('follows calls that are made at the same time in both orders', async () => {
    const both = operation('both', async ({ store }) => {
      const order: string[] = [];
      await Promise.all([
        store.get(COUNTER).then(() => order.push('first')),
        store.get({ partitionKey: 'other', sortKey: 'c' }).then(() => order.push('second')),
      ]);
      return { result: order.join() };
    });

    const exploration = await explore(systemOf([both]));

    expect(exploration).toMatchObject({ ends: 2 });
  });

  test.each(['refused', 'lost', 'delayed', 'crash'] as const)('injects a %s call at every step', async (fault) => {
    const write = operation(`write ${fault}`, async ({ store }) => {
      const put = () => store.put({ PK: { S: 'new' }, SK: { S: 'c' } });
      return { result: await put().then(String, () => put().then((written) => `retried ${written}`)) };
    });

    const exploration = await explore(systemOf([write], { faults: [fault] }));

    expect(exploration.faults).toEqual({ [fault]: 1 });
  });

  test('samples the same states for the same seed', async () => {
    const sample = () => explore(systemOf([increment('a', false), increment('b', false)]), { maxStates: 15, seed: 7 });

    const first = await sample();

    expect(first.violations).toHaveLength(1);
    expect(await sample()).toEqual(first);
  });

  test('reports an error that the operation does not expect', async () => {
    const broken = operation('broken', async ({ store }) => {
      await store.get(COUNTER);
      throw new TypeError('no such property');
    });

    const { violations } = await explore(systemOf([broken]));

    expect(violations.map(({ message }) => message)).toContain(
      'broken threw an unexpected error: TypeError: no such property',
    );
  });
});
