// SPDX-License-Identifier: Apache-2.0
/** The deployed function: set up from its environment, and what it writes to its log. */

import { embeddedMetricLine } from '../../lambda/authorizer/emf';
import { optionsFromEnvironment } from '../../lambda/authorizer/environment-options';
import { ConfigurationError } from '../../lambda/settings';
import { recordedEvent } from './set-up';

const VARIABLES = {
  SESSIONGATE_TABLE_NAME: 'sessions',
  SESSIONGATE_SETTINGS: JSON.stringify({ idleTimeoutSeconds: 600, userRecordAttribute: 'valid_after' }),
};

describe('the environment', () => {
  it('becomes options, with the settings of the table', () => {
    const read = optionsFromEnvironment({
      ...VARIABLES,
      SESSIONGATE_API_ORIGINS: '["https://api.example.com"]',
      SESSIONGATE_DENY: 'throw',
      SESSIONGATE_ENDPOINT: 'http://127.0.0.1:8000',
    });

    expect(read).toMatchObject({
      table: { tableName: 'sessions', userRecordAttribute: 'valid_after' },
      endpoint: 'http://127.0.0.1:8000',
      options: {
        cookieName: '__Host-session',
        csrf: 'compatible',
        idleTimeoutSeconds: 600,
        renewalIntervalSeconds: 60,
        absoluteTimeoutSeconds: 2_592_000,
        userRecord: { attribute: 'valid_after' },
        apiOrigins: ['https://api.example.com'],
        deny: 'throw',
        cacheSeconds: 0,
      },
    });
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    ['no table name', { SESSIONGATE_TABLE_NAME: undefined }, 'SESSIONGATE_TABLE_NAME'],
    ['an empty table name', { SESSIONGATE_TABLE_NAME: '' }, 'SESSIONGATE_TABLE_NAME'],
    ['no settings', { SESSIONGATE_SETTINGS: undefined }, 'SESSIONGATE_SETTINGS'],
    ['settings that are no JSON', { SESSIONGATE_SETTINGS: '{' }, 'SESSIONGATE_SETTINGS'],
    ['origins that are no list', { SESSIONGATE_API_ORIGINS: '{}' }, 'SESSIONGATE_API_ORIGINS'],
    ['a cache that is no number', { SESSIONGATE_CACHE_SECONDS: 'long' }, 'SESSIONGATE_CACHE_SECONDS'],
    [
      'a laptop setting in Lambda',
      { SESSIONGATE_SETTINGS: '{"insecureLocalhost":true,"cookieName":"session"}', AWS_LAMBDA_FUNCTION_NAME: 'f' },
      'insecureLocalhost',
    ],
  ])('with %s is refused by name', (_, changes, name) => {
    expect(() => optionsFromEnvironment({ ...VARIABLES, ...changes })).toThrow(ConfigurationError);
    expect(() => optionsFromEnvironment({ ...VARIABLES, ...changes })).toThrow(name);
  });
});

/** The module anew, as in a function that just started. */
function freshHandler(): typeof import('../../lambda/authorizer/handler') {
  jest.resetModules();
  return jest.requireActual('../../lambda/authorizer/handler');
}

describe('the handler', () => {
  const before = process.env;
  beforeEach(() => {
    process.env = {
      PATH: before.PATH,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
    };
  });
  afterEach(() => {
    process.env = before;
    jest.restoreAllMocks();
  });

  it('fails every request with its reason while a variable is missing', async () => {
    const log = jest.spyOn(console, 'error').mockImplementation(() => {});
    const { handler } = freshHandler();

    await expect(handler(recordedEvent('rest'))).rejects.toThrow('SESSIONGATE_TABLE_NAME');
    await expect(handler(recordedEvent('rest'))).rejects.toThrow('SESSIONGATE_TABLE_NAME');
    expect(log.mock.calls.flat()).toEqual([
      expect.stringContaining('SESSIONGATE_TABLE_NAME'),
      expect.stringContaining('SESSIONGATE_TABLE_NAME'),
    ]);
  });

  it('writes one metric line for a refusal, with the reason and nothing of the request', async () => {
    Object.assign(process.env, VARIABLES, { SESSIONGATE_SETTINGS: '{}' });
    const log = jest.spyOn(console, 'log').mockImplementation(() => {});
    const errors = jest.spyOn(console, 'error').mockImplementation(() => {});
    const { handler } = freshHandler();
    const event = recordedEvent('http-2.0');
    event.cookies = ['theme=dark'];

    expect(await handler(event)).toMatchObject({ principalId: 'denied' });
    expect(errors).not.toHaveBeenCalled();
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      {
        _aws: {
          Timestamp: expect.any(Number),
          CloudWatchMetrics: [
            { Namespace: 'Sessiongate', Dimensions: [['Reason']], Metrics: [{ Name: 'Denied', Unit: 'Count' }] },
          ],
        },
        Reason: 'cookieMissing',
        Denied: 1,
      },
    ]);
  });

  it('does not log a refusal by Unauthorized as an error', async () => {
    Object.assign(process.env, VARIABLES, { SESSIONGATE_SETTINGS: '{}', SESSIONGATE_DENY: 'throw' });
    jest.spyOn(console, 'log').mockImplementation(() => {});
    const errors = jest.spyOn(console, 'error').mockImplementation(() => {});
    const { handler } = freshHandler();
    const event = recordedEvent('http-2.0');
    event.cookies = [];

    await expect(handler(event)).rejects.toThrow(/^Unauthorized$/);
    expect(errors).not.toHaveBeenCalled();
  });
});

it.each([
  ['storeFault', 'StoreFault'],
  ['renewalFault', 'RenewalFault'],
] as const)('counts a %s by its code', (kind, name) => {
  expect(JSON.parse(embeddedMetricLine({ kind, code: 'ERR_SESSION_STORE_TIMEOUT' }, 1))).toMatchObject({
    Code: 'ERR_SESSION_STORE_TIMEOUT',
    [name]: 1,
  });
});
