// SPDX-License-Identifier: Apache-2.0
/** Which items of the PHP handler are sessions of a user, and whose. */
import { phpSessionIdFromCookie, phpSessionKey, requireSessionName } from '../../../lambda/legacy/php/php-session-id';
import { type ReadPhpItemOptions, readPhpItem } from '../../../lambda/legacy/php/read-php-item';
import { ConfigurationError } from '../../../lambda/settings';

const NOW = 1_800_000_000;
const DAY_SECONDS = 86_400;

function item(data: string, expires: unknown = { N: String(NOW + 1440) }): object {
  return { id: { S: 'PHPSESSID_abc' }, expires, data: { S: data } };
}

function read(given: unknown, options: Partial<ReadPhpItemOptions> = {}): unknown {
  const outcome = readPhpItem(given, { now: NOW, userPath: 'user_id', ...options });
  return 'refused' in outcome ? outcome.refused : outcome.session;
}

describe('the user', () => {
  it.each([
    ['user_id|i:42;', '42'],
    ['user_id|i:1234567890123456789;', '1234567890123456789'],
    ['user_id|s:5:"u-123";', 'u-123'],
    ['user_id|i:0;', 'anonymous'],
    ['user_id|i:-1;', 'anonymous'],
    ['user_id|s:1:"0";', 'anonymous'],
    ['user_id|s:0:"";', 'anonymous'],
    ['user_id|s:3:"a b";', 'anonymous'],
    ['user_id|s:2:"é";', 'anonymous'],
    ['user_id|d:1.5;', 'anonymous'],
    ['user_id|N;', 'anonymous'],
    ['user_id|a:1:{i:0;i:42;}', 'anonymous'],
    ['other|i:42;', 'anonymous'],
  ])('%s is %s', (data, user) => {
    expect(read(item(data))).toEqual(user === 'anonymous' ? user : expect.objectContaining({ user }));
  });

  it.each([
    ['Auth.User.id', 'Auth|a:1:{s:4:"User";a:1:{s:2:"id";i:7;}}', '7'],
    [['a.b', 'id'], 'a.b|a:1:{s:2:"id";i:7;}', '7'],
    ['users.0', 'users|a:1:{i:0;s:1:"x";}', 'x'],
    ['users.length', 'users|a:1:{i:0;s:1:"x";}', undefined],
    ['constructor.name', 'a|i:1;', undefined],
    ['user_id.constructor.name', 'user_id|s:1:"x";', undefined],
  ])('is found at %j', (userPath, data, user) => {
    expect(read(item(data), { userPath })).toEqual(
      user === undefined ? 'anonymous' : expect.objectContaining({ user }),
    );
  });
});

describe('what is carried over', () => {
  it('is the data as JSON, whatever PHP had in it', () => {
    const data = 'user_id|i:42;big|i:9223372036854775807;odd|a:2:{i:0;d:INF;i:1;d:NAN;}cart|a:1:{i:7;s:2:"ü";}';

    expect(JSON.parse(JSON.stringify(read(item(data))))).toEqual({
      user: '42',
      createdAt: 0,
      expiresAt: NOW + 1440,
      data: { user_id: 42, big: '9223372036854775807', odd: [null, null], cart: { 7: 'ü' } },
    });
  });

  it('includes the start and the anti-CSRF token where the application keeps them', () => {
    const data = `user_id|i:42;at|i:${NOW - 60};csrf|s:3:"tok";`;

    expect(read(item(data), { createdAtPath: 'at', csrfTokenPath: 'csrf' })).toMatchObject({
      createdAt: NOW - 60,
      csrfToken: 'tok',
    });
  });

  it('leaves out an anti-CSRF token that is no text', () => {
    expect(read(item('user_id|i:42;csrf|i:1;'), { csrfTokenPath: 'csrf' })).not.toHaveProperty('csrfToken');
  });
});

describe('an item without data', () => {
  it('is an empty session, so nobody', () => {
    expect(read({ id: { S: 'a' }, expires: { N: String(NOW + 1) } })).toBe('anonymous');
  });
});

describe('what is refused', () => {
  const valid = 'user_id|i:42;';
  it.each<[string, unknown, Partial<ReadPhpItemOptions>]>([
    ['absent', undefined, {}],
    ['malformed', null, {}],
    ['malformed', 'x', {}],
    ['malformed', [], {}],
    ['malformed', Object.create(item(valid)), {}],
    ['malformed', { id: { S: 'PHPSESSID_abc' }, lock: { N: '1' } }, {}],
    ['expired', item(valid, { N: String(NOW) }), {}],
    ['malformed', item(valid, { N: `${NOW + 1440}.5` }), {}],
    ['malformed', item(valid, { N: String((NOW + 1440) * 1000) }), {}],
    ['malformed', item(valid, { N: String(NOW + 401 * DAY_SECONDS) }), {}],
    ['malformed', { ...item(valid), data: { S: valid, B: 'AA==' } }, {}],
    ['malformed', { ...item(valid), data: { M: {} } }, {}],
    ['trailingBytes', item('a:0:{}x'), { format: 'php_serialize' }],
    ['malformed', item(valid), { format: 'php_serialize' }],
    ['wrongKey', item(valid), { key: 'PHPSESSID_xyz' }],
    ['malformed', item(`${valid}at|i:${NOW + 61};`), { createdAtPath: 'at' }],
    ['malformed', item(`${valid}at|s:1:"1";`), { createdAtPath: 'at' }],
    ['malformed', item(`${valid}end|b:1;`), { expiresAtPath: 'end' }],
    ['expired', item(`${valid}end|i:${NOW};`), { expiresAtPath: 'end' }],
  ])('as %s: %j', (reason, given, options) => {
    expect(read(given, options)).toBe(reason);
  });

  it('ends at the earlier of two ends', () => {
    const data = `${valid}end|i:${NOW + 60};`;

    expect(read(item(data), { expiresAtPath: 'end' })).toMatchObject({ expiresAt: NOW + 60 });
    expect(read(item(valid), { expiresAtPath: 'end' })).toMatchObject({ expiresAt: NOW + 1440 });
  });
});

describe('attribute names', () => {
  it('are those of the handler, each of which may be another', () => {
    const renamed = { pk: { S: 'a' }, until: { N: String(NOW + 1) }, body: { S: 'user_id|i:1;' } };
    const attributeNames = { hashKey: 'pk', dataAttribute: 'body', sessionLifetimeAttribute: 'until' };

    expect(read(renamed, { attributeNames, key: 'a' })).toMatchObject({ user: '1' });
    expect(read(renamed)).toBe('malformed');
  });
});

describe('ids, names and keys', () => {
  const id = 'abcdefghijklmnopqrstuv';
  it.each([
    [id, id],
    [`${id}%2C-`, `${id},-`],
    [`${id}%2c`, `${id},`],
    [`${id},`, `${id},`],
    [`${id}%5F`, undefined],
    [`${id}_`, undefined],
    [id.slice(1), undefined],
    ['a'.repeat(257), undefined],
    [undefined, undefined],
  ])('the cookie %j holds the id %j', (value, expected) => {
    expect(phpSessionIdFromCookie(value)).toBe(expected);
  });

  it.each([
    ['PHPSESSID', 'abc', 'PHPSESSID_abc'],
    ['MY_APP', 'abc', 'MY_APP_abc'],
    ['__Host-sid', 'abc', 'Host-sid_abc'],
    ['', 'abc', 'abc'],
  ])('the key of %j and %j is %j', (name, given, key) => {
    expect(phpSessionKey(name, given)).toBe(key);
  });

  it.each(['_APP', '__Host-sid', '', '12', 'a=b', 'a b', 'a;b', 'é', undefined])(
    'refuses the session name %j',
    (name) => {
      expect(() => requireSessionName('cookieName', name)).toThrow(ConfigurationError);
    },
  );
});
