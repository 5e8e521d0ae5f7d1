// SPDX-License-Identifier: Apache-2.0
/** Faults that others reported about reading cookies, as inputs for this authorizer. */
import {
  ALLOW,
  authorizerOver,
  COOKIE_NAME,
  DENY,
  recordedEvent,
  restEvent,
  sessionItem,
  TOKEN,
  TOKEN_HASH,
  UNKNOWN_TOKEN,
} from './set-up';

const GOOD = `${COOKIE_NAME}=${TOKEN}`;
const OLD = `${COOKIE_NAME}=${UNKNOWN_TOKEN}`;

function http2(cookies: unknown, headers: object = {}): unknown {
  const event = recordedEvent('http-2.0');
  return { ...event, cookies, headers: { ...event.headers, ...headers } };
}

it.each<[string, unknown, 'allow' | 'deny', number]>([
  ['jshttp/cookie#236: quotes do not protect a semicolon', restEvent({ cookie: `x="; ${OLD}"; ${GOOD}` }), 'deny', 0],
  [
    'component/cookie#8: a value with several equals signs',
    restEvent({ cookie: `${COOKIE_NAME}=abc=def==` }),
    'deny',
    0,
  ],
  [
    'jshttp/cookie#188: odd neighbours do not hide the cookie',
    restEvent({ cookie: `id_token=eyJ${'a'.repeat(3000)}; a b=c; ${GOOD}` }),
    'allow',
    1,
  ],
  ['api-gw-http-only-cookie-auth: a name that ends alike', restEvent({ cookie: `x${GOOD}` }), 'deny', 0],
  [
    'api-gw-http-only-cookie-auth: a name that begins alike',
    restEvent({ cookie: `${COOKIE_NAME}2=${TOKEN}` }),
    'deny',
    0,
  ],
  ['api-gw-http-only-cookie-auth: another case', restEvent({ cookie: GOOD.replace('Host', 'host') }), 'deny', 0],
  ['openlinker#1998: an old and a new cookie', restEvent({ cookie: `${OLD}; ${GOOD}` }), 'deny', 0],
  ['code-dot-org#74198: fifty cookies of one name', restEvent({ cookie: Array(50).fill(OLD).join('; ') }), 'deny', 0],
  ['axum-sessions#14: in a later element', http2(['a=1', 'b=2', GOOD]), 'allow', 1],
  ['http-extensions#2796: a comma does not separate', restEvent({ cookie: `a=1, ${GOOD}` }), 'deny', 0],
  ['mangum#153: only in the array', http2(['a=1', GOOD]), 'allow', 1],
  ['localstack#5621: an empty array', http2([]), 'deny', 0],
  ['localstack#5621: an empty array beside the header', http2([], { cookie: GOOD }), 'allow', 1],
  [
    'aws-sdk-js#2719: two casings with two values',
    { ...restEvent(), headers: { Cookie: GOOD, cookie: OLD } },
    'deny',
    0,
  ],
  [
    'open-mercato#2691: the stored hash is no credential (hex)',
    restEvent({ cookie: `${COOKIE_NAME}=${TOKEN_HASH}` }),
    'deny',
    0,
  ],
])('issue %s', async (_, event, expected, reads) => {
  const { authorize, calls } = authorizerOver({ item: sessionItem() });

  expect(await authorize(event)).toMatchObject(expected === 'allow' ? ALLOW : DENY);
  expect(calls.reads).toHaveLength(reads);
});

it('issue open-mercato#2691: the stored hash is no credential (base64url)', async () => {
  const cookie = `${COOKIE_NAME}=${Buffer.from(TOKEN_HASH, 'hex').toString('base64url')}`;
  const { authorize, calls } = authorizerOver({ item: sessionItem() });

  // Well formed, so it is looked up under its own hash, where nothing is; whatever else came back would be refused.
  expect(await authorize(restEvent({ cookie }))).toMatchObject(DENY);
  expect(calls.reads).not.toContain(`S#${TOKEN_HASH}`);
});

it('issue hushline#371: a name without a prefix works where it is configured', async () => {
  const { authorize } = authorizerOver({ item: sessionItem() }, { cookieName: 'session' });

  expect(await authorize(restEvent({ cookie: `session=${TOKEN}` }))).toMatchObject(ALLOW);
  expect(await authorize(restEvent({ cookie: GOOD }))).toMatchObject(DENY);
});
