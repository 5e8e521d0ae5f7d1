// SPDX-License-Identifier: Apache-2.0
/** Secrets are loaded once, kept, refreshed, and never taken for what they are not; the services are asked over HTTP. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CreateSecretsOptions, createSecrets } from '../../lambda/legacy/create-secrets';
import { SessionStoreError } from '../../lambda/session/errors';
import { ConfigurationError } from '../../lambda/settings';

const NOW_MILLIS = 1_800_000_000_000;

function over(load: () => Promise<readonly string[]>) {
  const clock = { millis: NOW_MILLIS };
  const calls = { count: 0 };
  const secrets = createSecrets({
    refreshSeconds: 60,
    nowMillis: () => clock.millis,
    load: () => {
      calls.count++;
      return load();
    },
  });
  return { secrets, clock, calls };
}

afterEach(() => jest.restoreAllMocks());

describe('secrets that are loaded', () => {
  it('are loaded once for requests that come together, and kept', async () => {
    const { secrets, clock, calls } = over(async () => ['new', 'old']);
    await Promise.all([secrets.prepare(), secrets.prepare()]);
    clock.millis += 59_999;
    await secrets.prepare();

    expect(secrets.current()).toEqual(['new', 'old']);
    expect(calls.count).toBe(1);
  });

  it('are loaded again once they are stale', async () => {
    const versions = [['old'], ['new', 'old']];
    const { secrets, clock } = over(async () => versions.shift() ?? []);
    await secrets.prepare();
    clock.millis += 60_000;
    await secrets.prepare();

    expect(secrets.current()).toEqual(['new', 'old']);
  });

  it.each([
    ['the service fails', () => Promise.reject(new Error('down'))],
    ['none are left', async () => []],
  ])('stay in force when %s at a refresh, which is tried again', async (_, failing) => {
    jest.spyOn(console, 'error').mockImplementation(() => {});
    let load: () => Promise<readonly string[]> = async () => ['old'];
    const { secrets, clock, calls } = over(() => load());
    await secrets.prepare();
    load = failing;
    clock.millis += 60_000;
    await secrets.prepare();
    await secrets.prepare();
    expect(secrets.current()).toEqual(['old']);
    expect(calls.count).toBe(2);

    load = async () => ['new'];
    clock.millis += 30_000;
    await secrets.prepare();
    expect(secrets.current()).toEqual(['new']);
  });

  it('are a fault of the store while there are none, and are asked for again two seconds later', async () => {
    let load: () => Promise<readonly string[]> = () => Promise.reject(new Error('down'));
    const { secrets, clock, calls } = over(() => load());
    await expect(secrets.prepare()).rejects.toThrow(SessionStoreError);
    expect(() => secrets.current()).toThrow(ConfigurationError);

    load = async () => ['key'];
    clock.millis += 1_999;
    await expect(secrets.prepare()).rejects.toThrow(SessionStoreError);
    expect(calls.count).toBe(1);
    clock.millis += 1;
    await secrets.prepare();
    expect(secrets.current()).toEqual(['key']);
  });

  it.each([
    [[], 'at least one secret'],
    [[''], 'non-empty strings only'],
    [['key', ''], 'non-empty strings only'],
    [[' \t\n'], 'non-empty strings only'],
    ['key', 'be a list of secrets'],
    [undefined, 'be a list of secrets'],
  ])('must not be %j', async (loaded, message) => {
    const { secrets } = over(async () => loaded as readonly string[]);

    await expect(secrets.prepare()).rejects.toThrow(ConfigurationError);
    await expect(secrets.prepare()).rejects.toThrow(new RegExp(`^what load returns must .*${message}`));
  });
});

it.each([
  [{}, 'one of the three'],
  [{ secretId: 'a', parameterName: 'b' }, 'one of the three'],
  [{ secretId: '' }, 'secretId must not be empty'],
  [{ load: ['key'] as never }, 'load must be a function that returns the keys'],
  [{ secretId: 'a', refreshSeconds: 0 }, 'refreshSeconds must be'],
  [{ secretID: 'a' }, 'secretID must be one of the options: secretId, parameterName, load, refreshSeconds, nowMillis'],
])('refuses the options %j', (options, message) => {
  expect(() => createSecrets(options as CreateSecretsOptions)).toThrow(message);
});

describe('Secrets Manager and Parameter Store', () => {
  const VARIABLES = ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;
  const before = { ...process.env };
  const asked: { target: unknown; body: unknown }[] = [];
  let server: Server;
  let stored = '';

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        asked.push({ target: request.headers['x-amz-target'], body: JSON.parse(body) });
        response.setHeader('Content-Type', 'application/x-amz-json-1.1');
        response.end(JSON.stringify({ SecretString: stored, Parameter: { Value: stored } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const name of VARIABLES) process.env[name] = 'local';
    process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = endpoint;
    process.env.AWS_ENDPOINT_URL_SSM = endpoint;
  });
  afterAll(async () => {
    process.env = before;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => asked.splice(0));

  it('are asked for one secret', async () => {
    stored = '["new","old"]';
    const secrets = createSecrets({ secretId: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:express' });
    await secrets.prepare();

    expect(secrets.current()).toEqual(['new', 'old']);
    expect(asked).toEqual([
      {
        target: 'secretsmanager.GetSecretValue',
        body: { SecretId: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:express' },
      },
    ]);
  });

  it('are asked for one parameter, decrypted', async () => {
    stored = 'the only key';
    const secrets = createSecrets({ parameterName: '/old/keys' });
    await secrets.prepare();

    expect(secrets.current()).toEqual(['the only key']);
    expect(asked).toEqual([{ target: 'AmazonSSM.GetParameter', body: { Name: '/old/keys', WithDecryption: true } }]);
  });

  it.each([
    ['the key', 'the key'],
    ['the key\n', 'the key'],
    ['the key\r\n', 'the key'],
    ['the key\n\n', 'the key\n'],
    [' the key ', ' the key '],
    ['["the key\\n"]\n', 'the key\n'],
  ])('may hold %j: one line break at the end is none of the key', async (text, key) => {
    stored = text;
    const secrets = createSecrets({ secretId: 'express' });
    await secrets.prepare();

    expect(secrets.current()).toEqual([key]);
  });

  it('are named in the log when they cannot be refreshed, and what they hold is not', async () => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => {});
    let nowMillis = NOW_MILLIS;
    stored = '["key-1"]';
    const secrets = createSecrets({ parameterName: '/old/keys', refreshSeconds: 60, nowMillis: () => nowMillis });
    await secrets.prepare();
    stored = '{"secret":"key-2"}';
    nowMillis += 60_000;
    await secrets.prepare();

    expect(secrets.current()).toEqual(['key-1']);
    expect(logged.mock.calls).toEqual([
      [
        'keys could not be refreshed: what parameterName /old/keys holds must be one key as text, or a JSON array of keys',
      ],
    ]);
  });

  it.each([
    ['{"secret":"key-1"}', 'one key as text, or a JSON array of keys'],
    ['["key-1', 'one key as text, or a JSON array of keys'],
    ['[]', 'at least one secret'],
    ['["key-1",1]', 'non-empty strings only'],
    ['', 'non-empty strings only'],
    ['\r\n', 'non-empty strings only'],
    [' \n', 'non-empty strings only'],
  ])('must not hold %j', async (text, message) => {
    stored = text;
    const failure = await createSecrets({ secretId: 'express' })
      .prepare()
      .catch((error) => error);

    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(String(failure)).toMatch(new RegExp(`what secretId express holds must .*${message}`));
    expect(String(failure)).not.toContain('key-1');
  });
});

describe.each([
  ['MODULE_NOT_FOUND', ConfigurationError, /^parameterName needs the package @aws-sdk\/client-ssm: install it/],
  [
    'ERR_OTHER',
    SessionStoreError,
    /^the secrets of parameterName \/old\/keys could not be loaded \(Error\); check name and region/,
  ],
])('a client that fails to load with %s', (code, kind, message) => {
  beforeAll(() => {
    jest.doMock('@aws-sdk/client-ssm', () => {
      throw Object.assign(new Error('no client'), { code });
    });
  });
  afterAll(() => jest.dontMock('@aws-sdk/client-ssm'));

  it('says so', async () => {
    jest.resetModules();
    const secrets = createSecrets({ parameterName: '/old/keys' });

    await expect(secrets.prepare()).rejects.toThrow(kind);
    await expect(secrets.prepare()).rejects.toThrow(message);
  });
});
