// SPDX-License-Identifier: Apache-2.0
/** Wrong options are refused when the authorizer is made, by name. */
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import type { AuthorizerOptions } from '../../lambda/authorizer/options';
import { ConfigurationError } from '../../lambda/settings';

const FULL_READER = {
  readSession: async () => undefined,
  readUserRecord: async () => undefined,
  renewSession: async () => true,
};
const IDLE = { idleTimeoutSeconds: 600, absoluteTimeoutSeconds: 3600 };

function make(options: object, reader: object = FULL_READER): unknown {
  return createAuthorizer({ reader: reader as typeof FULL_READER }, {
    cookieName: '__Host-session',
    ...options,
  } as AuthorizerOptions);
}

it.each<[string, object]>([
  ['nothing but a cookie name', {}],
  ['a cookie name without a prefix', { cookieName: 'session' }],
  ['an idle timeout', IDLE],
  ['a user record', { userRecord: { attribute: 'sessions_valid_after' } }],
  ['a cache without checks that depend on the method', { cacheSeconds: 60, csrf: 'off' }],
  ['options that are undefined', { epoch: undefined, userRecord: undefined, deny: undefined }],
])('%s is enough', (_, options) => {
  expect(() => make(options)).not.toThrow();
});

it.each<[string, object, string]>([
  ['no cookie name', { cookieName: undefined }, 'cookieName'],
  ['a cookie name that could add an attribute', { cookieName: 'a; Domain=x' }, 'cookieName'],
  ['a misspelt prefix', { cookieName: '__host-session' }, 'cookieName'],
  ['an unknown response', { response: 'html' }, 'response'],
  ['an unknown way to say no', { deny: 'ignore' }, 'deny'],
  ['a wildcard origin', { allowedOrigins: ['*'] }, 'allowedOrigins'],
  ['an origin with a path', { allowedOrigins: ['https://app.example.com/'] }, 'allowedOrigins'],
  ['an API origin with a path', { apiOrigins: ['https://api.example.com/x'] }, 'apiOrigins'],
  ['an unknown profile', { csrf: 'lax' }, 'csrf'],
  ['an idle timeout of zero', { ...IDLE, idleTimeoutSeconds: 0 }, 'idleTimeoutSeconds'],
  ['an idle timeout above the absolute one', { ...IDLE, idleTimeoutSeconds: 3601 }, 'idleTimeoutSeconds'],
  ['an idle timeout alone', { idleTimeoutSeconds: 600 }, 'idleTimeoutSeconds'],
  ['a negative timeout', { absoluteTimeoutSeconds: -1 }, 'absoluteTimeoutSeconds'],
  ['a timeout above 400 days', { absoluteTimeoutSeconds: 34_560_001 }, 'absoluteTimeoutSeconds'],
  ['a lifetime above 400 days', { maxLifetimeSeconds: 34_560_001 }, 'maxLifetimeSeconds'],
  ['a lifetime of zero', { maxLifetimeSeconds: 0 }, 'maxLifetimeSeconds'],
  ['an epoch with a separator', { epoch: 'a#b' }, 'epoch'],
  ['a user record without attribute', { userRecord: {} }, 'userRecordAttribute'],
  ['a cache above a minute', { cacheSeconds: 61, csrf: 'off' }, 'cacheSeconds'],
  ['a cache with an origin check', { cacheSeconds: 1 }, 'cacheSeconds'],
  ['a cache with an idle timeout', { cacheSeconds: 1, csrf: 'off', ...IDLE }, 'cacheSeconds'],
  ['a legacy source without a cookie', { legacy: [{ name: 'x', cookieNames: [], verify() {}, read() {} }] }, 'legacy'],
  ['a legacy source that is none', { legacy: [{}] }, 'legacy'],
  ['an option that does not exist', { cookiename: 'x' }, 'cookiename'],
])('%s is refused', (_, options, option) => {
  expect(() => make(options)).toThrow(ConfigurationError);
  expect(() => make(options)).toThrow(option);
});

it.each<[string, object, object, string]>([
  ['cannot read', {}, {}, 'reader'],
  ['cannot renew, with an idle timeout', IDLE, { readSession() {} }, 'idleTimeoutSeconds'],
  [
    'cannot read user records, with a user record',
    { userRecord: { attribute: 'x' } },
    { readSession() {} },
    'userRecord',
  ],
])('a reader that %s is refused', (_, options, reader, option) => {
  expect(() => make(options, reader)).toThrow(option);
});
