// SPDX-License-Identifier: Apache-2.0
/** Options of the PHP session store: the handler's defaults, and what cannot work. */
import { createPhpSessionStore } from '../../../lambda/legacy/php/php-session-store';
import { type PhpSessionStoreOptions, resolvePhpStoreOptions } from '../../../lambda/legacy/php/php-store-options';
import { ConfigurationError } from '../../../lambda/settings';

it('has the defaults of the handler', () => {
  expect(resolvePhpStoreOptions({ tableName: 't' })).toEqual({
    sessionName: 'PHPSESSID',
    locking: true,
    consistentRead: true,
    sessionLifetimeSeconds: 1440,
    maxLockWaitSeconds: 10,
    minLockRetryMicroseconds: 10_000,
    maxLockRetryMicroseconds: 50_000,
    lockLeaseSeconds: 60,
    format: 'php',
    names: { hashKey: 'id', dataAttribute: 'data', sessionLifetimeAttribute: 'expires' },
  });
});

it.each<[string, Record<string, unknown>]>([
  ['tableName', { tableName: undefined }],
  ['tableName', { tableName: '' }],
  ['sessionName', { sessionName: '_APP' }],
  ['sessionName', { sessionName: 'a=b' }],
  ['locking', { locking: 'yes' }],
  ['consistentRead', { consistentRead: 1 }],
  ['sessionLifetimeSeconds', { sessionLifetimeSeconds: 0 }],
  ['sessionLifetimeSeconds', { sessionLifetimeSeconds: 1440.5 }],
  ['sessionLifetimeSeconds', { sessionLifetimeSeconds: 401 * 86_400 }],
  ['maxLockWaitSeconds', { maxLockWaitSeconds: -1 }],
  ['minLockRetryMicroseconds', { minLockRetryMicroseconds: 0 }],
  ['minLockRetryMicroseconds', { minLockRetryMicroseconds: 60_000 }],
  ['lockLeaseSeconds', { lockLeaseSeconds: 0 }],
  ['format', { format: 'igbinary' }],
  ['hashKey', { hashKey: 'data' }],
  ['dataAttribute', { dataAttribute: 'lock' }],
  ['sessionLifetimeAttribute', { sessionLifetimeAttribute: '' }],
  ['session_lifetime', { session_lifetime: 60 }],
])('refuses and names %s: %j', (option, options) => {
  const create = () => createPhpSessionStore({ tableName: 't', ...options } as PhpSessionStoreOptions);
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(option);
});
