// SPDX-License-Identifier: Apache-2.0
/** One table, shared with a real PHP application: its sessions, locks and ids, there and back. */
import { createAuthorizer } from '../../../lambda/authorizer/create-authorizer';
import { createPhpSessionSource } from '../../../lambda/legacy/php/php-session-source';
import { createPhpTable } from '../../../lambda/legacy/php/php-table';
import type { PhpSessionFormat } from '../../../lambda/legacy/php/php-value';
import { SessionLockedError } from '../../../lambda/session/errors';
import { EmulatedPhpTable, TABLE_NAME } from './emulated-php-table';
import { describeWithPhp, type PhpPage, runPhpPage } from './php-process';

let table: EmulatedPhpTable;

beforeAll(async () => {
  table = await EmulatedPhpTable.start();
});
afterAll(() => table.close());

const NAME = 'MY_APP';
const now = () => Math.floor(Date.now() / 1000);
const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
const store = (format: PhpSessionFormat = 'php') => table.store({ sessionName: NAME, format, now, sleep });
const itemOf = (id: string) => table.get(`${NAME}_${id}`);

function page(code: string, id?: string, format?: PhpSessionFormat): Promise<PhpPage> {
  return runPhpPage({
    endpoint: table.emulator.endpoint,
    table: TABLE_NAME,
    name: NAME,
    code,
    ...(id === undefined ? {} : { id }),
    ...(format === undefined ? {} : { format }),
  });
}

describeWithPhp('a session shared with PHP', () => {
  it.each(['php', 'php_serialize', 'php_binary'] as const)('goes there and back in the format %s', async (format) => {
    const { id } = await page('$_SESSION["user_id"] = 42; $_SESSION["cart"] = ["ü" => [1, 2]];', undefined, format);
    const session = await store(format).open(id);
    expect(structuredClone(session.data)).toEqual({ user_id: 42, cart: { ü: [1, 2] } });
    session.data.from = ['here', null, 0.5];
    await session.write();

    const { data } = await page('$_SESSION["again"] = true;', id, format);
    expect(data).toEqual({ user_id: 42, cart: { ü: [1, 2] }, from: ['here', null, 0.5], again: true });
    const last = await store(format).open(id);
    expect(structuredClone(last.data)).toEqual(data);
    await last.close();
  });

  it('of ours is PHP’s own from its first page on', async () => {
    const session = await store().start(undefined);
    session.data.user_id = 'u-123';
    await session.write();

    expect(await page('', session.id)).toEqual({ id: session.id, data: { user_id: 'u-123' } });
  });

  it('has the same attributes whoever wrote it', async () => {
    const { id } = await page('$_SESSION["a"] = 1;');
    const byPhp = await itemOf(id);
    const session = await store().open(id);
    session.data.a = 2;
    await session.write();
    const byUs = await itemOf(id);

    expect(Object.keys(byUs ?? {}).sort()).toEqual(Object.keys(byPhp ?? {}).sort());
    expect(byUs).toMatchObject({ data: { S: 'a|i:2;' }, expires: { N: expect.stringMatching(/^\d{10}$/) } });
  });

  it('is under its new id for PHP after our regenerate, and for us after PHP’s', async () => {
    const first = await page('$_SESSION["user_id"] = 42;');
    const session = await store().open(first.id);
    await session.regenerateId();
    await session.write();

    const second = await page('session_regenerate_id(true);', session.id);
    expect(second.data).toEqual({ user_id: 42 });
    const last = await store().open(second.id);
    expect(structuredClone(last.data)).toEqual({ user_id: 42 });
    await last.close();
    for (const id of [first.id, session.id])
      await expect(store().open(id)).rejects.toMatchObject({ code: 'ERR_SESSION_NOT_FOUND' });
  });

  it('is used by one of both at a time', async () => {
    const { id } = await page('$_SESSION["count"] = 0;');
    const increment = async () => {
      const session = await store().open(id);
      session.data.count = Number(session.data.count) + 1;
      await session.write();
    };
    await Promise.all([increment(), page('$_SESSION["count"]++;', id), increment(), page('$_SESSION["count"]++;', id)]);

    expect((await page('', id)).data).toEqual({ count: 4 });
  });

  it('that PHP died on stays locked, and is refused rather than emptied', async () => {
    const { id } = await page('$_SESSION["a"] = 1;');
    await page('posix_kill(getmypid(), SIGKILL);', id).catch(() => undefined);
    const patient = table.store({ sessionName: NAME, now, sleep, maxLockWaitSeconds: 0 });

    await expect(patient.open(id)).rejects.toThrow(SessionLockedError);
    expect(await itemOf(id)).toMatchObject({ data: { S: 'a|i:1;' }, lock: { N: '1' } });
  });

  it('that PHP’s locking read made of an unknown id is none', async () => {
    const id = 'chosenByTheAttacker0123456789';
    await page('posix_kill(getmypid(), SIGKILL);', id).catch(() => undefined);

    expect(await itemOf(id)).toEqual({ id: { S: `${NAME}_${id}` }, lock: { N: '1' } });
    await expect(store().open(id)).rejects.toMatchObject({ code: 'ERR_SESSION_NOT_FOUND' });
  });
});

describeWithPhp('a user of the PHP application', () => {
  const source = () =>
    createPhpSessionSource({
      table: createPhpTable({ tableName: TABLE_NAME, client: table.client }),
      cookieName: NAME,
      userPath: 'Auth.User.id',
    });
  const event = (cookie: string) => ({
    type: 'REQUEST',
    methodArn: 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/GET/me',
    httpMethod: 'GET',
    headers: { Cookie: cookie },
  });
  const authorizer = () =>
    createAuthorizer(
      { now, reader: { readSession: async () => undefined, readItem: async () => undefined } },
      { cookieName: '__Host-session', legacy: [source()] },
    );

  it('is admitted by the authorizer, read-only, and goes on using PHP', async () => {
    const { id } = await page('$_SESSION["Auth"] = ["User" => ["id" => 42, "name" => "Ann"]];');
    const before = await itemOf(id);
    table.requests.length = 0;

    expect(await authorizer()(event(`${NAME}=${id}`))).toMatchObject({
      principalId: '42',
      policyDocument: { Statement: [{ Effect: 'Allow' }] },
    });
    expect(table.requests).toEqual([
      {
        operation: 'GetItem',
        input: { TableName: TABLE_NAME, Key: { id: { S: `${NAME}_${id}` } }, ConsistentRead: true },
      },
    ]);
    expect(await itemOf(id)).toEqual(before);
    expect((await page('', id)).data).toMatchObject({ Auth: { User: { name: 'Ann' } } });
  });

  it('is denied after PHP’s logout', async () => {
    const { id } = await page('$_SESSION["Auth"] = ["User" => ["id" => 42]];');
    await page('session_destroy();', id);

    expect(await authorizer()(event(`${NAME}=${id}`))).toMatchObject({
      policyDocument: { Statement: [{ Effect: 'Deny' }] },
    });
  });

  it('is logged out of PHP when the session is ended here', async () => {
    const { id } = await page('$_SESSION["Auth"] = ["User" => ["id" => 42]];');
    await source().end(id);
    await source().end(id);

    expect((await page('', id)).data).toEqual({});
  });
});
