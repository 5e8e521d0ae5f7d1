// SPDX-License-Identifier: Apache-2.0
/** Who may read the answers of the session routes, and what they cost. */
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import { APP, countedStore, world } from './world';

describe('an answer', () => {
  it.each([
    ['the listed page', APP, APP],
    ['another page', 'https://attacker.example', undefined],
    ['an opaque origin', 'null', undefined],
    ['a longer host', `${APP}.attacker.example`, undefined],
    ['plain HTTP', 'http://app.example.com', undefined],
    ['another port', `${APP}:8443`, undefined],
    ['no page', undefined, undefined],
  ])('may be read by %s', async (_, origin, allowed) => {
    const headers: Record<string, string> = origin === undefined ? {} : { Origin: origin };

    const response = await world().call('REST', 'GET /session', { user: 'alice', headers });

    expect(response.headers).toMatchObject({ Vary: 'Origin' });
    expect(response.headers?.['Access-Control-Allow-Origin']).toBe(allowed);
    expect(response.headers?.['Access-Control-Allow-Credentials']).toBe(allowed === undefined ? undefined : 'true');
  });
});

it('counts what the routes cost', async () => {
  const store = countedStore(new MemorySessionStore());
  const { call, logIn } = world({ store });
  const { cookie } = await logIn('alice');
  const cost = async (route: string): Promise<number> => {
    store.requests = 0;
    await call('REST', route, { user: 'alice', cookie });
    return store.requests;
  };

  expect(await cost('GET /session')).toBe(0);
  expect(await cost('GET /sessions')).toBe(2);
});
