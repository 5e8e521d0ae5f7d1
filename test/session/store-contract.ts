// SPDX-License-Identifier: Apache-2.0
/** What every store must do, run against each of them. */
import type { Item, ItemKey, SessionStore } from '../../lambda/session/store';

let partitions = 0;

export function describeStoreContract(name: string, makeStore: () => SessionStore): void {
  describe(`${name}, as a session store`, () => {
    let store: SessionStore;
    let key: ItemKey;

    beforeEach(() => {
      store = makeStore();
      partitions++;
      key = { partitionKey: `S#${partitions}`, sortKey: 'S#' };
    });

    const itemAt = ({ partitionKey, sortKey }: ItemKey, attributes: Item = {}): Item => ({
      [store.attributeNames.partitionKey]: { S: partitionKey },
      [store.attributeNames.sortKey]: { S: sortKey },
      ...attributes,
    });
    const withSortKey = (sortKey: string): ItemKey => ({ partitionKey: key.partitionKey, sortKey });

    test('finds nothing where nothing was put', async () => {
      expect(await store.get(key)).toBeUndefined();
    });

    test('returns a whole item as it was put, whatever the names of its attributes', async () => {
      const item = itemAt(key, {
        user: { S: 'alice' },
        data: { S: '{"a":"ü"}' },
        type: { S: 'session' },
        ttl: { N: '1' },
        claims: { M: { role: { S: 'admin' }, level: { N: '3' }, beta: { BOOL: true } } },
      });
      expect(await store.put(item)).toBe(true);
      expect(await store.get(key)).toEqual(item);
    });

    test('returns only the attributes asked for', async () => {
      await store.put(itemAt(key, { user: { S: 'alice' }, data: { S: '{}' } }));
      expect(await store.get(key, ['user', 'absent'])).toEqual({ user: { S: 'alice' } });
    });

    test('never puts over an item that is there', async () => {
      await store.put(itemAt(key, { user: { S: 'alice' } }));
      expect(await store.put(itemAt(key, { user: { S: 'mallory' } }))).toBe(false);
      expect((await store.get(key))?.user).toEqual({ S: 'alice' });
    });

    test('changes, adds and removes attributes in one step and returns what was there before', async () => {
      const before = itemAt(key, { type: { S: 'session' }, data: { S: '{}' }, version: { N: '1' } });
      await store.put(before);
      const outcome = await store.update(
        key,
        {
          set: { version: { N: '2' } },
          setIfAbsent: { type: { S: 'other' }, revoked: { N: '9' } },
          remove: ['data', 'device'],
        },
        [{ attribute: 'type', is: 'equal', to: { S: 'session' } }],
      );
      expect(outcome).toEqual({ applied: true, previous: before });
      expect(await store.get(key)).toEqual(
        itemAt(key, { type: { S: 'session' }, version: { N: '2' }, revoked: { N: '9' } }),
      );
    });

    test.each([
      ['an attribute that must be absent is there', { attribute: 'type', is: 'absent' }],
      ['an attribute that must be there is absent', { attribute: 'revoked', is: 'present' }],
      ['another text', { attribute: 'type', is: 'equal', to: { S: 'Session' } }],
      ['a text where a number was asked for', { attribute: 'type', is: 'greater', than: 0 }],
      ['an absent attribute is compared', { attribute: 'version', is: 'equal', to: { N: '0' } }],
      ['a number is only as great', { attribute: 'expires_at', is: 'greater', than: 100 }],
      ['a number is only as small', { attribute: 'expires_at', is: 'less', than: 100 }],
    ] as const)('writes nothing when a condition fails: %s', async (_name, condition) => {
      const item = itemAt(key, { type: { S: 'session' }, expires_at: { N: '100' } });
      await store.put(item);
      expect(await store.update(key, { set: { type: { S: 'hijacked' } } }, [condition])).toEqual({ applied: false });
      expect(await store.get(key)).toEqual(item);
    });

    test.each([
      [{ attribute: 'revoked', is: 'absent' }],
      [{ attribute: 'type', is: 'present' }],
      [{ attribute: 'type', is: 'equal', to: { S: 'session' } }],
      [{ attribute: 'expires_at', is: 'equal', to: { N: '100' } }],
      [{ attribute: 'expires_at', is: 'greater', than: 99 }],
      [{ attribute: 'expires_at', is: 'less', than: 101 }],
    ] as const)('writes when a condition holds: %j', async (condition) => {
      await store.put(itemAt(key, { type: { S: 'session' }, expires_at: { N: '100' } }));
      expect(await store.update(key, { set: { seen: { BOOL: true } } }, [condition])).toMatchObject({ applied: true });
    });

    test('compares numbers as numbers', async () => {
      await store.put(itemAt(key, { expires_at: { N: '9' } }));
      expect(
        await store.update(key, { set: { seen: { BOOL: true } } }, [{ attribute: 'expires_at', is: 'less', than: 10 }]),
      ).toMatchObject({
        applied: true,
      });
    });

    test('wants every condition to hold', async () => {
      await store.put(itemAt(key, { type: { S: 'session' }, revoked: { N: '1' } }));
      const outcome = await store.update(key, { set: { seen: { BOOL: true } } }, [
        { attribute: 'type', is: 'equal', to: { S: 'session' } },
        { attribute: 'revoked', is: 'absent' },
      ]);
      expect(outcome).toEqual({ applied: false });
    });

    test('creates nothing by an update that asks for something on the item', async () => {
      expect(await store.update(key, { set: { a: { S: 'b' } } }, [{ attribute: 'type', is: 'present' }])).toEqual({
        applied: false,
      });
      expect(await store.get(key)).toBeUndefined();
    });

    test('creates the item by an update that asks only for absence', async () => {
      expect(
        await store.update(key, { set: { generation: { N: '1' } } }, [{ attribute: 'generation', is: 'absent' }]),
      ).toEqual({
        applied: true,
      });
      expect(await store.get(key)).toEqual(itemAt(key, { generation: { N: '1' } }));
    });

    test('with orNoItem creates a missing item and still minds the condition of one that is there', async () => {
      const condition = { attribute: 'type', is: 'equal', to: { S: 'session' } } as const;
      const change = { set: { type: { S: 'session' } }, setIfAbsent: { revoked: { N: '1' } } };
      expect(await store.update(key, change, [condition], { orNoItem: true })).toEqual({ applied: true });
      const other = withSortKey('other');
      await store.put(itemAt(other, { type: { S: 'invite' } }));
      expect(await store.update(other, change, [condition], { orNoItem: true })).toEqual({ applied: false });
      expect(await store.get(other)).toEqual(itemAt(other, { type: { S: 'invite' } }));
    });

    test('deletes an item, and one that is not there', async () => {
      await store.put(itemAt(key));
      await store.delete(key);
      await store.delete(key);
      expect(await store.get(key)).toBeUndefined();
    });

    test('queries every item of a partition with the prefix, page by page, and nothing else', async () => {
      const hashes = Array.from({ length: 25 }, (_, index) => `S#${String(index).padStart(2, '0')}`);
      for (const sortKey of hashes)
        await store.put(itemAt(withSortKey(sortKey), { filler: { S: 'x'.repeat(60_000) } }));
      await store.put(itemAt(withSortKey('SU#')));
      await store.put(itemAt({ partitionKey: `${key.partitionKey}x`, sortKey: 'S#00' }));

      const found: (string | undefined)[] = [];
      let pages = 0;
      for (let cursor: Item | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page = await store.query(key.partitionKey, 'S#', cursor);
        found.push(...page.items.map((item) => item[store.attributeNames.sortKey]?.S));
        cursor = page.cursor;
        pages++;
      }
      expect(found).toEqual(hashes);
      expect(pages).toBeGreaterThan(1);
    });

    test('reads many items at once and leaves out what is not there', async () => {
      const keys = Array.from({ length: 100 }, (_, index) => withSortKey(`S#${index}`));
      for (const one of keys.slice(0, 40)) await store.put(itemAt(one, { user: { S: 'alice' }, data: { S: '{}' } }));
      const { items, unread } = await store.getMany(keys, ['user']);
      expect(unread).toEqual([]);
      expect(items).toHaveLength(40);
      expect(items.every((item) => item.user?.S === 'alice' && item.data === undefined)).toBe(true);
    });
  });
}
