// SPDX-License-Identifier: Apache-2.0
/** One contract for both readers, on the embedded emulator, and a comparison of the two and the store's own read. */

import fc from 'fast-check';
import { createDirectSessionReader } from '../../lambda/authorizer/direct-reader/direct-session-reader';
import type { DeployedReader } from '../../lambda/authorizer/reader';
import { createSdkSessionReader } from '../../lambda/authorizer/sdk-session-reader';
import type { SessionRenewal } from '../../lambda/session/renewal';
import type { Item } from '../../lambda/session/store';
import type { AttributeNames } from '../../lambda/settings';
import { CLIENT_DEFAULTS, type EmulatedTable, startEmulatedTable } from '../session/emulated-table';

const NAMES: AttributeNames = { partitionKey: 'pk', sortKey: 'sk', expiresAt: 'ttl' };
const NOW = 1_800_000_000;
/** Nothing here may fail because the machine is busy. */
const PATIENT_MILLIS = 20_000;

let table: EmulatedTable;
const readers: Record<string, DeployedReader> = {};

beforeAll(async () => {
  table = await startEmulatedTable(NAMES);
  const { endpoint } = table.emulator;
  const address = { tableName: 'sessions', attributeNames: NAMES, userRecordAttribute: 'valid_after', endpoint };
  readers.direct = createDirectSessionReader({
    ...address,
    variables: { AWS_REGION: CLIENT_DEFAULTS.region, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    limits: { connectMillis: PATIENT_MILLIS, attemptMillis: PATIENT_MILLIS },
  });
  readers.sdk = createSdkSessionReader({
    ...address,
    client: {
      ...CLIENT_DEFAULTS,
      requestHandler: { connectionTimeout: PATIENT_MILLIS, requestTimeout: PATIENT_MILLIS },
    },
  });
});
afterAll(() => table.close());

let nextKey = 0;

async function putSession(attributes: Record<string, unknown>): Promise<string> {
  const partitionKey = `S#${nextKey++}`;
  await table.store.put({ pk: { S: partitionKey }, sk: { S: 'S#' }, ...attributes } as Item);
  return partitionKey;
}

function read(partitionKey: string): Promise<Item | undefined> {
  return table.store.get({ partitionKey, sortKey: 'S#' });
}

describe.each(['direct', 'sdk'])('the %s reader', (name) => {
  const reader = () => readers[name] as DeployedReader;

  it('finds nothing under a key that nobody wrote', async () => {
    expect(await reader().readSession('S#nobody')).toBeUndefined();
  });

  it('finds a session without its data, by one consistent read of one unit', async () => {
    const partitionKey = await putSession({
      type: { S: 'session' },
      ttl: { N: '1800000100' },
      created_at: { N: '1799999000' },
      claims: { M: { role: { S: 'admin' }, level: { N: '3' }, beta: { BOOL: true } } },
      data: { S: 'x'.repeat(2000) },
      revoked: { NULL: true },
    });
    table.emulator.resetCounts();

    expect(await reader().readSession(partitionKey)).toEqual({
      pk: { S: partitionKey },
      sk: { S: 'S#' },
      type: { S: 'session' },
      ttl: { N: '1800000100' },
      created_at: { N: '1799999000' },
      claims: { M: { role: { S: 'admin' }, level: { N: '3' }, beta: { BOOL: true } } },
      revoked: { NULL: true },
    });
    // An eventually consistent read would have cost half.
    expect(table.emulator.counts()).toMatchObject({ requests: 1, readUnits: 1, writeUnits: 0 });
  });

  it('reads the line of a user record, and tells a record without one from none', async () => {
    const key = { partitionKey: `U#${name}`, sortKey: 'PROFILE' };
    expect(await reader().readUserRecord(key)).toBeUndefined();

    await table.store.put({ pk: { S: key.partitionKey }, sk: { S: 'PROFILE' }, other: { S: 'x' } });
    expect(await reader().readUserRecord(key)).toEqual({ pk: { S: key.partitionKey } });

    await table.store.update(key, { set: { valid_after: { N: '5' } } }, [{ attribute: 'other', is: 'present' }]);
    expect(await reader().readUserRecord(key)).toEqual({ pk: { S: key.partitionKey }, valid_after: { N: '5' } });
  });

  const ALIVE = { type: { S: 'session' }, ttl: { N: String(NOW + 100) }, data: { S: '{}' } };
  const FIRST: SessionRenewal = { expiresAt: NOW + 500, renewedAt: NOW };
  const LATER: SessionRenewal = { ...FIRST, previousRenewedAt: NOW - 50 };

  it.each<[string, object, SessionRenewal, boolean]>([
    ['alive and never renewed', ALIVE, FIRST, true],
    ['alive and renewed when it was read', { ...ALIVE, renewed_at: { N: String(NOW - 50) } }, LATER, true],
    ['renewed since', { ...ALIVE, renewed_at: { N: String(NOW - 1) } }, LATER, false],
    ['renewed for the first time since', { ...ALIVE, renewed_at: { N: String(NOW - 1) } }, FIRST, false],
    ['not renewed, but was when it was read', ALIVE, LATER, false],
    ['revoked', { ...ALIVE, revoked: { N: '1' } }, FIRST, false],
    ['of another type', { ...ALIVE, type: { S: 'reset' } }, FIRST, false],
    ['of no type', { ttl: ALIVE.ttl }, FIRST, false],
    ['expired', { ...ALIVE, ttl: { N: String(NOW - 1) } }, FIRST, false],
    ['about to expire', { ...ALIVE, ttl: { N: String(NOW + 5) } }, FIRST, false],
    ['not quite about to expire', { ...ALIVE, ttl: { N: String(NOW + 6) } }, FIRST, true],
    ['ending later than it would', { ...ALIVE, ttl: { N: String(NOW + 501) } }, FIRST, false],
    ['ending when it would', { ...ALIVE, ttl: { N: String(NOW + 500) } }, FIRST, false],
    ['without an end', { type: ALIVE.type }, FIRST, false],
  ])('renews a session only as it may: %s', async (_, attributes, renewal, isRenewed) => {
    const partitionKey = await putSession(attributes as Record<string, unknown>);
    const before = await read(partitionKey);

    expect(await reader().renewSession(partitionKey, renewal)).toBe(isRenewed);

    const slide = { ttl: { N: String(NOW + 500) }, renewed_at: { N: String(NOW) } };
    expect(await read(partitionKey)).toEqual(isRenewed ? { ...before, ...slide } : before);
  });

  it('creates nothing by renewing what is gone', async () => {
    expect(await reader().renewSession('S#gone', FIRST)).toBe(false);
    expect(await read('S#gone')).toBeUndefined();
  });

  it('says which table does not exist', async () => {
    const { endpoint } = table.emulator;
    const address = { tableName: 'elsewhere', attributeNames: NAMES, endpoint };
    const wrong =
      name === 'direct'
        ? createDirectSessionReader({
            ...address,
            variables: { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
          })
        : createSdkSessionReader({ ...address, client: CLIENT_DEFAULTS });

    await expect(wrong.readSession('S#x')).rejects.toMatchObject({
      name: 'SessionStoreError',
      code: 'ERR_SESSION_STORE_NOT_FOUND',
      message: expect.stringContaining('elsewhere'),
    });
  });
});

describe('the sdk reader for authorizers of your own', () => {
  it('asks for the default attributes unless others are named', async () => {
    const defaults = await startEmulatedTable();
    await defaults.store.put({ PK: { S: 'S#1' }, SK: { S: 'S#' }, type: { S: 'session' } });
    const { endpoint } = defaults.emulator;
    const reader = createSdkSessionReader({ tableName: 'sessions', endpoint, client: CLIENT_DEFAULTS });

    expect(await reader.readSession('S#1')).toMatchObject({ type: { S: 'session' } });
    await expect(reader.readUserRecord({ partitionKey: 'U#1', sortKey: 'U#' })).rejects.toThrow(
      /^userRecordAttribute must be given to the reader/,
    );
    await defaults.close();
  });

  it.each([
    ['tableName', { tableName: '' }],
    ['tableName', {}],
    ['attributeNames.sortkey', { tableName: 'sessions', attributeNames: { sortkey: 'sk' } }],
    ['userRecordAttribute', { tableName: 'sessions', userRecordAttribute: '' }],
  ])('refuses a %s that cannot work', (option, options) => {
    expect(() => createSdkSessionReader(options as never)).toThrow(new RegExp(`^${option} must`));
  });
});

const scalar = fc.oneof(
  fc.record({ S: fc.string({ unit: 'grapheme', maxLength: 30 }) }),
  fc.record({ N: fc.integer().map(String) }),
  fc.record({ BOOL: fc.boolean() }),
  fc.constant({ NULL: true }),
);
const value = fc.oneof(
  scalar,
  // The SDK cannot write a map with a key called __proto__.
  fc.record({ M: fc.dictionary(fc.stringMatching(/^[a-z][a-z_]{0,11}$/), scalar, { maxKeys: 4 }) }),
  fc.record({ L: fc.array(scalar, { maxLength: 3 }) }),
);
const attribute = fc.constantFrom(
  ...['type', 'created_at', 'issued_at', 'renewed_at', 'claims', 'revoked', 'ttl', 'version', 'data', 'device'],
);

it('reads whatever is stored like the SDK does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(attribute, value, { maxKeys: 8 }), async (attributes) => {
      const partitionKey = await putSession(attributes);
      const [direct, sdk] = await Promise.all([
        readers.direct?.readSession(partitionKey),
        readers.sdk?.readSession(partitionKey),
      ]);
      expect(direct).toEqual(sdk);
      const { data: _, device: __, ...stored } = (await read(partitionKey)) ?? {};
      expect(new Set(Object.keys(direct ?? {}))).toEqual(new Set(Object.keys(stored)));
    }),
    { numRuns: 100 },
  );
});
