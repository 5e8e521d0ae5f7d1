// SPDX-License-Identifier: Apache-2.0
/** Cross-site requests are refused before any read; WebSocket handshakes come from listed pages only. */
import type { AuthorizerOptions } from '../../lambda/authorizer/options';
import { ALLOW, authorizerOver, DENY, recordedEvent, restEvent, sessionItem } from './set-up';

const APP = 'https://app.example.com';
const API = 'https://api.example.com';
const EVIL = 'https://attacker.example';

type Case = [string, string, Record<string, unknown>, Partial<AuthorizerOptions>, 'allow' | 'deny'];

const CASES: Case[] = [
  ['GET from another site', 'GET', { 'Sec-Fetch-Site': 'cross-site', Origin: EVIL }, {}, 'allow'],
  ['DELETE without either header', 'DELETE', {}, {}, 'allow'],
  ['DELETE without either header, strict', 'DELETE', {}, { csrf: 'strict' }, 'deny'],
  ['DELETE from the listed page', 'DELETE', { 'Sec-Fetch-Site': 'same-site', Origin: APP }, {}, 'allow'],
  [
    'DELETE from the listed page, strict',
    'DELETE',
    { 'sec-fetch-site': 'same-site', origin: APP },
    { csrf: 'strict' },
    'allow',
  ],
  [
    'DELETE from a sibling',
    'DELETE',
    { 'Sec-Fetch-Site': 'same-site', Origin: 'https://blog.example.com' },
    {},
    'deny',
  ],
  ['DELETE from another site', 'DELETE', { 'Sec-Fetch-Site': 'cross-site', Origin: EVIL }, {}, 'deny'],
  ['DELETE from another site, old browser', 'DELETE', { Origin: EVIL }, {}, 'deny'],
  ['DELETE from another site, check off', 'DELETE', { Origin: EVIL }, { csrf: 'off' }, 'allow'],
  ['DELETE from the API itself, old browser', 'DELETE', { Origin: API }, {}, 'allow'],
  ['DELETE from the API itself, strict', 'DELETE', { Origin: API }, { csrf: 'strict' }, 'allow'],
  [
    'DELETE from the custom domain',
    'DELETE',
    { Origin: 'https://id.example.com' },
    { apiOrigins: ['https://id.example.com'] },
    'allow',
  ],
  [
    'DELETE from the custom domain, strict',
    'DELETE',
    { Origin: 'https://id.example.com' },
    { apiOrigins: ['https://id.example.com'], csrf: 'strict' },
    'allow',
  ],
  ['DELETE from an opaque origin', 'DELETE', { Origin: 'null' }, {}, 'deny'],
  ['lower-case get from another site', 'get', { Origin: EVIL }, {}, 'deny'],
  ['an overridden method from another site', 'POST', { Origin: EVIL, 'X-HTTP-Method-Override': 'GET' }, {}, 'deny'],
];

describe.each(CASES)('%s', (_, method, headers, options, expected) => {
  it(`is ${expected === 'allow' ? 'admitted' : 'refused without a read'}`, async () => {
    const { authorize, calls } = authorizerOver({ item: sessionItem() }, options);

    const result = await authorize(restEvent({ method, headers }));

    expect(result).toMatchObject(expected === 'allow' ? ALLOW : DENY);
    expect(calls.reads).toHaveLength(expected === 'allow' ? 1 : 0);
  });
});

it('decides on the method of an HTTP API too', async () => {
  const event = recordedEvent('http-2.0');
  event.requestContext.http.method = 'POST';
  event.headers.origin = EVIL;
  const { authorize, calls } = authorizerOver({ item: sessionItem() });

  expect(await authorize(event)).toMatchObject(DENY);
  expect(calls).toMatchObject({ reads: [], reports: [{ reason: 'originForeignOrigin' }] });
});

it('takes an event without a method for an unsafe one', async () => {
  const event = restEvent({ headers: { Origin: EVIL } });
  delete event.httpMethod;
  const { authorize } = authorizerOver({ item: sessionItem() });

  expect(await authorize(event)).toMatchObject(DENY);
});

describe('a WebSocket handshake', () => {
  it.each([
    ['no origin', undefined],
    ['another site', EVIL],
    ['an opaque origin', 'null'],
    ['plain HTTP', 'http://app.example.com'],
    ['another port', 'https://app.example.com:8443'],
    ['a longer host', 'https://app.example.com.attacker.example'],
    ['another case', 'https://APP.example.com'],
  ])('from %s is refused without a read, whatever the profile', async (_, origin) => {
    const event = recordedEvent('web-socket-connect');
    event.headers = { ...event.headers, Origin: origin };
    event.multiValueHeaders = undefined;
    const { authorize, calls } = authorizerOver({ item: sessionItem() }, { csrf: 'off' });

    expect(await authorize(event)).toMatchObject(DENY);
    expect(calls).toMatchObject({ reads: [], reports: [{ kind: 'denied', reason: 'originWebSocket' }] });
  });

  it('is refused everywhere while no origin is listed', async () => {
    const { authorize } = authorizerOver({ item: sessionItem() }, { allowedOrigins: [] });

    expect(await authorize(recordedEvent('web-socket-connect'))).toMatchObject(DENY);
  });

  it('with two origins is refused', async () => {
    const event = recordedEvent('web-socket-connect');
    event.multiValueHeaders.Origin = [APP, APP];
    const { authorize } = authorizerOver({ item: sessionItem() });

    expect(await authorize(event)).toMatchObject(DENY);
  });
});
