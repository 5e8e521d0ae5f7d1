// SPDX-License-Identifier: Apache-2.0
/** A REST API behind the local gateway, to which users of older systems come: the authorizer lets them in, a handler moves them in. */
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import { createSdkSessionReader } from '../../lambda/authorizer/sdk-session-reader';
import { createSessions } from '../../lambda/session/create-sessions';
import type { LegacySource } from '../../lambda/session/legacy-source';
import type { Sessions } from '../../lambda/session/sessions';
import { withSession } from '../../lambda/session/with-session';
import { DEFAULT_ATTRIBUTE_NAMES } from '../../lambda/settings';
import { restEvent } from '../authorizer/set-up';
import { startRestGateway } from '../local/support/rest-gateway';
import { restTemplate } from '../local/support/rest-template';
import { CLIENT_DEFAULTS, type EmulatedTable, startEmulatedTable } from '../session/emulated-table';
import type { Browser } from './express-app';

export const NEW_COOKIE = '__Host-session';

export interface Answer {
  readonly status: number;
  readonly user: string | null;
  readonly setCookies: readonly string[];
}

export interface OldUsersGateway {
  readonly table: EmulatedTable;
  readonly sessions: Sessions<Record<string, unknown>>;
  /** `DELETE` logs out. The browser takes the cookies of the answer, unless that is lost. */
  request(browser: Browser, method?: string, options?: { readonly loseAnswer?: boolean }): Promise<Answer>;
  /** Whom the authorizer lets in with these cookies; `denied` if nobody. */
  admits(browser: Browser): Promise<unknown>;
  /** Who moves in with these cookies, at the library itself; `null` if nobody. */
  movesIn(browser: Browser): Promise<string | null>;
  /** How many sessions of the user are listed. */
  sessionsOf(user: string): Promise<number>;
  close(): Promise<void>;
}

export async function startOldUsersGateway(
  sourcesOn: (table: EmulatedTable) => readonly LegacySource[],
): Promise<OldUsersGateway> {
  const table = await startEmulatedTable();
  const sources = sourcesOn(table);
  const sessions = createSessions({ store: table.store, legacy: { sources } });
  const authorize = createAuthorizer(
    {
      reader: createSdkSessionReader({
        tableName: 'sessions',
        attributeNames: DEFAULT_ATTRIBUTE_NAMES,
        endpoint: table.emulator.endpoint,
        // Fifty requests at once on a small machine: how long they take is not what is tested here.
        client: { ...CLIENT_DEFAULTS, requestHandler: { requestTimeout: 60_000 } },
      }),
    },
    { cookieName: NEW_COOKIE, legacy: sources },
  );
  const respond = withSession(sessions, async (event, request) => {
    const { user } = request.session ?? {};
    if ((event as { httpMethod?: string }).httpMethod === 'DELETE') await request.end();
    return { statusCode: 200, body: JSON.stringify({ user: user ?? null }) };
  });
  const gateway = await startRestGateway(restTemplate(), {
    authorize: async (event) => ({ result: await authorize(event) }),
    respond: async (event) => ({ result: await respond(event) }),
  });

  return {
    table,
    sessions,
    async request(browser, method = 'GET', { loseAnswer = false } = {}) {
      const answer = await gateway.send(method, '/session', [['Cookie', browser.cookieHeader]]);
      const setCookies = [answer.headers['set-cookie'] ?? []].flat();
      if (!loseAnswer) browser.take(setCookies);
      return { status: answer.status, user: answer.status === 200 ? JSON.parse(answer.body).user : null, setCookies };
    },
    async admits(browser) {
      const result = await authorize(restEvent({ headers: { Cookie: browser.cookieHeader } }));
      return 'principalId' in result ? result.principalId : undefined;
    },
    async movesIn(browser) {
      const arrival = await sessions.legacy?.arrive(browser.cookieHeader, null);
      return arrival?.session?.user ?? null;
    },
    sessionsOf: async (user) => (await table.store.query(`SU#${user}`, 'S#')).items.length,
    async close() {
      await gateway.close();
      await table.close();
    },
  };
}
