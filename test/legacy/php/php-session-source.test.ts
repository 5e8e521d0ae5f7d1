// SPDX-License-Identifier: Apache-2.0
/** PHP sessions as a source to move in from: which cookies count, which items, and what is asked of the table. */
import { createPhpSessionSource, type PhpSessionSourceOptions } from '../../../lambda/legacy/php/php-session-source';
import { SessionStoreError } from '../../../lambda/session/errors';
import type { Item } from '../../../lambda/session/store';
import { ConfigurationError } from '../../../lambda/settings';

const NOW = 1_800_000_000;
const ID = 'abcdefghijklmnopqrstuv';

function sourceOver(items: Record<string, Item>, options: Partial<PhpSessionSourceOptions> = {}) {
  const calls: string[] = [];
  const source = createPhpSessionSource({
    userPath: 'user_id',
    table: {
      async get(key) {
        calls.push(`get ${key}`);
        return items[key];
      },
      async delete(key) {
        calls.push(`delete ${key}`);
      },
    },
    ...options,
  });
  return { source, calls };
}

function item(name = 'PHPSESSID', data = 'user_id|i:42;'): Record<string, Item> {
  const key = `${name}_${ID}`;
  return { [key]: { id: { S: key }, expires: { N: String(NOW + 600) }, data: { S: data } } };
}

describe('the cookie', () => {
  it.each([
    [{ PHPSESSID: ID }, ID],
    [{ PHPSESSID: `${ID}%2C-` }, `${ID},-`],
    [{ PHPSESSID: `${ID}_` }, undefined],
    [{ PHPSESSID: '' }, undefined],
    [{ other: ID }, undefined],
    [{}, undefined],
  ])('of %j gives the id %j, without a read', (cookies, id) => {
    const { source, calls } = sourceOver({});

    expect(source.verify(cookies, NOW)).toBe(id);
    expect(calls).toEqual([]);
  });

  it('is refused from the cut-off date on', () => {
    const { source } = sourceOver({}, { acceptUntil: NOW });

    expect(source.acceptUntil).toBe(NOW);
    expect(source.verify({ PHPSESSID: ID }, NOW - 1)).toBe(ID);
    expect(source.verify({ PHPSESSID: ID }, NOW)).toBeUndefined();
  });

  it('is cleared with the path and domain it was set with', () => {
    const { source } = sourceOver({}, { cookieName: 'MY_APP', cookieDomain: 'example.com' });

    expect(source.cookieNames).toEqual(['MY_APP']);
    expect(source.clearCookies).toEqual([expect.stringMatching(/^MY_APP=; Path=\/; Domain=example\.com; .*Max-Age=0/)]);
  });
});

describe('the session', () => {
  it('is read under the key of the handler', async () => {
    const { source, calls } = sourceOver(item('MY_APP'), { cookieName: 'MY_APP' });

    expect(await source.read(ID, NOW)).toMatchObject({ user: '42', createdAt: 0, expiresAt: NOW + 600 });
    expect(calls).toEqual([`get MY_APP_${ID}`]);
  });

  it('is read under the name without underscores where the cookie’s name begins with them', async () => {
    const { source } = sourceOver(item('Host-app'), { cookieName: '__Host-app', sessionName: 'Host-app' });

    expect(await source.read(ID, NOW)).toMatchObject({ user: '42' });
  });

  it('is none where the table answers with another item', async () => {
    const { source } = sourceOver({ [`PHPSESSID_${ID}`]: Object.values(item('OTHER'))[0] ?? {} });

    expect(await source.read(ID, NOW)).toEqual({ refused: 'malformed' });
  });

  it.each([
    ['absent', {}, 'absent'],
    ['without a user', item('PHPSESSID', 'a|i:1;'), 'anonymous'],
    ['with an object', item('PHPSESSID', 'user_id|i:42;o|O:8:"stdClass":0:{}'), 'malformed'],
  ])('%s is none', async (_, items, refused) => {
    expect(await sourceOver(items).source.read(ID, NOW)).toEqual({ refused });
  });

  it('fails where the table fails', async () => {
    const table = { get: () => Promise.reject(new SessionStoreError('down')), delete: async () => {} };

    await expect(sourceOver({}, { table }).source.read(ID, NOW)).rejects.toThrow(SessionStoreError);
  });

  it('fails without a word of the id where the table or the line’s own reader fails', async () => {
    const fault = () => Promise.reject(new Error(`no answer for PHPSESSID_${ID}`));
    const broken = { get: fault, delete: fault };

    for (const fails of [
      () => sourceOver({}, { table: broken }).source.read(ID, NOW),
      () => sourceOver({}, { table: broken }).source.end(ID),
      () => sourceOver(item(), { sessionsValidAfter: fault }).source.read(ID, NOW),
    ]) {
      const failure = await fails().then(() => undefined, String);
      expect(failure).toBe('SessionStoreError: the store of the older sessions failed');
    }
  });

  it('is deleted under its key', async () => {
    const { source, calls } = sourceOver({});
    await source.end(ID);

    expect(calls).toEqual([`delete PHPSESSID_${ID}`]);
  });
});

describe('a "sessions valid after" line', () => {
  const data = `user_id|i:42;at|i:${NOW - 100};`;
  it.each<[string, number | undefined, boolean, boolean]>([
    ['none', undefined, true, true],
    ['before the login', NOW - 101, true, true],
    ['in the second of the login', NOW - 100, true, false],
    ['after the login', NOW - 99, true, false],
    ['none, start unknown', undefined, false, true],
    ['at all, start unknown', 1, false, false],
    ['of 0, start unknown', 0, false, false],
  ])('%s', async (_, line, isStartKnown, isAlive) => {
    const { source } = sourceOver(item('PHPSESSID', data), {
      sessionsValidAfter: async (user) => (user === '42' ? line : undefined),
      ...(isStartKnown ? { createdAtPath: 'at' } : {}),
    });

    expect(await source.read(ID, NOW)).toMatchObject(isAlive ? { user: '42' } : { refused: 'beforeLine' });
  });
});

it.each<[string, Partial<PhpSessionSourceOptions>]>([
  ['cookieName', { cookieName: '_APP' }],
  ['cookieName', { cookieName: 'a b' }],
  ['sessionName', { cookieName: '_APP', sessionName: '_APP' }],
  ['userPath', { userPath: '' }],
  ['userPath', { userPath: [] }],
  ['format', { format: 'wddx' as never }],
  ['acceptUntil', { acceptUntil: 1.5 }],
  ['sourceName', { sourceName: 'P H P' }],
])('refuses and names %s: %j', (option, options) => {
  expect(() => sourceOver({}, options)).toThrow(ConfigurationError);
  expect(() => sourceOver({}, options)).toThrow(option);
});
