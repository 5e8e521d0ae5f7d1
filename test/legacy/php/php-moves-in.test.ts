// SPDX-License-Identifier: Apache-2.0
/** A user of a real PHP application comes to a REST API behind the local gateway: let in, moved in once, and out of PHP. */
import { createAuthorizer } from '../../../lambda/authorizer/create-authorizer';
import { createSdkSessionReader } from '../../../lambda/authorizer/sdk-session-reader';
import { createPhpSessionSource } from '../../../lambda/legacy/php/php-session-source';
import { createPhpTable } from '../../../lambda/legacy/php/php-table';
import { createSessions } from '../../../lambda/session/create-sessions';
import type { DynamoDbSessionStore } from '../../../lambda/session/dynamodb-session-store';
import { withSession } from '../../../lambda/session/with-session';
import { DEFAULT_ATTRIBUTE_NAMES } from '../../../lambda/settings';
import { startRestGateway, type TestedGateway } from '../../local/support/rest-gateway';
import { restTemplate } from '../../local/support/rest-template';
import { CLIENT_DEFAULTS, createTable } from '../../session/emulated-table';
import { EmulatedPhpTable, TABLE_NAME } from './emulated-php-table';
import { describeWithPhp, runPhpPage } from './php-process';

const NAME = 'MY_APP';
let table: EmulatedPhpTable;
let store: DynamoDbSessionStore;
let gateway: TestedGateway;

beforeAll(async () => {
  table = await EmulatedPhpTable.start();
  store = await createTable(table.direct, 'sessions', DEFAULT_ATTRIBUTE_NAMES);
  const source = createPhpSessionSource({
    table: createPhpTable({ tableName: TABLE_NAME, client: table.client }),
    cookieName: NAME,
    userPath: 'Auth.User.id',
  });
  const authorize = createAuthorizer(
    {
      reader: createSdkSessionReader({
        tableName: 'sessions',
        attributeNames: DEFAULT_ATTRIBUTE_NAMES,
        endpoint: table.emulator.endpoint,
        client: CLIENT_DEFAULTS,
      }),
    },
    { cookieName: '__Host-session', legacy: [source] },
  );
  const sessions = createSessions<{ cart?: unknown }>({
    store,
    legacy: {
      sources: [source],
      asSession: ({ data }) => ({ data: { cart: (data as { cart?: unknown }).cart } }),
    },
  });
  const respond = withSession(sessions, async (_event, { session }) => ({
    statusCode: 200,
    body: JSON.stringify({ user: session?.user, data: session?.data }),
  }));
  gateway = await startRestGateway(restTemplate(), {
    authorize: async (event) => ({ result: await authorize(event) }),
    respond: async (event) => ({ result: await respond(event) }),
  });
});
afterAll(async () => {
  await gateway.close();
  await table.close();
});

const page = (code: string, id?: string) =>
  runPhpPage({
    endpoint: table.emulator.endpoint,
    table: TABLE_NAME,
    name: NAME,
    code,
    ...(id === undefined ? {} : { id }),
  });

const get = (cookie: string) => gateway.send('GET', '/session', [['Cookie', cookie]]);
type Answer = Awaited<ReturnType<typeof get>>;
const setCookies = ({ headers }: Answer) => [headers['set-cookie'] ?? []].flat();
const newCookie = (answer: Answer) => /^__Host-session=[\w-]{43}/.exec(setCookies(answer).join('\n'))?.[0] ?? 'none';

describeWithPhp('a user who is logged in with PHP', () => {
  it('is let in, gets a session of ours with the data, and stays logged in with PHP until its cookie has come back', async () => {
    const { id } = await page('$_SESSION = ["Auth" => ["User" => ["id" => 42]], "cart" => ["book", "pen"]];');
    const first = await get(`${NAME}=${id}`);

    expect(first.status).toBe(200);
    expect(JSON.parse(first.body)).toEqual({ user: '42', data: { cart: ['book', 'pen'] } });
    expect((await page('', id)).data).toMatchObject({ cart: ['book', 'pen'] });

    const second = await get(`${NAME}=${id}; ${newCookie(first)}`);
    expect(JSON.parse(second.body)).toEqual(JSON.parse(first.body));
    expect(setCookies(second)).toEqual([expect.stringMatching(/^MY_APP=; .*Max-Age=0/)]);
    expect(await table.get(`${NAME}_${id}`)).toBeUndefined();
    expect((await get(newCookie(first))).status).toBe(200);
  });

  it('moves in once, however many requests come first at the same time', async () => {
    const { id } = await page('$_SESSION["Auth"] = ["User" => ["id" => 43]];');
    const answers = await Promise.all([1, 2, 3].map(() => get(`${NAME}=${id}`)));
    for (const answer of answers) expect((await get(newCookie(answer))).status).toBe(200);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { items } = await store.query('SU#43', 'S#');
    expect(items).toHaveLength(1);
  });

  it('is not let in with the old cookie again, even if PHP writes its session anew', async () => {
    const { id } = await page('$_SESSION["Auth"] = ["User" => ["id" => 44]];');
    const first = await get(`${NAME}=${id}`);
    await get(`${NAME}=${id}; ${newCookie(first)}`);
    await page('$_SESSION["Auth"] = ["User" => ["id" => 44]];', id);

    expect(newCookie(await get(`${NAME}=${id}`))).toBe('none');
  });

  it('is not let in with an id that nobody has', async () => {
    expect((await get(`${NAME}=${'0'.repeat(32)}`)).status).toBe(403);
  });
});
