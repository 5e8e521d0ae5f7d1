// SPDX-License-Identifier: Apache-2.0
/** The connection to DynamoDB is kept, replaced when it is dead, and checked. */
import { type AddressInfo, createServer } from 'node:net';
import { generate } from 'selfsigned';
import { createDirectSessionReader } from '../../../lambda/authorizer/direct-reader/direct-session-reader';
import { SessionStoreError } from '../../../lambda/session/errors';
import { DEFAULT_ATTRIBUTE_NAMES } from '../../../lambda/settings';
import { answer, type Behaviour, hang, reset, startFaultServer } from './fault-server';
import { addressOf, closeServers, ITEM, readerAt, VARIABLES } from './reader-at';

afterEach(closeServers);

describe('a connection', () => {
  it('is kept for the next request', async () => {
    const { reader, server } = await readerAt([answer(200, { Item: ITEM })]);

    for (let request = 0; request < 5; request++) await reader.readSession('S#x');
    expect(server.connections()).toBe(1);
  });

  it('that was closed while it was idle costs nothing but a new one', async () => {
    const closeAfterwards: Behaviour = (exchange) => {
      answer(200, { Item: ITEM })(exchange);
      exchange.response.on('finish', () => exchange.socket.destroy());
    };
    const { reader, server } = await readerAt([closeAfterwards, answer(200, { Item: ITEM })]);

    await reader.readSession('S#x');
    expect(await reader.readSession('S#x')).toEqual(ITEM);
    expect(server.connections()).toBe(2);
  });

  it('that dies as the next request is sent is replaced at once', async () => {
    const { reader, server } = await readerAt([answer(200, { Item: ITEM }), reset, answer(200, { Item: ITEM })]);

    await reader.readSession('S#x');
    expect(await reader.readSession('S#x')).toEqual(ITEM);
    expect(server.requests).toHaveLength(3);
    expect(server.connections()).toBe(2);
  });

  it('that swallows the request is given up for a fresh one', async () => {
    const swallowOnTheFirst: Behaviour = (exchange) => {
      if (exchange.connection === 2) answer(200, { Item: ITEM })(exchange);
    };
    const { reader, server } = await readerAt([answer(200, { Item: ITEM }), swallowOnTheFirst], {
      limits: { connectMillis: 10_000, attemptMillis: 3000 },
    });

    await reader.readSession('S#x');
    expect(await reader.readSession('S#x')).toEqual(ITEM);
    expect(server.connections()).toBe(2);
  });

  it('that nobody accepts is an error', async () => {
    const { reader, server } = await readerAt([hang]);
    await server.close();

    await expect(reader.readSession('S#x')).rejects.toMatchObject({ code: 'ERR_SESSION_STORE', isRetryable: true });
  });

  it('whose TLS handshake hangs is a timeout of its own', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const reader = createDirectSessionReader({
      tableName: 'sessions',
      attributeNames: DEFAULT_ATTRIBUTE_NAMES,
      endpoint: `https://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      variables: VARIABLES,
      limits: { connectMillis: 100, attemptMillis: 60_000 },
    });

    await expect(reader.readSession('S#x')).rejects.toMatchObject({ code: 'ERR_SESSION_STORE_TIMEOUT' });
    silent.close();
  });

  it('is TLS, with a certificate that is checked', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const server = await startFaultServer([answer(200, { Item: ITEM })], { key, cert });
    const options = addressOf(server);

    expect(await createDirectSessionReader({ ...options, ca: cert }).readSession('S#x')).toEqual(ITEM);
    await expect(createDirectSessionReader(options).readSession('S#x')).rejects.toBeInstanceOf(SessionStoreError);
  });

  it('serves requests at the same time', async () => {
    const { reader } = await readerAt([
      ({ body, ...exchange }) => answer(200, { Item: JSON.parse(body).Key })({ body, ...exchange }),
    ]);

    const keys = Array.from({ length: 50 }, (_, index) => `S#${index}`);
    const items = await Promise.all(keys.map((key) => reader.readSession(key)));
    expect(items.map((item) => item?.PK?.S)).toEqual(keys);
  });
});
