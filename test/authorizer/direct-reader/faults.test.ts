// SPDX-License-Identifier: Apache-2.0
/** Whatever DynamoDB answers, the direct reader ends in an item, in no item, or in the right error. */
import { createAuthorizer } from '../../../lambda/authorizer/create-authorizer';
import { createDirectSessionReader } from '../../../lambda/authorizer/direct-reader/direct-session-reader';
import { SessionStoreError } from '../../../lambda/session/errors';
import { DEFAULT_ATTRIBUTE_NAMES } from '../../../lambda/settings';
import { COOKIE_NAME, restEvent, TOKEN } from '../set-up';
import { answer, type Behaviour, hang, refuse, reset } from './fault-server';
import { closeServers, IMPATIENT, ITEM, PATIENT, readerAt, VARIABLES } from './reader-at';

afterEach(closeServers);

describe('an answer', () => {
  it('with an item is the item', async () => {
    const { reader, server } = await readerAt([answer(200, { Item: ITEM })]);

    expect(await reader.readSession('S#x')).toEqual(ITEM);
    expect(server.requests).toHaveLength(1);
  });

  it('without an item is undefined', async () => {
    const { reader } = await readerAt([answer(200, {})]);

    expect(await reader.readSession('S#x')).toBeUndefined();
  });

  it('with characters of several bytes, in pieces, is put together', async () => {
    const text = JSON.stringify({ Item: { PK: { S: 'ä€😀'.repeat(100) } } });
    const pieces: Behaviour = async ({ response }) => {
      response.writeHead(200);
      for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
      response.end();
    };
    const { reader } = await readerAt([pieces]);

    expect(await reader.readSession('S#x')).toEqual({ PK: { S: 'ä€😀'.repeat(100) } });
  });

  it.each<[string, Behaviour, string, number]>([
    ['that is no JSON', answer(200, '<html>'), 'ERR_SESSION_STORE', 2],
    ['that is JSON of something in between', answer(200, { message: 'hi' }), 'ERR_SESSION_STORE', 2],
    ['that is empty', answer(200, ''), 'ERR_SESSION_STORE', 2],
    ['that is a list', answer(200, '[]'), 'ERR_SESSION_STORE', 2],
    ['that is null', answer(200, 'null'), 'ERR_SESSION_STORE', 2],
    ['whose item is null', answer(200, { Item: null }), 'ERR_SESSION_STORE', 2],
    ['whose item is a list', answer(200, { Item: [] }), 'ERR_SESSION_STORE', 2],
    ['that is half an answer', answer(200, '{"Item":{"PK":'), 'ERR_SESSION_STORE', 2],
    ['of a redirect', answer(302, ''), 'ERR_SESSION_STORE', 1],
    ['400 without words', answer(400, ''), 'ERR_SESSION_STORE', 1],
    ['ValidationException', refuse(400, 'ValidationException'), 'ERR_SESSION_STORE', 1],
    ['AccessDeniedException', refuse(400, 'AccessDeniedException'), 'ERR_SESSION_STORE_ACCESS_DENIED', 1],
    ['UnrecognizedClientException', refuse(400, 'UnrecognizedClientException'), 'ERR_SESSION_STORE_ACCESS_DENIED', 1],
    ['InvalidSignatureException', refuse(400, 'InvalidSignatureException'), 'ERR_SESSION_STORE_ACCESS_DENIED', 1],
    ['ExpiredTokenException', refuse(400, 'ExpiredTokenException'), 'ERR_SESSION_STORE_ACCESS_DENIED', 1],
    ['ResourceNotFoundException', refuse(400, 'ResourceNotFoundException'), 'ERR_SESSION_STORE_NOT_FOUND', 1],
    ['ThrottlingException', refuse(400, 'ThrottlingException'), 'ERR_SESSION_STORE_THROTTLED', 2],
    [
      'ProvisionedThroughputExceededException',
      refuse(400, 'ProvisionedThroughputExceededException'),
      'ERR_SESSION_STORE_THROTTLED',
      2,
    ],
    ['RequestLimitExceeded', refuse(400, 'RequestLimitExceeded'), 'ERR_SESSION_STORE_THROTTLED', 2],
    ['429 without words', answer(429, ''), 'ERR_SESSION_STORE', 1],
    ['InternalServerError', refuse(500, 'InternalServerError'), 'ERR_SESSION_STORE', 2],
    ['503 of something in between', answer(503, '<html>busy</html>'), 'ERR_SESSION_STORE', 2],
  ])('%s is an error, after as many attempts as make sense', async (_, behaviour, code, attempts) => {
    const { reader, server } = await readerAt([behaviour]);

    const error = await reader.readSession('S#x').catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(SessionStoreError);
    expect(error).toMatchObject({ code });
    expect(server.requests).toHaveLength(attempts);
    expect(`${(error as Error).message} ${String((error as Error).cause)}`).not.toMatch(/S#|secret|token-of/);
  });

  it('that is too long is an error', async () => {
    const { reader } = await readerAt([answer(200, { Item: { data: { S: 'x'.repeat(5000) } } })], {
      limits: { ...PATIENT, bodyBytes: 4096 },
    });

    await expect(reader.readSession('S#x')).rejects.toMatchObject({ code: 'ERR_SESSION_STORE' });
  });

  it('that stops in the middle is an error', async () => {
    const truncated: Behaviour = ({ response, socket }) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('{"Item":', () => socket.destroy());
    };
    const { reader, server } = await readerAt([truncated]);

    await expect(reader.readSession('S#x')).rejects.toMatchObject({ code: 'ERR_SESSION_STORE' });
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, Behaviour]>([
    ['never comes', hang],
    ['never ends', ({ response }) => response.writeHead(200).write('{"Item":')],
  ])('that %s is a timeout', async (_, behaviour) => {
    const { reader } = await readerAt([behaviour], { limits: IMPATIENT });

    await expect(reader.readSession('S#x')).rejects.toMatchObject({ code: 'ERR_SESSION_STORE_TIMEOUT' });
  });

  it('of garbage is an error', async () => {
    const garbage: Behaviour = ({ socket }) => socket.end('no HTTP at all\r\n\r\n');
    const { reader } = await readerAt([garbage]);

    await expect(reader.readSession('S#x')).rejects.toMatchObject({ code: 'ERR_SESSION_STORE' });
  });
});

describe('a fault that passes', () => {
  it.each<[string, Behaviour]>([
    ['a throttled request', refuse(400, 'ThrottlingException')],
    ['an internal error', refuse(500, 'InternalServerError')],
    ['a reset connection', reset],
  ])('(%s) is overcome by the second attempt', async (_, behaviour) => {
    const { reader, server } = await readerAt([behaviour, answer(200, { Item: ITEM })]);

    expect(await reader.readSession('S#x')).toEqual(ITEM);
    expect(server.requests).toHaveLength(2);
  });
});

describe('a renewal', () => {
  const RENEWAL = { expiresAt: 2000, renewedAt: 1000, previousRenewedAt: 900 };

  it.each<[string, Behaviour, boolean]>([
    ['that was done', answer(200, {}), true],
    ['whose condition failed', refuse(400, 'ConditionalCheckFailedException'), false],
  ])('%s', async (_, behaviour, isRenewed) => {
    const { reader, server } = await readerAt([behaviour]);

    expect(await reader.renewSession('S#x', RENEWAL)).toBe(isRenewed);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers['x-amz-target']).toBe('DynamoDB_20120810.UpdateItem');
  });

  it('that fails is an error', async () => {
    const { reader } = await readerAt([refuse(400, 'AccessDeniedException')]);

    await expect(reader.renewSession('S#x', RENEWAL)).rejects.toMatchObject({
      code: 'ERR_SESSION_STORE_ACCESS_DENIED',
    });
  });
});

it('asks for exactly one item, consistently, without its data, and signs it', async () => {
  const { reader, server } = await readerAt([answer(200, {})], { nowMillis: () => Date.UTC(2026, 0, 2, 3, 4, 5) });

  await reader.readSession('S#x');

  const [request] = server.requests;
  expect(request?.headers).toMatchObject({
    'content-type': 'application/x-amz-json-1.0',
    host: server.host,
    'x-amz-date': '20260102T030405Z',
    'x-amz-security-token': 'token-of-the-test',
    'x-amz-target': 'DynamoDB_20120810.GetItem',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20260102\/eu-central-1\/dynamodb\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
    ),
  });
  const { ExpressionAttributeNames, ProjectionExpression, ...rest } = JSON.parse(request?.body ?? '');
  expect(rest).toEqual({ TableName: 'sessions', Key: { PK: { S: 'S#x' }, SK: { S: 'S#' } }, ConsistentRead: true });
  const projected = ProjectionExpression.split(',').map((placeholder: string) => ExpressionAttributeNames[placeholder]);
  expect(projected).toEqual(
    expect.arrayContaining(['PK', 'SK', 'type', 'user', 'created_at', 'expires_at', 'revoked', 'claims']),
  );
  expect(projected).not.toContain('data');
});

it.each<[string, Record<string, string>, string | undefined, string]>([
  ['no region', { AWS_REGION: '' }, undefined, 'AWS_REGION'],
  ['no key', { AWS_ACCESS_KEY_ID: '' }, undefined, 'AWS_ACCESS_KEY_ID'],
  ['no secret', { AWS_SECRET_ACCESS_KEY: '' }, undefined, 'AWS_SECRET_ACCESS_KEY'],
  ['an endpoint without a scheme', {}, 'localhost:8000', 'endpoint'],
  ['an endpoint with a path', {}, 'http://localhost:8000/x', 'endpoint'],
  ['an endpoint with a password', {}, 'http://a:b@localhost:8000', 'endpoint'],
  ['an endpoint of another kind', {}, 'ftp://localhost', 'endpoint'],
])('%s is refused by name', (_, changes, endpoint, name) => {
  const make = () =>
    createDirectSessionReader({
      tableName: 'sessions',
      attributeNames: DEFAULT_ATTRIBUTE_NAMES,
      endpoint,
      variables: { ...VARIABLES, ...changes },
    });
  expect(make).toThrow(name);
});

it.each<[string, Behaviour]>([
  ['hangs', hang],
  ['breaks off', reset],
  ['throttles', refuse(400, 'ThrottlingException')],
  ['refuses', refuse(400, 'AccessDeniedException')],
  ['talks nonsense', answer(200, 'nonsense')],
  ['answers for another key', answer(200, { Item: { ...ITEM, PK: { S: 'S#other' } } })],
])('a table that %s never lets a request in', async (_, behaviour) => {
  const { reader } = await readerAt([behaviour], { limits: IMPATIENT });
  const authorize = createAuthorizer({ reader, now: () => 1_800_000_000 }, { cookieName: COOKIE_NAME });

  const outcome = await authorize(restEvent({ cookie: `${COOKIE_NAME}=${TOKEN}` })).catch((error: Error) => error);
  expect(JSON.stringify(outcome)).not.toContain('Allow');
});
