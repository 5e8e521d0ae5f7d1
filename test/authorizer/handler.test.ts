// SPDX-License-Identifier: Apache-2.0
/** The deployed function: set up from its environment, and what it writes to its log. */

import { readDeployedSettings } from '../../lambda/authorizer/deployed-settings';
import { embeddedMetricLine } from '../../lambda/authorizer/emf';
import { ConfigurationError, resolveSettings } from '../../lambda/settings';
import { recordedEvent } from './set-up';

/** As the constructs write them: every default filled in. */
const SETTINGS = resolveSettings({ idleTimeoutSeconds: 600, userRecordAttribute: 'valid_after' });
const VARIABLES = {
  SESSIONGATE_TABLE_NAME: 'sessions',
  SESSIONGATE_SETTINGS: JSON.stringify(SETTINGS),
};

describe('the environment', () => {
  it('becomes settings of the authorizer', () => {
    const read = readDeployedSettings({
      ...VARIABLES,
      SESSIONGATE_API_ORIGINS: '["https://api.example.com"]',
      SESSIONGATE_DENY: 'throw',
      SESSIONGATE_ENDPOINT: 'http://127.0.0.1:8000',
    });

    expect(read).toMatchObject({
      table: { tableName: 'sessions', attributeNames: { partitionKey: 'PK' }, userRecordAttribute: 'valid_after' },
      endpoint: 'http://127.0.0.1:8000',
      settings: {
        cookieName: '__Host-session',
        csrf: 'compatible',
        idleTimeout: { idleTimeoutSeconds: 600, renewalIntervalSeconds: 60, absoluteTimeoutSeconds: 2_592_000 },
        userRecordAttribute: 'valid_after',
        apiOrigins: ['https://api.example.com'],
        isThrowing: true,
        isSimple: false,
      },
    });
  });

  it('without an idle timeout becomes settings without renewal', () => {
    const { settings } = readDeployedSettings({
      ...VARIABLES,
      SESSIONGATE_SETTINGS: JSON.stringify(resolveSettings()),
    });

    expect(settings).toMatchObject({ idleTimeout: undefined, apiOrigins: undefined, isThrowing: false });
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    ['no table name', { SESSIONGATE_TABLE_NAME: undefined }, 'SESSIONGATE_TABLE_NAME'],
    ['an empty table name', { SESSIONGATE_TABLE_NAME: '' }, 'SESSIONGATE_TABLE_NAME'],
    ['no settings', { SESSIONGATE_SETTINGS: undefined }, 'SESSIONGATE_SETTINGS'],
    ['settings that are no JSON', { SESSIONGATE_SETTINGS: '{' }, 'SESSIONGATE_SETTINGS'],
    ['settings that are not whole', { SESSIONGATE_SETTINGS: '{"csrf":"off"}' }, 'cookieName'],
    ['origins that are no JSON', { SESSIONGATE_API_ORIGINS: 'https://api.example.com' }, 'SESSIONGATE_API_ORIGINS'],
    [
      'a laptop setting in Lambda',
      {
        SESSIONGATE_SETTINGS: JSON.stringify({ ...SETTINGS, insecureLocalhost: true, cookieName: 'session' }),
        AWS_LAMBDA_FUNCTION_NAME: 'f',
      },
      'insecureLocalhost',
    ],
  ])('with %s is refused by name', (_, changes, name) => {
    expect(() => readDeployedSettings({ ...VARIABLES, ...changes })).toThrow(ConfigurationError);
    expect(() => readDeployedSettings({ ...VARIABLES, ...changes })).toThrow(name);
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
    Object.assign(process.env, VARIABLES);
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
            {
              Namespace: 'Sessiongate',
              Dimensions: [['FunctionName'], ['FunctionName', 'Reason']],
              Metrics: [{ Name: 'Denied', Unit: 'Count' }],
            },
          ],
        },
        FunctionName: 'local',
        Reason: 'cookieMissing',
        Denied: 1,
      },
    ]);
  });

  it('does not log a refusal by Unauthorized as an error', async () => {
    Object.assign(process.env, VARIABLES, { SESSIONGATE_DENY: 'throw' });
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
  expect(JSON.parse(embeddedMetricLine({ kind, code: 'ERR_SESSION_STORE_TIMEOUT' }, 1, 'authorizer'))).toMatchObject({
    FunctionName: 'authorizer',
    Code: 'ERR_SESSION_STORE_TIMEOUT',
    [name]: 1,
  });
});
