// SPDX-License-Identifier: Apache-2.0
/** What every function that reads older systems refuses at the start: options that it does not know, and paths that lead nowhere. */
import {
  createCookieSessionSource,
  createDynamoDbExpressStore,
  createExpressSessionSource,
  createPhpSessionSource,
  createPhpSessionStore,
  createPhpTable,
  createSecrets,
  createSignedSessionSource,
  createSignedSessions,
} from '../../lambda/legacy';
import { ConfigurationError } from '../../lambda/settings';

const NONE = async () => undefined;
const FACTORIES: Record<string, (options: object) => unknown> = {
  createExpressSessionSource: (options) =>
    createExpressSessionSource({ store: { read: NONE, end: NONE }, secrets: ['s'], ...options }),
  createCookieSessionSource: (options) => createCookieSessionSource({ keys: ['k'], acceptUntil: 2e9, ...options }),
  createSignedSessionSource: (options) => createSignedSessionSource({ keys: ['k'], ...options }),
  createPhpSessionSource: (options) =>
    createPhpSessionSource({ table: { get: NONE, delete: NONE }, userPath: 'user_id', ...options }),
  createDynamoDbExpressStore: (options) =>
    createDynamoDbExpressStore({ tableName: 'old', package: 'connect-dynamodb', ...options }),
  createPhpTable: (options) => createPhpTable({ tableName: 'old', ...options }),
  createPhpSessionStore: (options) => createPhpSessionStore({ tableName: 'old', ...options }),
  createSignedSessions: (options) => createSignedSessions({ keys: ['k'], ...options }),
  createSecrets: (options) => createSecrets({ load: async () => ['k'], ...options }),
};

function refusal(factory: string, options: object): string {
  try {
    FACTORIES[factory]?.(options);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  throw new Error('a refusal was expected');
}

describe.each(Object.keys(FACTORIES))('%s', (factory) => {
  it('takes what it knows', () => {
    expect(() => FACTORIES[factory]?.({})).not.toThrow();
  });

  it('refuses what it does not know, and lists what it does', () => {
    expect(refusal(factory, { acceptUntill: 1 })).toMatch(/^acceptUntill must be one of the options: \w+(, \w+)+$/);
  });
});

it.each([createExpressSessionSource, createPhpTable, createSignedSessions, createSecrets])(
  '$name wants options',
  (create) => {
    expect(() => create(undefined as never)).toThrow(/^options must be an object with /);
  },
);

it.each([
  'createExpressSessionSource',
  'createCookieSessionSource',
  'createSignedSessionSource',
  'createPhpSessionSource',
  'createSignedSessions',
])('%s says what the older system calls name', (factory) => {
  expect(refusal(factory, { name: 'sid' })).toMatch(/^name must be .*\(the cookie's name is cookieName\)/);
});

describe.each(['createExpressSessionSource', 'createCookieSessionSource', 'createPhpSessionSource'])(
  'the cut-off date of %s',
  (factory) => {
    it.each([0, -1, 999_999_999, 1e11, 1.8e9 + 0.5, Number.NaN, '1800000000', null, new Date(1.8e12)])(
      'must not be %p',
      (acceptUntil) => {
        expect(refusal(factory, { acceptUntil })).toMatch(/^acceptUntil must be a time in whole Unix seconds/);
      },
    );

    it.each([1e9, 1.8e9])('may be %d', (acceptUntil) => {
      expect(() => FACTORIES[factory]?.({ acceptUntil })).not.toThrow();
    });
  },
);

describe.each(['createExpressSessionSource', 'createCookieSessionSource', 'createPhpSessionSource'])(
  'a path of %s',
  (factory) => {
    const options = ['userPath', 'createdAtPath', 'csrfTokenPath'];
    if (factory === 'createPhpSessionSource') options.push('expiresAtPath');
    if (factory === 'createCookieSessionSource') options.push('loginIdPath');
    const wrong = ['', 'a..b', '.a', 'a.', [], [''], ['a', 1], null, 1];
    it.each(options.flatMap((option) => wrong.map((path) => [option, path] as const)))(
      '%s must not be %j',
      (option, path) => {
        expect(refusal(factory, { [option]: path })).toMatch(new RegExp(`^${option} must say where the data holds it`));
      },
    );

    it.each(['a', 'a.b', ['a.b'], ['a', 'b']])('may be %j', (userPath) => {
      expect(() => FACTORIES[factory]?.({ userPath })).not.toThrow();
    });
  },
);
